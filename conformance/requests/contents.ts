import { internPath } from '../probe/request.js';
import { sha256 } from '../rules/proofs.js';
import { DIGEST, JSON_TYPE, padded, pieces } from './operations.js';
import { alike, bads, type Ground, ours, type Value, v } from './value.js';
import { secretName } from './vault.js';

export const json = (name: string, value: unknown | ((ground: Ground) => unknown)): Value =>
  v(name, (ground) => ({ json: typeof value === 'function' ? (value as (ground: Ground) => unknown)(ground) : value }));
export const raw = (name: string, body: string): Value => v(name, () => ({ body, headers: JSON_TYPE }));
export const CAP = 1_048_576;
const PIECE = 65_536;
/** A body of `bytes` bytes: white space follows the JSON. */
export const sized = (name: string, bytes: number, value: (ground: Ground) => unknown): Value =>
  v(name, (ground) => ({
    body: JSON.stringify(value(ground)).padEnd(bytes, ' '),
    headers: JSON_TYPE,
  }));
/** Bodies with one byte too many: with a length, and in chunks without one. */
export const tooLarge = (value: (ground: Ground) => unknown): readonly Value[] =>
  alike(
    'too large',
    sized('too large', CAP + 1, value),
    v('too large, in pieces', (ground) => ({
      body: pieces(padded(value(ground), CAP + 1), PIECE),
      headers: JSON_TYPE,
    })),
  );
/** Bodies that are no JSON object. */
export const NO_OBJECTS = alike(
  'no object',
  raw('half an object', '{"name":'),
  raw('an object and more', '{} {}'),
  raw('single quotes', "{'name': 'a'}"),
  raw('a comma at the end', '{"name": "a",}'),
  raw('a list', '[]'),
  raw('null', 'null'),
  raw('a text', '"x"'),
  raw('a number', '7'),
  raw('true', 'true'),
  raw('a list of an object', '[{}]'),
  raw('a text of an object', '"{}"'),
);

export const type = (name: string, value: string | undefined): Value =>
  v(name, () => ({ headers: { 'content-type': value } }));
export const TYPES: readonly Value[] = [
  v('application/json', () => ({})),
  type('with a charset', 'application/json; charset=utf-8'),
  type('in capitals', 'Application/JSON'),
  type('with a quoted charset', 'application/json; charset="UTF-8"'),
  type('with other parameters', 'APPLICATION/JSON ; a=b; c=d'),
  ...alike(
    'media type',
    type('text/plain', 'text/plain'),
    type('a form', 'application/x-www-form-urlencoded'),
    type('none', undefined),
    type('text/json', 'text/json'),
    type('a suffix of JSON', 'application/vnd.api+json'),
    type('a merge patch', 'application/merge-patch+json'),
    type('a list of JSON', 'application/x-ndjson'),
    type('application/jsonx', 'application/jsonx'),
    type('multipart', 'multipart/form-data; boundary=application/json'),
    type('JSON as a parameter', 'text/plain; type=application/json'),
    type('application/x-json', 'application/x-json'),
    type('octets', 'application/octet-stream'),
    type('no more than json', 'json'),
  ),
];

/** Each media type, for operations that ignore it. */
export const ANY_TYPE: readonly Value[] = TYPES.flatMap(({ name, make }, at) =>
  at === 0 ? v(name, make) : ours(v(name, make)),
);

export const created =
  (more: Record<string, unknown> = {}) =>
  ({ ctx }: Ground) =>
    ctx.interns.body(more);
export const without = (key: string) => (ground: Ground) => {
  const { [key]: _, ...rest } = created()(ground);
  return rest;
};
export const renamed = (change: (name: string) => unknown) => (ground: Ground) => {
  const body = created()(ground);
  return { ...body, name: change(body.name) };
};
export const long = (length: number, unit = 'a') => unit.repeat(length);
/** Ids of requests: those that answers echo, and others. */
export const REQUEST_IDS: readonly Value[] = [
  v('no id of the request', () => ({})),
  ...['A', '._:-', 'a0Z'.repeat(42), long(127), long(128), '', long(129), long(300), ...'/ ,;"@+=~#%<|?$'].map(
    (id, at) =>
      v(`the id ${id.slice(0, 9)} of ${id.length}`, () => ({ headers: { 'x-request-id': at < 6 ? id : `a${id}x` } })),
  ),
].map((value, at) => (at === 0 ? value : (ours(value)[0] ?? value)));

/** The changes that make a name of 15 to 17 characters one that no intern can have. */
export const BAD_NAMES: readonly (readonly [string, (name: string) => string])[] = [
  ['capitals', (name) => `${name.slice(0, 16)}A`],
  ['a capital first', (name) => `Q${name.slice(1)}`],
  ['a hyphen at the end', (name) => `${name.slice(0, 16)}-`],
  ['a hyphen first', (name) => `-${name.slice(0, 16)}`],
  ['two hyphens', (name) => `${name.slice(0, 13)}--a`],
  ['an underscore', (name) => `${name.slice(0, 14)}_a`],
  ['a dot', (name) => `${name.slice(0, 14)}.a`],
  ['18 characters', (name) => name.padEnd(18, 'x')],
  ['200 characters', (name) => name.padEnd(200, 'x')],
  ['a space in the name', (name) => `${name.slice(0, 14)} a`],
  ['a space after the name', (name) => `${name.slice(0, 16)} `],
  ['a space before the name', (name) => ` ${name.slice(0, 16)}`],
  ['a line end after the name', (name) => `${name.slice(0, 16)}\n`],
  ['a letter beyond ASCII', (name) => `${name.slice(0, 16)}é`],
  ['a digit first', (name) => `1${name.slice(1)}`],
];
/** Values that name no model. */
export const BAD_MODELS: readonly (readonly [string, unknown])[] = [
  ['a model without a slug', 'author'],
  ['an empty model', ''],
  ['a model without an author', '/slug'],
  ['a model with an empty slug', 'author/'],
  ['a model of three parts', 'author/slug/more'],
  ['a model with an empty variant', 'author/slug:'],
  ['a model with a space', 'author/slug variant'],
  ['a space before a model', ' author/slug'],
  ['a line end after a model', 'author/slug\n'],
  ['a number for a model', 7],
  ['a list for a model', ['author/slug']],
];
/** The longest text by code points, of two code units each. Longer ones would fill every list. */
export const FULL = { description: long(2000, '😀') };
/** Texts that must come back unchanged. */
export const BLANKS = '  two blanks around  ';
export const ODD = 'e\u0301 \u00e9 \u200d \ud83d\ude00 <b>&amp;</b> %41 \\n \t "q" \u2028';
/** Fields that no create or update accepts. */
export const NOT_TAKEN: readonly string[] = ['created_at', 'hostname', 'vaultId', 'Description', 'x-colour'];

export const said =
  (more: Record<string, unknown> = {}) =>
  ({ ctx }: Ground) => ({
    messages: [{ role: 'user', content: ctx.prompt('echo') }],
    stream: true,
    ...more,
  });
export const says =
  (content: unknown, more: Record<string, unknown> = {}) =>
  () => ({
    messages: [{ role: 'user', content }],
    stream: true,
    ...more,
  });
export const tool =
  (id: string, more: Record<string, unknown> = {}) =>
  () => ({
    messages: [{ role: 'tool', tool_call_id: id, content: 'allow_once' }],
    stream: true,
    ...more,
  });

const ROUTE = { method: 'POST', path: '/api/invoke' };
const routed = (name: string, route: unknown): Value => json(name, { bodySha256: DIGEST, route });
const digest = (name: string, bodySha256: unknown): Value => json(name, { bodySha256 });
/** A new digest, with or without a route. */
const signed = (name: string, more: Record<string, unknown> = {}): Value =>
  json(name, ({ ctx }: Ground) => ({ bodySha256: sha256(String(ctx.random())), ...more }));
export const SIGNED: readonly Value[] = [
  signed('a digest'),
  signed('a digest for a route', { route: ROUTE }),
  signed('a digest for an encoded path', { route: { method: 'POST', path: '/api/%7Bx%7D/%79%2D1' } }),
  v('a digest, and who signs', ({ ctx }) => ({
    json: { bodySha256: sha256(String(ctx.random())), user: 'somebody', 'x-svc-invoke-user': 'somebody' },
    headers: { 'x-svc-invoke-user': 'somebody' },
  })),
  signed('a digest for a path with a slash at its end', { route: { method: 'POST', path: '/api/invoke/' } }),
  signed('a digest for a route, and more', { route: { ...ROUTE, query: 'x=1', origin: 'https://x.test' } }),
  signed('a digest, and when', { timestamp: '1000000000', nonce: 'mine' }),
  sized('as large as may be', CAP, () => ({ bodySha256: DIGEST })),
  ...bads(
    digest('63 digits', DIGEST.slice(1)),
    digest('65 digits', `${DIGEST}0`),
    digest('capitals', DIGEST.toUpperCase()),
    digest('Base64', Buffer.from(DIGEST, 'hex').toString('base64')),
    digest('one capital', DIGEST.replace('e', 'E')),
    digest('no hex', DIGEST.replace('e', 'g')),
    digest('white space', ` ${DIGEST}`),
    digest('a line end', `${DIGEST}\n`),
    digest('a number', 7),
    digest('null', null),
    digest('a list', [DIGEST]),
    digest('an empty text', ''),
    ...ours(digest('an object', {}), digest('true', true)),
    digest('a prefix', `sha256:${DIGEST}`),
    digest('colons between', DIGEST.match(/../g)?.join(':')),
    json('no digest', { route: ROUTE }),
    raw('nothing at all', ''),
    json('nothing', {}),
    routed('null for a route', null),
    routed('a text for a route', '/api/invoke'),
    routed('a route without a path', { method: 'POST' }),
    routed('a route without a method', { path: '/api/invoke' }),
    routed('post', { method: 'post', path: '/api/invoke' }),
    routed('two slashes', { method: 'POST', path: '//api/invoke' }),
    routed('no slash', { method: 'POST', path: 'api/invoke' }),
    routed('an origin', { method: 'POST', path: 'https://x.test/api' }),
    routed('a query', { method: 'POST', path: '/api?x=1' }),
    routed('a fragment', { method: 'POST', path: '/api#x' }),
    routed('white space in a path', { method: 'POST', path: '/api invoke' }),
    ...['', '/é', '/a%', '*', null].map((path) => routed(`the path ${JSON.stringify(path)}`, { method: 'POST', path })),
    ...ours(
      ...['/api?', '/api#', '/a%zz', '/api ', ['/api']].map((path) =>
        routed(`the path ${JSON.stringify(path)}`, { method: 'POST', path }),
      ),
      ...['', ['POST']].map((method) =>
        routed(`the method ${JSON.stringify(method)}`, { method, path: '/api/invoke' }),
      ),
    ),
    ...['PURGE', 'POST ', 7].map((method) =>
      routed(`the method ${JSON.stringify(method)}`, { method, path: '/api/invoke' }),
    ),
    ...tooLarge(() => ({ bodySha256: DIGEST })),
  ),
  ...NO_OBJECTS,
];

/** A media type without a body, which is harmless. */
export const DECLARED = v('no body, declared as JSON', () => ({ headers: { 'content-type': 'application/json' } }));

export const NO_FIELDS: readonly Value[] = [
  v('no body', () => ({})),
  DECLARED,
  json('an empty object', {}),
  ...ours(raw('a blank', ' '), raw('a line end', '\n'), raw('an object among blanks', '\t {} \r\n')),
  ...ours(...tooLarge(() => ({}))),
  ...alike(
    'no fields',
    json('a field', { force: true }),
    v('a field of no type', () => ({ json: { force: true }, headers: { 'content-type': undefined } })),
    json('an empty field', { provision: null }),
    json('a field of the record', { name: 'ada' }),
    json('a field of a create', { workspace_id: null }),
    json('a field without a name', { '': null }),
    json('two fields', { a: 1, b: 2 }),
    raw('a list', '[]'),
    raw('null', 'null'),
    ...ours(...NO_OBJECTS.filter(({ name }) => !['a list', 'null'].includes(name))),
  ),
  ...alike(
    'media type',
    v('an empty object as text', () => ({ body: '{}', headers: { 'content-type': 'text/plain' } })),
    v('a form', () => ({ body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } })),
    v('an empty object of no type', () => ({ json: {}, headers: { 'content-type': undefined } })),
  ),
];

/** Pages of a list of secrets. */
export const PAGES: readonly Value[] = [
  v('all', () => ({})),
  v('one', () => ({ query: { limit: 1 } })),
  v('but the first', () => ({ query: { offset: 1 } })),
  ...alike(
    'no page',
    v('none', () => ({ query: { limit: 0 } })),
    v('one more than may be', () => ({ query: { limit: 101 } })),
    v('no number', () => ({ query: { offset: 'x' } })),
    v('fewer than none', () => ({ query: { offset: -1 } })),
    v('an offset beyond all', () => ({ query: { offset: 10_001 } })),
  ),
];
export const hostNames = (count: number) => Array.from({ length: count }, (_, at) => `h${at}.example.com`);
export const NEVER_SAID = 'zq-3368-vd';
/** A secret of a name. */
export const secretNamed = (name: string, text: string): Value =>
  v(name, ({ id }) => ({
    path: `/vault${internPath(id, `/secrets/${text}`)}`,
    json: { value: NEVER_SAID, hosts: ['example.com'] },
  }));
export const unfitName = (name: string, text: string): Value => secretNamed(`a name with ${name}`, text);

/** Names to copy. Only the run can have secrets of these names, because it touches no others. */
export const names = (
  name: string,
  make: (one: string) => readonly string[],
  more: Record<string, unknown> = {},
): Value => json(name, ({ ctx }: Ground) => ({ names: make(secretName(ctx)), ...more }));
