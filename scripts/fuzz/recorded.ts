import fc from 'fast-check';
import { isRecord } from '../../emulator/contract/record.js';
import schema from '../../schemas/recording.schema.json' with { type: 'json' };
import { changed } from './calls.js';
import { fromSchema } from './from-schema.js';
import { oddText, spoilt } from './odd.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const ALIASES = [
  '$intern.1',
  '$intern.2',
  '$session.1',
  '$question.1',
  '$api_key',
  '$token.1',
  '$time',
  '$unix',
  '$$',
  '$',
  '$nonsense',
  '$intern.',
  '$signature.1',
  '$digest.1',
];
const HEADERS = [
  'content-type',
  'link',
  'location',
  'retry-after',
  'allow',
  'set-cookie',
  'host',
  'transfer-encoding',
  'content-length',
  'connection',
  'x-odd',
  'É',
  '__proto__',
  'a b',
];

/** Exchanges as a recorder writes them, one of each kind that is replayed differently. */
const EXCHANGES: readonly Record<string, unknown>[] = [
  {
    operation: 'get',
    request: { method: 'GET', path: '/api/v1/interns/$intern.1', headers: { authorization: 'Bearer $api_key' } },
    status: 200,
    headers: JSON_TYPE,
    body: { id: '$intern.1', created_at: '$time' },
  },
  {
    operation: 'list',
    request: { method: 'GET', path: '/api/v1/interns?limit=2&limit=3', headers: {} },
    status: 200,
    headers: JSON_TYPE,
    body: { data: [{ id: '$intern.1' }] },
  },
  {
    operation: 'create',
    request: {
      method: 'POST',
      path: '/api/v1/interns',
      headers: { ...JSON_TYPE, 'idempotency-key': '$idempotency_key.1' },
      body: { name: 'a' },
    },
    status: 201,
    headers: JSON_TYPE,
    body: { id: '$intern.1' },
  },
  {
    operation: 'chat',
    request: {
      method: 'POST',
      path: '/api/v1/interns/$intern.1/chat/completions',
      headers: JSON_TYPE,
      body: { stream: true, messages: [{ role: 'user', content: 'a' }] },
    },
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    writes: [
      { at: 1, text: 'data: {"id":"$completion.1"}\n\n' },
      { at: 5, text: 'data: [DONE]\n\n' },
    ],
  },
  {
    operation: 'sign',
    request: {
      method: 'POST',
      path: '/api/v1/interns/$intern.1/daemon/sign',
      headers: JSON_TYPE,
      body: { method: 'GET', path: '/' },
    },
    status: 200,
    headers: JSON_TYPE,
    body: { signature: '$signature.1', digest: '$digest.1' },
  },
  {
    operation: null,
    request: { method: 'GET', path: '/$intern.1/x', headers: {} },
    status: null,
    headers: {},
    ended: 'broken',
  },
  {
    operation: 'get',
    request: { method: 'GET', path: '/api/v1/interns/$intern.1', headers: {} },
    status: 304,
    headers: {},
    body_base64: 'AAAA',
  },
];

const aliased = fc
  .array(fc.oneof(fc.constantFrom(...ALIASES), fc.constantFrom('a', ' ', '/', 'x'.repeat(300))), { maxLength: 12 })
  .map((parts) => parts.join(''));
const manyAliases = fc
  .tuple(fc.constantFrom(...ALIASES), fc.constantFrom('', 'a', '-'), fc.constantFrom(20, 400, 8_000))
  .map(([alias, between, count]) => (alias + between).repeat(count));
const text = fc.oneof(
  { weight: 3, arbitrary: aliased },
  { weight: 1, arbitrary: manyAliases },
  { weight: 2, arbitrary: oddText },
);

/** A recorded exchange with some of its texts replaced, partly by what a recorder would never write. */
const bent = (exchange: Record<string, unknown>): fc.Arbitrary<unknown> => {
  const request = exchange.request as Record<string, unknown>;
  const headers = fc.dictionary(
    fc.constantFrom(...HEADERS),
    fc.oneof(text, fc.constantFrom('a\r\nb: c', 'text/html')),
    { maxKeys: 3, noNullPrototype: true },
  );
  const written = fc.array(fc.record({ at: fc.nat(2_000), text }), { maxLength: 4 });
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(exchange) },
    {
      weight: 4,
      arbitrary: text.map((path) => ({ ...exchange, request: { ...request, path: `/api/v1/interns/${path}` } })),
    },
    { weight: 3, arbitrary: text.map((body) => ({ ...exchange, request: { ...request, body } })) },
    { weight: 2, arbitrary: text.map((body) => ({ ...exchange, body })) },
    {
      weight: 3,
      arbitrary: headers.map((more) => ({ ...exchange, headers: { ...(exchange.headers as object), ...more } })),
    },
    {
      weight: 1,
      arbitrary: headers.map((more) => ({
        ...exchange,
        request: { ...request, headers: { ...(request.headers as object), ...more } },
      })),
    },
    { weight: 2, arbitrary: fc.integer({ min: 99, max: 600 }).map((status) => ({ ...exchange, status })) },
    { weight: 2, arbitrary: written.map((writes) => ({ ...exchange, writes })) },
    { weight: 4, arbitrary: changed(exchange) },
  );
};

const exchange = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...EXCHANGES).chain(bent) },
  { weight: 1, arbitrary: fromSchema(schema, schema) },
);

/** Lines in the place of a recorder's lines. */
const line = fc
  .tuple(exchange, fc.constantFrom(null, 'one', 'One', '__proto__'), fc.constantFrom(0, 1, 2))
  .map(([one, scenario, again]) => (at: number) => {
    const placed = isRecord(one) ? { format: 1, n: at + 1 - again, scenario, at, ended: 'complete', ...one } : one;
    return JSON.stringify(placed) ?? 'null';
  });

/** The text of a recording's file. */
export const recordingText: fc.Arbitrary<string> = fc
  .array(line, { minLength: 1, maxLength: 5 })
  .map((lines) => lines.map((one, at) => `${one(at)}\n`).join(''))
  .chain((whole) => fc.oneof({ weight: 3, arbitrary: fc.constant(whole) }, { weight: 2, arbitrary: spoilt(whole) }));
