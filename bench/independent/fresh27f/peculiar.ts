import type { Chunk } from '../answers.js';
import { isJson, type Json, parsed } from '../call.js';
import type { Way } from '../world.js';
import { contentOf, finishOf, listed, toolCallsOf, withChoice } from './common.js';

const isJsonAnswer = ({ headers }: Response) => /^application\/json/i.test(headers.get('content-type') ?? '');
const JSON_BODIES = 'Request and response bodies are JSON unless a stream is stated.';

/** The same answer as another text of the same JSON. */
async function retold(response: Response, tell: (body: Json) => string): Promise<Response | undefined> {
  if (!isJsonAnswer(response)) return undefined;
  const body = parsed(await response.clone().text());
  if (!isJson(body)) return undefined;
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  return new Response(tell(body), { status: response.status, headers });
}
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isJson(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, one]) => [key, reversed(one)]),
  );
};

export const peculiar: readonly Way[] = [
  {
    name: 'more-headers',
    quote: 'The response carries `Cache-Control: no-store`.',
    lawful: true,
    wrong: ({ head }) =>
      head('list create get update daemon daemon-alias sign sign-alias scim', (headers) => {
        headers.set('x-request-id', '5e550000-0000-4000-8000-00000000000f');
        headers.set('server-timing', 'app;dur=3');
      }),
  },
  {
    name: 'json-indented',
    quote: JSON_BODIES,
    lawful: true,
    wrong: ({ later }) =>
      later('list create get update delete provision suspend daemon sign scim', (response) =>
        retold(response, (body) => `${JSON.stringify(body, null, 2)}\n`),
      ),
  },
  {
    name: 'json-keys-in-other-order',
    quote: JSON_BODIES,
    lawful: true,
    wrong: ({ later }) =>
      later('list create get update delete provision suspend invoke daemon sign sign-alias scim', (response) =>
        retold(response, (body) => JSON.stringify(reversed(body))),
      ),
  },
  {
    name: 'json-escaped',
    quote: JSON_BODIES,
    lawful: true,
    wrong: ({ later }) =>
      later('create get update list', (response) =>
        retold(response, (body) =>
          JSON.stringify(body).replace(
            /[/\u0080-\uffff]/g,
            (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
          ),
        ),
      ),
  },
  {
    name: 'json-charset-named',
    quote: JSON_BODIES,
    lawful: true,
    wrong: ({ head }) =>
      head('list create get update delete provision suspend daemon sign scim', (headers) => {
        if (headers.get('content-type') === 'application/json')
          headers.set('content-type', 'application/json; charset=utf-8');
      }),
  },
  {
    name: 'intern-with-more-fields',
    quote: 'Complete field list, types and formats of the intern record: not shown.',
    lawful: true,
    wrong: ({ ok }) =>
      ok('create get update list', (body, { op }) => {
        for (const record of op === 'list' ? listed(body) : [body]) record.labels = { tier: 'standard' };
      }),
  },
  {
    name: 'daemon-record-with-more-fields',
    quote: 'Fields of the daemon-access record beyond an origin and a daemon token: not shown.',
    lawful: true,
    wrong: ({ ok }) =>
      ok('daemon daemon-alias', (body) => {
        body.protocol_hint = 'h2';
      }),
  },
  {
    name: 'words-in-smaller-chunks',
    quote: 'streams the reply as server-sent events in the common chat-completion chunk format',
    lawful: true,
    wrong: ({ stream }) =>
      stream(() => (_, chunk) => {
        const letters = [...contentOf(chunk)];
        if (chunk === undefined || letters.length < 2 || finishOf(chunk) !== undefined) return undefined;
        const half = Math.floor(letters.length / 2);
        const part = (some: readonly string[], delta: Json | undefined): Chunk =>
          withChoice(chunk, { delta: { ...delta, content: some.join('') } });
        return [part(letters.slice(0, half), chunk.choices[0]?.delta), part(letters.slice(half), {})];
      }),
  },
  {
    name: 'question-in-two-pieces',
    quote:
      'the stream emits one tool call named `service.provide_input` and finishes with `finish_reason: tool_calls`.',
    lawful: true,
    wrong: ({ stream }) =>
      stream(() => (_, chunk) => {
        const [call, ...more] = toolCallsOf(chunk);
        const spoken = isJson(call?.function) ? call.function : {};
        const { arguments: given } = spoken;
        if (chunk === undefined || call === undefined || more.length > 0 || finishOf(chunk) !== undefined)
          return undefined;
        if (typeof given !== 'string' || given.length < 2 || typeof call.index !== 'number') return undefined;
        const half = Math.floor(given.length / 2);
        return [
          withChoice(chunk, {
            delta: {
              ...chunk.choices[0]?.delta,
              tool_calls: [{ ...call, function: { ...spoken, arguments: given.slice(0, half) } }],
            },
          }),
          withChoice(chunk, {
            delta: { tool_calls: [{ index: call.index, function: { arguments: given.slice(half) } }] },
          }),
        ];
      }),
  },
  {
    name: 'chunk-on-two-data-lines',
    quote: 'streams the reply as server-sent events',
    lawful: true,
    wrong: ({ stream }) =>
      stream(
        () => (event) =>
          event.startsWith('data: {"') && !event.includes('\n') ? `data: {\ndata: ${event.slice(7)}` : undefined,
      ),
  },
  {
    name: 'lifecycle-404-in-other-words',
    quote: 'Error catalogue for the intern operations other than signing: not shown.',
    lawful: true,
    wrong: ({ error }) =>
      error('get update delete suspend provision', 404, (said) => {
        said.message = 'There is no such intern for this key';
      }),
  },
];
