import { rewritten } from '../../../emulator/wire/answer.js';
import { withBody } from '../call.js';
import { bodyOf, finish, interns, type Part, remade } from './parts.js';

const RECORDS = 'create get update';

/** Peculiar, and allowed. */
export const lawful: Part = {
  'lawful-events-end-in-crlf': {
    quote: 'streams the reply as server-sent events',
    lawful: true,
    // Lines of an event stream may end so.
    wrong: (w) => async (call, next) => {
      const response = await next();
      if (call.op !== 'chat' || !/event-stream/.test(response.headers.get('content-type') ?? '')) return response;
      w.hit();
      return rewritten(response, { text: (event) => `${event.replaceAll('\n', '\r\n')}\r\n\r\n` });
    },
  },
  'lawful-records-have-more': {
    quote: 'Complete field list, types and formats of the intern record: not shown.',
    lawful: true,
    wrong: (w) =>
      w.ok(`${RECORDS} list`, (body, { op }) => {
        for (const record of op === 'list' ? interns(body) : [body]) record.avatar_color = 'teal';
      }),
  },
  'lawful-answers-have-more': {
    quote: 'Fields of the responses of list, delete, provision and suspend: not shown.',
    lawful: true,
    wrong: (w) =>
      w.ok('list delete provision suspend', (body) => {
        body.served_by = 'node-7';
      }),
  },
  'lawful-daemon-tells-more': {
    quote: 'Fields of the daemon-access record beyond an origin and a daemon token: not shown.',
    lawful: true,
    wrong: (w) =>
      w.ok('daemon daemon-alias', (body) => {
        body.protocol_version = 3;
      }),
  },
  'lawful-json-in-lines': {
    quote: 'Request and response bodies are JSON unless a stream is stated.',
    lawful: true,
    wrong: (w) =>
      w.later(`${RECORDS} list scim sign`, async (response) =>
        response.ok ? remade(response, `${JSON.stringify(await bodyOf(response), null, 2)}\n`) : undefined,
      ),
  },
  'lawful-json-escapes': {
    quote: 'Request and response bodies are JSON unless a stream is stated.',
    lawful: true,
    // A slash may be escaped, as may a letter beyond ASCII.
    wrong: (w) =>
      w.later(`${RECORDS} list sign sign-alias daemon scim`, async (response) =>
        response.ok
          ? remade(
              response,
              JSON.stringify(await bodyOf(response))
                .replaceAll('/', '\\/')
                .replace(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
            )
          : undefined,
      ),
  },
  'lawful-keys-in-other-order': {
    quote: 'Response: the JSON object in the daemon request signature table.',
    lawful: true,
    wrong: (w) =>
      w.later('sign sign-alias get', async (response) =>
        response.ok
          ? remade(response, Object.fromEntries(Object.entries(await bodyOf(response)).reverse()))
          : undefined,
      ),
  },
  'lawful-never-stored': {
    quote: 'The response carries `Cache-Control: no-store`.',
    lawful: true,
    // Nothing is said of the caching of other answers.
    wrong: (w) =>
      w.head('list get update create delete', (headers) => {
        headers.set('cache-control', 'no-store');
      }),
  },
  'lawful-challenge': {
    quote: 'A missing or invalid key gives 401.',
    lawful: true,
    wrong: (w) =>
      w.head('*', (headers, _, response) => {
        if (response.status === 401) headers.set('www-authenticate', 'Bearer realm="interns"');
      }),
  },
  'lawful-traced': {
    quote: 'Request and response bodies are JSON unless a stream is stated.',
    lawful: true,
    wrong: (w) => {
      let count = 0;
      return w.head('*', (headers) => {
        count += 1;
        headers.set('x-request-id', `req-${count}`);
        headers.set('vary', 'Authorization, Accept-Encoding');
      });
    },
  },
  'lawful-text-in-letters': {
    quote: 'Completion chunks with `choices`.',
    lawful: true,
    // Nothing is said of how much text a chunk holds.
    wrong: (w) =>
      w.stream(() => (_, chunk) => {
        const [choice] = chunk?.choices ?? [];
        const content = choice?.delta?.content;
        if (chunk === undefined || choice === undefined || typeof content !== 'string' || content.length < 2)
          return undefined;
        const half = Math.floor(content.length / 2);
        if (/[\ud800-\udbff]/.test(content.charAt(half - 1)) || finish(chunk)) return undefined;
        const { content: _content, ...rest } = choice.delta;
        return [
          { ...chunk, choices: [{ ...choice, delta: { ...rest, content: content.slice(0, half) } }] },
          { ...chunk, choices: [{ ...choice, delta: { content: content.slice(half) } }] },
        ];
      }),
  },
  'lawful-chunks-have-fingerprint': {
    quote: 'in the common chat-completion chunk format',
    lawful: true,
    wrong: (w) =>
      w.stream(() => (_, chunk) => (chunk === undefined ? undefined : { ...chunk, system_fingerprint: 'fp_0' })),
  },
  'lawful-role-unheard-of': {
    quote: 'Allowed values of role: not shown.',
    lawful: true,
    wrong: (w) =>
      w.ok('scim', (body) => {
        body.data = { ...(body.data as object), role: 'night-warden' };
      }),
  },
  'lawful-404-in-other-words': {
    quote: 'Error catalogue for the intern operations other than signing: not shown.',
    lawful: true,
    wrong: (w) =>
      w.error('get update delete provision suspend', 404, (error) => {
        error.message = 'There is nothing here by that name';
      }),
  },
  'lawful-sessions-with-prefix': {
    quote: 'answers 202 with the `session_id` once the intern accepts it.',
    lawful: true,
    // Nothing is said of the form of a session's id.
    wrong: (w) => {
      const PREFIX = 'run.';
      const spoilt = w.stream(
        () => (_, chunk) =>
          typeof chunk?.session_id === 'string' ? { ...chunk, session_id: PREFIX + chunk.session_id } : undefined,
      );
      return async (call, next) => {
        if (call.op !== 'chat' && call.op !== 'invoke') return next();
        const sent = call.body.session_id;
        const request =
          typeof sent === 'string' && sent.startsWith(PREFIX)
            ? withBody(call, { ...call.body, session_id: sent.slice(PREFIX.length) })
            : undefined;
        const response = await spoilt(call, () => next(request));
        if (/event-stream/.test(response.headers.get('content-type') ?? '') || !response.ok) return response;
        return w.ok('chat invoke', (body) => {
          if (typeof body.session_id === 'string') body.session_id = PREFIX + body.session_id;
        })(call, async () => response);
      };
    },
  },
};
