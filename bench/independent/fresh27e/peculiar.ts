import type { Chunk } from '../answers.js';
import { isJson, parsed } from '../call.js';
import type { Fresh } from './shared.js';
import { contentOf, finishOf, internsOf } from './shared.js';

/** The same answer with its JSON written otherwise. */
async function written(response: Response, write: (body: unknown) => string): Promise<Response | undefined> {
  if (!/json/.test(response.headers.get('content-type') ?? '')) return undefined;
  const body = parsed(await response.clone().text());
  if (!isJson(body)) return undefined;
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  return new Response(write(body), { status: response.status, headers });
}

export const peculiar: Fresh = {
  'lawful-json-indented': {
    quote: 'Request and response bodies are JSON unless a stream is stated.',
    lawful: true,
    wrong: (w) => w.later('*', (response) => written(response, (body) => `${JSON.stringify(body, null, 2)}\n`)),
  },
  'lawful-json-escaped': {
    quote: 'Request and response bodies are JSON unless a stream is stated.',
    lawful: true,
    wrong: (w) =>
      w.later('*', (response) =>
        written(response, (body) =>
          JSON.stringify(body).replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`),
        ),
      ),
  },
  'lawful-keys-reversed': {
    quote: 'Request and response bodies are JSON unless a stream is stated.',
    lawful: true,
    wrong: (w) =>
      w.later('*', (response) =>
        written(response, (body) =>
          JSON.stringify(isJson(body) ? Object.fromEntries(Object.entries(body).reverse()) : body),
        ),
      ),
  },
  'lawful-more-fields-of-interns': {
    quote: 'Complete field list, types and formats of the intern record: not shown.',
    lawful: true,
    wrong: (w) =>
      w.ok('create get update list', (body) => {
        for (const one of internsOf(body)) one.labels = { tier: 'standard' };
      }),
  },
  'lawful-time-beside-a-list': {
    quote: 'Fields of the responses of list, delete, provision and suspend: not shown.',
    lawful: true,
    wrong: (w) =>
      w.ok('list', (body) => {
        body.server_time = '2026-11-27T00:00:00.000Z';
      }),
  },
  'lawful-more-headers': {
    quote: 'Request and response bodies are JSON unless a stream is stated.',
    lawful: true,
    wrong: (w) =>
      w.head('*', (headers) => {
        headers.set('x-request-id', 'req_7f3a');
        headers.append('vary', 'authorization');
        headers.set('strict-transport-security', 'max-age=63072000');
      }),
  },
  'lawful-stream-lines-end-in-crlf': {
    quote: 'The chat stream (`Content-Type` of a server-sent event stream) carries these elements in order',
    lawful: true,
    wrong: (w) => w.stream(() => (event) => `${event.replace(/\r?\n/g, '\r\n')}\r`),
  },
  'lawful-more-fields-of-chunks': {
    quote: 'Completion chunks with `choices`.',
    lawful: true,
    wrong: (w) =>
      w.stream(() => (_, chunk) => (chunk === undefined ? undefined : { ...chunk, system_fingerprint: 'fp_5c1e' })),
  },
  'lawful-content-in-smaller-pieces': {
    quote: 'Completion chunks with `choices`.',
    lawful: true,
    wrong: (w) =>
      w.stream(() => (_, chunk) => {
        const letters = [...contentOf(chunk)];
        if (chunk === undefined || letters.length < 2 || finishOf(chunk) !== undefined) return undefined;
        const half = Math.ceil(letters.length / 2);
        const piece = (content: string): Chunk => ({
          ...chunk,
          choices: chunk.choices.map((choice) => ({ ...choice, delta: { ...choice.delta, content } })),
        });
        return [piece(letters.slice(0, half).join('')), piece(letters.slice(half).join(''))];
      }),
  },
  'lawful-unknown-intern-in-other-words': {
    quote: 'Error catalogue for the intern operations other than signing: not shown.',
    lawful: true,
    wrong: (w) =>
      w.error('get update delete provision suspend invoke chat', 404, (error) => {
        error.message = 'No such thing is visible to this key';
      }),
  },
  'lawful-large-body-in-other-words': {
    quote: 'Error catalogue for the intern operations other than signing: not shown.',
    lawful: true,
    wrong: (w) =>
      w.error('create update delete', 413, (error) => {
        error.message = 'Please send less';
        if (error.metadata) error.metadata.reason = 'body_too_large';
      }),
  },
  'lawful-challenge-on-401': {
    quote: 'A missing or invalid key gives 401.',
    lawful: true,
    wrong: (w) =>
      w.head('*', (headers, _, response) => {
        if (response.status === 401) headers.set('www-authenticate', 'Bearer realm="interns"');
      }),
  },
};
