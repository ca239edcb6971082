import {
  brotliCompressSync,
  brotliDecompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gunzipSync,
  gzipSync,
  inflateRawSync,
  inflateSync,
} from 'node:zlib';
import { SPELLINGS } from '../credentials/spellings.harness.js';
import type { RawExchange } from './exchange.js';

/** Changes to an exchange that plant a secret in it. */
export type Planted = Partial<Omit<RawExchange, 'n'>>;

const INTERN = '0b000000-0000-4000-8000-000000000001';
const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };
const STREAM_TYPE = { 'content-type': 'text/event-stream' };

export const plain: Omit<RawExchange, 'n'> = {
  scenario: null,
  at: 0,
  method: 'POST',
  path: `/api/v1/interns/${INTERN}`,
  requestHeaders: JSON_TYPE,
  requestBody: new Uint8Array(),
  status: 200,
  headers: JSON_TYPE,
  writes: [],
  ended: 'complete',
};

const write = (text: string | Uint8Array, at = 1) => ({ at, bytes: Buffer.from(text as string) });
const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const inHeader = (name: string, value: string): Planted => ({ requestHeaders: { ...JSON_TYPE, [name]: value } });
const sent = (body: string | Uint8Array, headers: Record<string, string> = JSON_TYPE): Planted => ({
  requestBody: Buffer.from(body as string),
  requestHeaders: headers,
});
const answered = (body: string | Uint8Array, headers: Record<string, string> = JSON_TYPE): Planted => ({
  writes: [write(body)],
  headers,
});
const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const delta = (said: object) => event({ object: 'chat.completion.chunk', choices: [{ delta: said }] });
const inThree = (text: string): [string, string, string] => {
  const [a, b] = [Math.floor(text.length / 3), Math.floor((2 * text.length) / 3)];
  return [text.slice(0, a), text.slice(a, b), text.slice(b)];
};
const form = (name: string, secret: string) =>
  new URLSearchParams([
    ['a', '1'],
    [name, secret],
    ['b', 'x y'],
  ]).toString();

/** Whether a header can carry a secret unescaped. */
export const fitsHeader = (secret: string): boolean => /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(secret);

/** Names that credentials are sent under. */
const NAMES = ['token', 'accessToken', 'access_token', 'client-secret', 'clientSecret', 'API_KEY', 'password', 'jwt'];

type Place = (secret: string) => Planted;

const ofNames = (what: string, place: (name: string) => Place): [string, Place][] =>
  NAMES.map((name) => [`${what} ${name}`, place(name)]);

const CODINGS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  'raw deflate': deflateRawSync,
  br: brotliCompressSync,
  'identity, gzip': gzipSync,
  'gzip, gzip': (bytes) => gzipSync(gzipSync(bytes)),
  'gzip, br': (bytes) => brotliCompressSync(gzipSync(bytes)),
  'cut gzip': (bytes) => gzipSync(bytes).subarray(0, -9),
  'corrupt gzip': (bytes) => Buffer.concat([gzipSync(bytes), Buffer.from('after it')]),
  'gzip, zstd': gzipSync,
  zstd: gzipSync,
  'gzip that nobody names': gzipSync,
};

const codingOf = (name: string) => name.replace(/^(?:raw|cut|corrupt) | that nobody names$/g, '');

/** A text, and then a byte that is not UTF-8. */
const notUtf8 = (text: string) => Buffer.concat([Buffer.from(text), Buffer.from('\n\xff', 'latin1')]);

const CHAT = `/api/v1/interns/${INTERN}/chat/completions`;
const prompt = (content: string): Planted => ({ ...sent(json({ messages: [{ role: 'user', content }] })), path: CHAT });
/** Fields of the interface that hold any text. */
const FREE_TEXT: Readonly<Record<string, Place>> = {
  'in a description': (text) => ({ ...sent(json({ description: text })), method: 'PATCH' }),
  'in a prompt of a chat': (text) => prompt(`use ${text}, please`),
  'in an input': (text) => ({ ...sent(json({ input: text })), path: `/api/v1/interns/${INTERN}/invoke` }),
  'in the message of an error': (text) => ({ ...answered(json({ error: { message: `no ${text}` } })), method: 'GET' }),
  'in an event of a chat': (text) => ({ ...answered(delta({ content: `it is ${text}` }), STREAM_TYPE), path: CHAT }),
  'over deltas of a chat': (text) => ({
    ...answered(
      inThree(`it is ${text}`)
        .map((content) => delta({ content }))
        .join(''),
      STREAM_TYPE,
    ),
    path: CHAT,
  }),
};

/** Places that show that their value is a secret, such as a header for keys. */
export const REVEALING: Readonly<Record<string, Place>> = {
  'as a bearer token': (secret) => inHeader('authorization', `Bearer ${secret}`),
  'as Basic': (secret) => inHeader('authorization', `Basic ${Buffer.from(`alice:${secret}`).toString('base64')}`),
  'in a header of a key': (secret) => inHeader('x-api-key', secret),
  'in a header of a token': (secret) => inHeader('x-goog-iam-authorization-token', secret),
  'in a header of the answer': (secret) => ({ headers: { ...JSON_TYPE, 'x-access-token': secret } }),
  'in a query by code': (secret) => ({ path: `/api/v1/interns?code=${encodeURIComponent(secret)}` }),
  'in a form by code': (secret) => sent(form('code', secret), FORM_TYPE),
  'in a form without its type': (secret) => sent(form('client_secret', secret), {}),
  'in a location': (secret) => ({ headers: { location: `https://app.test/?code=${encodeURIComponent(secret)}` } }),
  'in a code beside a client': (secret) => sent(json({ client_id: 'app', code: secret })),
  'in a list': (secret) => answered(json({ tokens: ['a', secret] })),
  'in an object': (secret) => answered(json({ token: { value: secret, type: 'bearer' } })),
  'in objects in lists': (secret) => answered(json({ credentials: [{ a: { b: [secret] } }] })),
  'in JSON that is cut': (secret) => answered(JSON.stringify({ a: 1, token: secret, b: [1] }).slice(0, -4)),
  'in JSON in JSON': (secret) => sent(json({ input: JSON.stringify({ accessToken: secret }) })),
  'in JSON in a text': (secret) => answered(`it said {"apiKey": ${JSON.stringify(secret)}} and left`, {}),
  'under an escaped name': (secret) => answered(`{"acc\\u0065ssToken":${JSON.stringify(secret)}}`),
  'with a scheme': (secret) => answered(json({ authorization: `Bearer ${secret}` })),
  'in an event': (secret) => answered(`: hi\n\n${event({ token: secret })}`, STREAM_TYPE),
  'over deltas': (secret) => {
    const said = inThree(JSON.stringify({ accessToken: secret }));
    return answered(
      said.map((part) => delta({ tool_calls: [{ function: { arguments: part } }] })).join(''),
      STREAM_TYPE,
    );
  },
  'in a stored secret': (secret) => ({
    ...sent(json({ value: secret, hosts: ['a.test'] })),
    method: 'PUT',
    path: `/api/v1/vault/interns/${INTERN}/secrets/mail`,
  }),
  'in a stored secret that is no JSON': (secret) => ({
    ...sent(`{"value":${JSON.stringify(secret)},"hosts":[`),
    method: 'PUT',
    path: '/api/v1/vault/secrets/mail',
  }),
  'in JSON in a prompt': (secret) => prompt(`it said {"apiKey": ${JSON.stringify(secret)}} and left`),
  'in arguments over deltas of a chat': (secret) => ({
    ...answered(
      inThree(JSON.stringify({ accessToken: secret }))
        .map((part) => delta({ tool_calls: [{ function: { arguments: part } }] }))
        .join(''),
      STREAM_TYPE,
    ),
    path: CHAT,
  }),
  'in a part of a form': (secret) =>
    sent(`--x\r\nContent-Disposition: form-data; name="clientSecret"\r\n\r\n${secret}\r\n--x--\r\n`, {
      'content-type': 'multipart/form-data; boundary=x',
    }),
  'in bytes': (secret) => sent(notUtf8(JSON.stringify({ token: secret }))),
  'in a list in bytes': (secret) => answered(notUtf8(JSON.stringify({ tokens: ['a', secret] }))),
  'in a form in bytes': (secret) => sent(notUtf8(form('accessToken', secret)), FORM_TYPE),
  'in a stream of bytes': (secret) => answered(notUtf8(event({ clientSecret: secret })), STREAM_TYPE),
  'in a cookie of a body': (secret) => sent(json({ sessionCookie: secret })),
  ...Object.fromEntries([
    ...Object.entries(CODINGS)
      .filter(([name]) => !/zstd|nobody/.test(name))
      .flatMap(([name, encode]): [string, Place][] => {
        const coding = { ...JSON_TYPE, 'content-encoding': codingOf(name) };
        const body = (secret: string) => encode(json({ tokens: [{ value: secret }], z: 'and so on, and on' }));
        return [
          [`in an answer in ${name}`, (secret) => answered(body(secret), coding)],
          [`in a request in ${name}`, (secret) => sent(body(secret), coding)],
        ];
      }),
    ...ofNames('in a query by', (name) => (secret) => ({
      path: `/api/v1/interns?a=1&${name}=${encodeURIComponent(secret)}`,
    })),
  ]),
};

/** Those of them whose secret must fit a header. */
export const IN_HEADERS: ReadonlySet<string> = new Set([
  'as a bearer token',
  'in a header of a key',
  'in a header of a token',
  'in a header of the answer',
]);

/** Places that do not show that their text contains a secret. */
export const HIDING: Readonly<Record<string, Place>> = {
  ...FREE_TEXT,
  'in a segment of the path': (text) => ({ path: `/api/v1/interns/${encodeURIComponent(text)}/chat/completions` }),
  'in a query': (text) => ({ path: `/api/v1/interns?note=${encodeURIComponent(text)}&limit=1` }),
  'in a query with plus signs': (text) => ({ path: `/api/v1/interns?${form('note', text)}` }),
  'in a body': (text) => sent(json({ name: text })),
  'in a prompt': (text) => sent(json({ messages: [{ role: 'user', content: `use ${text}, please` }] })),
  'as a name in a body': (text) => sent(json({ [text]: { a: 1 } })),
  'in a form': (text) => sent(form('note', text), FORM_TYPE),
  'in a text': (text) => sent(`so: ${text}.`, { 'content-type': 'text/plain' }),
  'in a text with quotes': (text) => sent(`so "${text}" or "so`, { 'content-type': 'text/plain' }),
  'in bytes': (text) => sent(Buffer.from(`\xff and then ${Buffer.from(text).toString('latin1')} \xfe of it`, 'latin1')),
  'in UTF-16': (text) => sent(Buffer.from(`so: ${text}.`, 'utf16le'), { 'content-type': 'text/plain; charset=utf-16' }),
  'in an answer': (text) => answered(json({ error: { message: `no ${text} here` } })),
  'in an answer that is cut': (text) => ({ ...answered(`{"message":"no ${text}`), ended: 'broken' }),
  'in deep JSON': (text) => answered(`${'['.repeat(1_500)}${JSON.stringify(text)}${']'.repeat(1_500)}`),
  'in an event': (text) => answered(event({ choices: [{ delta: { content: `it is ${text}` } }] }), STREAM_TYPE),
  'in a comment of a stream': (text) => answered(`: ${text.replaceAll(/[\r\n]/g, '')}\n\n`, STREAM_TYPE),
  'over deltas': (text) =>
    answered(
      inThree(`it is ${text}`)
        .map((content) => delta({ content }))
        .join(''),
      STREAM_TYPE,
    ),
  'over writes': (text) => ({
    headers: STREAM_TYPE,
    writes: inThree(event({ choices: [{ delta: { content: `${text}!` } }] })).map((part, at) => write(part, at)),
  }),
  'over writes that are no UTF-8': (text) => ({
    headers: STREAM_TYPE,
    writes: inThree(
      Buffer.from(`data: \xff this is ${Buffer.from(text).toString('latin1')}`, 'latin1').toString('latin1'),
    ).map((part, at) => write(Buffer.from(part, 'latin1'), at)),
  }),
  ...Object.fromEntries(
    Object.entries(CODINGS).flatMap(([name, encode]): [string, Place][] => {
      const coding = name.endsWith('nobody names') ? undefined : { 'content-encoding': codingOf(name) };
      const body = (text: string) => encode(json({ a: 'interns', name: text, z: 'and so on, and on' }));
      const deflated = (text: string) => encode(Buffer.from(event({ choices: [{ delta: { content: text } }] })));
      return [
        [`in an answer in ${name}`, (text) => answered(body(text), { ...JSON_TYPE, ...coding })],
        [`in a request in ${name}`, (text) => sent(body(text), { ...JSON_TYPE, ...coding })],
        [`in a stream in ${name}`, (text) => answered(deflated(text), { ...STREAM_TYPE, ...coding })],
      ];
    }),
  ),
};

/** Recorded headers. Only secrets that fit a header go into them. */
export const HIDING_HEADERS: Readonly<Record<string, Place>> = {
  'in an idempotency key': (text) => inHeader('idempotency-key', `k-${text}`),
  'in last-event-id': (text) => inHeader('last-event-id', text),
  'in a media type': (text) => inHeader('content-type', `application/json; note="${text}"`),
  'in a link': (text) => ({ headers: { ...JSON_TYPE, link: `<https://a.test/?a=${text}>; rel="next"` } }),
  'in a location': (text) => ({ headers: { ...JSON_TYPE, location: `/api/v1/${text}` } }),
  'in a cache control': (text) => ({ headers: { ...JSON_TYPE, 'cache-control': text } }),
};

/** Spellings of a secret in a text. */
export const SPELLED: Readonly<Record<string, (secret: string) => string>> = {
  ...SPELLINGS,
  'in short escapes': (secret) => JSON.stringify(secret).slice(1, -1),
  'as forms have it': (secret) => new URLSearchParams({ a: secret }).toString().slice(2),
  'in JSON, percent-encoded': (secret) => encodeURIComponent(JSON.stringify({ a: secret })),
};

const fromCode = (_all: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16));
const UNESCAPED: readonly ((text: string) => string)[] = [
  (text) => text.replace(/%([0-9a-f]{2})/gi, fromCode),
  (text) =>
    text.replace(/\\u([0-9a-f]{4})|\\(.)/gi, (all, hex, one) =>
      hex === undefined ? ({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }[one as string] ?? one) : fromCode(all, hex),
    ),
];

/** The contents of compressed bytes. Most bytes are not compressed: errors have no stack here, as that is slow. */
function inflated(bytes: Buffer): string[] {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const texts = [
    () => gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }),
    () => inflateSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }),
    () => inflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }),
    () => brotliDecompressSync(bytes, { finishFlush: constants.BROTLI_OPERATION_FLUSH }),
  ].flatMap((read) => {
    try {
      return [read().toString('latin1')];
    } catch {
      return [];
    }
  });
  Error.stackTraceLimit = stackTraceLimit;
  return texts;
}

/** The texts that a run of Base64 may hold: at any alignment, and inflated. */
function* decodingsOf(run: string): Generator<string> {
  for (const skip of [0, 1, 2, 3]) yield Buffer.from(run.slice(skip), 'base64').toString('latin1');
  yield* inflated(Buffer.from(run, 'base64'));
}

/** Every reading of a text, its escapes undone in any order, and the contents of Base64 in it. */
function readingsOf(text: string, known: Map<string, readonly string[]>): Set<string> {
  const seen = new Set([text]);
  for (const one of seen) for (const undo of UNESCAPED) if (seen.size < 40) seen.add(undo(one));
  for (const one of [...seen])
    for (const [run] of one.matchAll(/[A-Za-z0-9+/_-]{10,}={0,2}/g)) {
      const decodings = known.get(run) ?? [...decodingsOf(run)];
      known.set(run, decodings);
      for (const decoding of decodings) seen.add(decoding);
    }
  return seen;
}

/** The writes of a stream, and its deltas, as a client joins them. */
function joinedDeltas(line: string): string[] {
  const { writes = [] } = JSON.parse(line) as { writes?: { text?: string; base64?: string }[] };
  const texts = writes.map(({ text }) => text ?? '').join('');
  const bytes = writes.map(({ base64 }) => Buffer.from(base64 ?? '', 'base64').toString('latin1')).join('');
  const said = [...texts.matchAll(/"(?:content|reasoning|arguments)":("(?:[^"\\]|\\.)*")/g)];
  return [texts, bytes, said.map(([, literal = '""']) => JSON.parse(literal) as string).join('')];
}

/** The text of a file, decoded as an attacker might, that shows a secret; undefined if none does. */
export function foundIn(file: string, secret: string): string | undefined {
  const wanted = [secret, Buffer.from(secret).toString('latin1'), secret.replaceAll('$', '$$$$')];
  const forms = [...wanted, ...wanted.map((one) => one.replaceAll(' ', '+'))];
  const known = new Map<string, readonly string[]>();
  for (const line of file.split('\n').filter(Boolean)) {
    for (const text of [line, ...joinedDeltas(line)])
      for (const reading of readingsOf(text, known)) if (forms.some((form) => reading.includes(form))) return reading;
  }
  return undefined;
}
