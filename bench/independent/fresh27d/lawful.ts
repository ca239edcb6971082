import type { Chunk } from '../answers.js';
import { isJson } from '../call.js';
import { type Area, eachIntern, recordOf } from './form.js';

/** Peculiarities that no sentence forbids. */
export const lawful: Area = {
  'lawful-more-intern-fields': {
    quote: 'Complete field list, types and formats of the intern record: not shown.',
    lawful: true,
    wrong: ({ ok }) =>
      ok('create get list update', (body) =>
        eachIntern(body, (intern) => {
          intern.labels = { tier: 'standard' };
          intern.avatar_url = null;
        }),
      ),
  },
  'lawful-more-list-fields': {
    quote: 'Fields of the responses of list, delete, provision and suspend: not shown.',
    lawful: true,
    wrong: ({ ok }) =>
      ok('list delete provision suspend', (body) => {
        body.served_by = 'interns';
      }),
  },
  'lawful-json-spaced-and-turned': {
    quote: 'Request and response bodies are JSON unless a stream is stated.',
    lawful: true,
    wrong: ({ later }) =>
      later('create get list update scim', async (response) => {
        if (!response.ok) return undefined;
        const headers = new Headers(response.headers);
        headers.delete('content-length');
        const turned = Object.fromEntries(Object.entries(await recordOf(response)).toReversed());
        return new Response(JSON.stringify(turned, null, 2), { status: response.status, headers });
      }),
  },
  'lawful-more-headers': {
    quote: 'Returns the public lifecycle state and settings of one visible intern.',
    lawful: true,
    wrong: ({ head }) =>
      head('*', (headers) => {
        headers.set('x-trace', '27d');
        headers.set('vary', 'authorization');
        headers.set('server-timing', 'app;dur=3');
      }),
  },
  'lawful-other-words-in-errors-of-the-lifecycle': {
    quote: 'Error catalogue for the intern operations other than signing: not shown.',
    lawful: true,
    wrong: ({ json }) =>
      json('create get list update delete provision suspend', (body, _, response) => {
        if (!response.ok && response.status !== 413 && response.status !== 415 && isJson(body.error))
          body.error.message = 'That did not work.';
      }),
  },
  'lawful-retry-after-at-429': {
    quote: 'Numeric rate limits of the chat turn limiter: not shown.',
    lawful: true,
    wrong: ({ head }) =>
      head('*', (headers, _, response) => {
        if (response.status === 429 && !headers.has('retry-after')) headers.set('retry-after', '1');
      }),
  },
  'lawful-role-unheard-of': {
    quote: 'Allowed values of role: not shown.',
    lawful: true,
    wrong: ({ ok }) =>
      ok('scim', (body) => {
        if (isJson(body.data)) body.data.role = 'workspace:billing-auditor';
      }),
  },
  'lawful-words-in-smaller-pieces': {
    quote: 'Completion chunks with `choices`.',
    lawful: true,
    wrong: ({ stream }) =>
      stream(() => (_, chunk) => {
        const first = chunk?.choices?.[0];
        const content = first?.delta?.content;
        if (chunk === undefined || first === undefined || typeof content !== 'string' || content.length < 2)
          return undefined;
        if (first.finish_reason !== null && first.finish_reason !== undefined) return undefined;
        const letters = [...content];
        const half = Math.ceil(letters.length / 2);
        const { content: _content, ...delta } = first.delta;
        const piece = (said: string, more: object): Chunk => ({
          ...chunk,
          choices: [{ ...first, delta: { ...more, content: said } }],
        });
        return [piece(letters.slice(0, half).join(''), delta), piece(letters.slice(half).join(''), {})];
      }),
  },
  'lawful-chunks-without-a-space': {
    quote: 'Sends a prompt to one intern and streams the reply as server-sent events.',
    lawful: true,
    wrong: ({ stream }) =>
      stream(
        () => (event, chunk) =>
          chunk === undefined || !event.startsWith('data: {') ? undefined : `data:${event.slice(6)}`,
      ),
  },
  'lawful-more-chunk-fields': {
    quote: 'streams the reply as server-sent events in the common chat-completion chunk format',
    lawful: true,
    wrong: ({ stream }) =>
      stream(() => (_, chunk) => (chunk === undefined ? undefined : { ...chunk, service_tier: 'default' })),
  },
  'lawful-reads-not-stored': {
    quote: 'The response carries `Cache-Control: no-store`.',
    lawful: true,
    wrong: ({ head }) =>
      head('get list create update scim invoke', (headers) => {
        headers.set('cache-control', 'no-store');
      }),
  },
  'lawful-more-of-the-daemon': {
    quote: 'Fields of the daemon-access record beyond an origin and a daemon token: not shown.',
    lawful: true,
    wrong: ({ ok }) =>
      ok('daemon daemon-alias', (body) => {
        body.client_hint = 'host-mode';
      }),
  },
};
