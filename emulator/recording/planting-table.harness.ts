import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { Planted } from './planting.harness.js';

/** Names of fields for credentials. */
const NAMES = [
  ...[
    'token',
    'accessToken',
    'access_token',
    'access-token',
    'ACCESS_TOKEN',
    'AccessToken',
    'accesstoken',
    'oAuthToken',
  ],
  ...['tokens', 'refreshTokens', 'refresh_token', 'id_token', 'session_token', 'token1', 'bearer', 'jwt', 'auth.token'],
  ...[
    'clientSecret',
    'client_secret',
    'CLIENT-SECRET',
    'secret',
    'secrets',
    'signing_secret',
    'secretKey',
    'privateKey',
  ],
  ...['apiKey', 'APIKey', 'api_key', 'apikey', 'x-api-key', 'API_KEY', 'key', 'keys', 'master_key', 'serviceKey'],
  ...['password', 'passwd', 'pwd', 'userPassword', 'passphrase', 'credentials', 'credential', 'authorization'],
  ...['codeVerifier', 'device_code', 'client_assertion', 'otp'],
];

const CODINGS: readonly (readonly [coding: string | undefined, encode: (bytes: Uint8Array) => Uint8Array])[] = [
  [undefined, (bytes) => bytes],
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
  ['identity, gzip', gzipSync],
  ['gzip, br', (bytes) => brotliCompressSync(gzipSync(bytes))],
];

const json = (value: unknown) => JSON.stringify(value);
const form = (name: string, secret: string) => new URLSearchParams({ a: '1', [name]: secret, b: '2' }).toString();

/** Forms of a text that names a secret. */
const SHAPES: readonly ((name: string, secret: string) => string)[] = [
  (name, secret) => json({ [name]: secret }),
  (name, secret) => json({ a: 1, data: [{ [name]: secret, b: 'c' }] }),
  (name, secret) => json({ [name]: ['a', secret] }),
  (name, secret) => json({ [name]: { value: secret, type: 'bearer' } }),
  (name, secret) => json({ [name]: [{ a: { b: [secret] } }] }),
  (name, secret) => JSON.stringify({ [name]: secret, a: [1, 2] }, null, 2),
  (name, secret) => json({ a: 1, [name]: secret, b: [1] }).slice(0, -4),
  (name, secret) => json({ a: json({ [name]: secret }) }),
  (name, secret) => json({ a: json({ b: json({ [name]: secret }) }) }),
  (name, secret) => `it said ${json({ [name]: secret })} and left`,
  (name, secret) => json({ content: `it said ${json({ [name]: secret })} and left` }),
  (name, secret) => `{"\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}":${json(secret)}}`,
  (name, secret) => encodeURIComponent(json({ [name]: secret })),
  (name, secret) => form(name, secret),
  (name, secret) => json({ url: `https://app.test/?${form(name, secret)}` }),
  (name, secret) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${secret}\r\n--x--\r\n`,
  (name, secret) => `a: b\n${name.replaceAll('.', '_')}: ${secret}\nc: d\n`,
];

const ID = '0b000000-0000-4000-8000-000000000001';
const UPDATE = { method: 'PATCH', path: `/api/v1/interns/${ID}` };
const CHAT = { method: 'POST', path: `/api/v1/interns/${ID}/chat/completions` };
const JSON_TYPE = 'application/json';

/** The sides of an exchange that may hold a text. */
const SIDES: readonly ((text: string, coding: (typeof CODINGS)[number]) => Planted)[] = [
  (text, [coding, encode]) => ({
    ...UPDATE,
    requestHeaders: { 'content-type': JSON_TYPE, ...(coding && { 'content-encoding': coding }) },
    requestBody: encode(Buffer.from(text)),
  }),
  (text, [coding, encode]) => ({
    ...UPDATE,
    headers: { 'content-type': JSON_TYPE, ...(coding && { 'content-encoding': coding }) },
    writes: [{ at: 1, bytes: encode(Buffer.from(text)) }],
  }),
  (text, [coding, encode]) => ({
    ...CHAT,
    headers: { 'content-type': 'text/event-stream', ...(coding && { 'content-encoding': coding }) },
    writes: [{ at: 1, bytes: encode(Buffer.from(`data: ${text.replaceAll(/\r?\n/g, '\ndata: ')}\n\n`)) }],
  }),
];

/** Every name in every shape, on every side, in every coding: 19,176 ways to give a secret away. */
export const TABLE: readonly ((secret: string) => readonly [what: string, planted: Planted])[] = NAMES.flatMap((name) =>
  SHAPES.flatMap((shape, number) =>
    SIDES.flatMap((side, which) =>
      CODINGS.map((coding): (typeof TABLE)[number] => (secret) => [
        `${name}, shape ${number}, side ${which}, ${coding[0]}`,
        side(shape(name, secret), coding),
      ]),
    ),
  ),
);
