import { expect, test } from 'vitest';
import { createEmulatorDriver } from '../../conformance/drivers/emulator.js';
import { systemHost } from '../../conformance/probe/time.js';
import { run } from '../../conformance/run.js';
import shipped from '../../schemas/openapi.json' with { type: 'json' };
import { closing } from '../../test/closing.js';
import { createEmulator } from '../emulator.js';
import { type Observed, validateExchange } from '../testing/exchanges.harness.js';

/** Paths of the document as patterns, those with the fewest parameters first: `copy` is no name of a secret there. */
const SHAPES = Object.keys(shipped.paths)
  .sort((one, other) => one.split('{').length - other.split('{').length)
  .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`) }));

/** The path of a URL as the document has it. */
const shapeOf = (url: string): string => {
  const path = new URL(url).pathname.replace('/api/v1', '');
  return SHAPES.find(({ pattern }) => pattern.test(path))?.path ?? path;
};

type Kept = { -readonly [Key in keyof Observed]: Observed[Key] };

/** Passes a response on, and keeps what was read of it. */
async function keep(request: Request, response: Response, kept: Kept[]): Promise<Response> {
  const { status, headers } = response;
  const exchange: Kept = { method: request.method, url: request.url, status, headers, text: '' };
  kept.push(exchange);
  if (headers.get('content-type') !== 'text/event-stream') {
    exchange.text = await response.text();
    return new Response([204, 304].includes(status) ? null : exchange.text, { status, headers });
  }
  const decoder = new TextDecoder();
  const reading = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      exchange.text += decoder.decode(bytes, { stream: true });
      controller.enqueue(bytes);
    },
  });
  return new Response(response.body?.pipeThrough(reading) ?? null, { status, headers });
}

test('every response that a run of the kit gets is as the document has it', { timeout: 300_000 }, async () => {
  const emulator = closing(createEmulator({ clock: 'virtual', seed: 'openapi' }));
  const kept: Kept[] = [];
  const driver = createEmulatorDriver({
    descriptor: { ...emulator.target },
    fetch: async (request) => keep(request, await emulator.fetch(request), kept),
    daemonFetch: (request) => emulator.daemon.fetch(request),
    host: systemHost,
    tag: 'oas',
    remote: false,
    disposable: true,
  });
  const results = await run({ driver, host: systemHost, tag: 'oas', seed: 'openapi', runs: 2 });
  expect(results.verdict).toBe('pass');
  const problems = kept.flatMap((one) => validateExchange(one).map((said) => `${one.method} ${one.url}: ${said}`));
  expect([...new Set(problems)]).toEqual([]);

  const answered = new Set(kept.map(({ method, url, status }) => `${method} ${shapeOf(url)} ${status}`));
  const described = Object.entries(shipped.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) =>
      Object.keys(responses).map((status) => `${method.toUpperCase()} ${path} ${status}`),
    ),
  );
  // Every success response was among them.
  expect(described.filter((one) => one.includes(' 2') && !answered.has(one))).toEqual([]);
});

const page = {
  method: 'GET',
  url: '/api/v1/interns',
  status: 200,
  headers: new Headers({ 'content-type': 'application/json', 'x-request-id': 'a' }),
  text: '{"data":[],"has_more":false}',
};
const refused = (code: number, reason: string) =>
  JSON.stringify({ error: { code, message: 'No', metadata: { reason, retryable: false } } });

test.each<[string, Partial<Observed>, string | undefined]>([
  ['as it is', {}, undefined],
  ['with a status that is not described', { status: 418 }, 'status 418'],
  ['with another content type', { headers: new Headers({ 'content-type': 'text/html' }) }, 'content type text/html'],
  ['without its id', { headers: new Headers({ 'content-type': 'application/json' }) }, 'x-request-id: missing'],
  ['with a field too many', { text: '{"data":[],"has_more":false,"total":0}' }, 'additional properties'],
  ['refused', { status: 400, text: refused(400, 'invalid_body') }, undefined],
  ['refused for a reason of another operation', { status: 400, text: refused(400, 'busy') }, 'equal to constant'],
  ['of no operation', { url: '/api/v1/internals' }, 'is not an operation'],
])('a list %s is judged', (_, change, problem) => {
  const problems = validateExchange({ ...page, ...change });
  if (problem === undefined) expect(problems).toEqual([]);
  else expect(problems.join()).toContain(problem);
});

test('an event of a stream is judged', () => {
  const stream = (chunk: object): Observed => ({
    method: 'POST',
    url: '/api/v1/interns/1/chat/completions',
    status: 200,
    headers: new Headers({ 'content-type': 'text/event-stream', 'x-request-id': 'a' }),
    text: `: keepalive\n\ndata: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`,
  });
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [] };
  expect(validateExchange(stream({ ...chunk, session_id: 's', usage: null }))).toEqual([]);
  expect(validateExchange(stream(chunk))).not.toEqual([]);
});
