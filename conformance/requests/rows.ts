import { BAD_HOSTS, NO_HOSTS } from '../arbitraries/host.js';
import type { Ctx, KnownIntern } from '../framework/context.js';
import { STATUSES } from '../habits/status-words.js';
import { JSON_TYPE, padded, pieces } from '../helpers/bytes.js';
import { DIGEST } from '../helpers/operations.js';
import { sha256 } from '../helpers/proofs.js';
import { secretName } from '../helpers/vault.js';
import type { OperationName } from '../model/operations.js';
import type { Send } from '../probe/request.js';

/** States of an intern that a row can ask for. */
export type State = 'stopped' | 'running' | 'suspended' | 'booting' | 'going' | 'gone' | 'unknown';

/** One value of one part of a request. */
export interface Value {
  readonly name: string;
  /** Whether it is a mistake. */
  readonly bad?: true;
  /** The name of the mistake, which values may share. Default: the name of the value. */
  readonly kind?: string;
  /** Whether its refusal precedes that of any other mistake. */
  readonly whatever?: true;
  /** Whether it is a caller who sees no intern. */
  readonly blind?: true;
  /** The needs of the value. */
  readonly needs?: readonly string[];
  /** The part of the request. */
  make(ground: Ground): Partial<Send>;
}

/** The facts that values are made from. */
export interface Ground {
  readonly ctx: Ctx;
  /** The intern that the request names. */
  readonly id: string;
  /** The run's knowledge of the intern, in a walk. */
  readonly known?: KnownIntern;
}

/** The parts of the requests of one operation: a request has one value of each. */
export interface Table {
  readonly operation: OperationName;
  readonly method: string;
  path(id: string): string;
  /** States in which the operation is accepted, and others. Without them it names no intern. */
  readonly states?: { readonly good: readonly State[]; readonly bad: readonly State[] };
  /** Whether it uses up its intern if it is accepted. */
  readonly uses?: true;
  /** Whether it costs a prompt if it is accepted. */
  readonly prompts?: true;
  /** Callers, contents, and any other parts. The first good content has an effect. */
  readonly parts: readonly (readonly Value[])[];
}

const v = (name: string, make: Value['make'], needs?: readonly string[]): Value => ({
  name,
  make,
  ...(needs === undefined ? {} : { needs }),
});
const bad = (value: Value): Value => ({ ...value, bad: true });
const bads = (...values: readonly Value[]): readonly Value[] => values.map(bad);
const alike = (kind: string, ...values: readonly Value[]): readonly Value[] =>
  bads(...values).map((value) => ({ ...value, kind }));
const whatever = (...values: readonly Value[]): readonly Value[] =>
  bads(...values).map((value) => ({ ...value, whatever: true }));
/** Values for an emulator of ours alone. */
const ours = (...values: readonly Value[]): readonly Value[] =>
  values.map((value) => ({ ...value, needs: [...(value.needs ?? []), 'control'] }));

const as = (name: NonNullable<Send['as']> & string): Value => v(name, () => ({ as: name }), [name]);
const NOBODY = bad(v('nobody', () => ({ as: null })));
const WRONG = bad(v('a key that opens nothing', ({ ctx }) => ({ as: ctx.wrongKey })));
/** Headers without a valid credential: another scheme, an empty token, and a valid key without a scheme. */
const noBearer = (caller: NonNullable<Send['as']> & string): readonly Value[] =>
  alike(
    'no bearer',
    v('another scheme', () => ({ as: null, headers: { authorization: 'Basic a2V5Og==' } })),
    v('an empty credential', () => ({ as: null, headers: { authorization: 'Bearer ' } })),
    v('a credential without a scheme', () => ({ as: caller, present: (key) => ({ authorization: key }) }), [caller]),
  );
/** The key of a caller in a header that is no bearer token, or changed within one. */
const forms = (kind: string, changes: Readonly<Record<string, (key: string) => Record<string, string>>>) =>
  alike(kind, ...Object.entries(changes).map(([name, present]) => v(name, () => ({ present }))));
const bearer = (change: (key: string) => string) => (key: string) => ({ authorization: `Bearer ${change(key)}` });
const NO_TOKENS: readonly Value[] = [
  ...forms('no bearer', {
    'a key as Basic': (key) => ({ authorization: `Basic ${key}` }),
    'a key as Basic credentials': (key) => ({ authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` }),
    'a key as Token': (key) => ({ authorization: `Token ${key}` }),
    'a key after Bearer without a space': (key) => ({ authorization: `Bearer${key}` }),
    'no key after Bearer': () => ({ authorization: 'Bearer' }),
    'a key in x-api-key': (key) => ({ 'x-api-key': key }),
    'a key in a cookie': (key) => ({ cookie: `authorization=${key}` }),
  }),
  ...forms('another key', {
    'a key and a character': bearer((key) => `${key}x`),
    'a character and a key': bearer((key) => `x${key}`),
    'a key in another case': bearer((key) =>
      key.replace(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase())),
    ),
  }),
];
/** An intern's own key, for a request to that intern. */
const OWN = (below: string, options: Partial<Send> = {}): Value =>
  v(
    "an intern's own key, of itself",
    ({ ctx }) => ({ as: 'own_key', path: `/interns/${ctx.target.ownInternId}${below}`, ...options }),
    ['own_key'],
  );
/** A regional host, also in capitals, with a caller whom other hosts accept. */
const regional = (caller: NonNullable<Send['as']> & string): readonly Value[] => {
  const at = (name: string, change: (host: string) => string) =>
    v(name, ({ ctx }) => ({ as: caller, host: change(ctx.target.regionalHost ?? '') }), ['regional_host', caller]);
  return alike(
    'regional host',
    at('a regional host', (host) => host),
    at('a regional host in capitals', (host) => host.toUpperCase()),
    v('a regional host, and a wrong key', ({ ctx }) => ({ as: ctx.wrongKey, host: ctx.target.regionalHost ?? '' }), [
      'regional_host',
      'control',
    ]),
  );
};

/** Hosts that begin with `eu.`, and others that only contain it. A listener on loopback takes names below localhost alone. */
const HOSTS: readonly Value[] = ['eu.', 'EU.', 'Eu.', 'neu.', 'my.eu.', 'eu-x.', 'europe.'].flatMap((begin) =>
  ours({
    ...v(`the host ${begin}localhost`, ({ ctx }) => ({
      host: `${begin}localhost:${new URL(ctx.target.baseUrl).port || '80'}`,
    })),
    ...(/^eu\./i.test(begin) ? { bad: true, kind: 'regional host' } : {}),
  }),
);

const blind = (...values: readonly Value[]): readonly Value[] => values.map((value) => ({ ...value, blind: true }));
/** Callers who get 404: one outside the programme, and an intern's own key for the collection or another intern. */
const NOTHING_TO: readonly Value[] = [...whatever(as('outsider_api_key')), ...blind(...whatever(as('own_key')))];
/** Callers who see other interns, or none. */
const OTHERS: readonly Value[] = [...blind(bad(as('foreign_api_key'))), bad(as('management_key'))];
/** The callers: members of the workspace, and everybody else. */
const KEYS: readonly Value[] = [
  as('api_key'),
  as('peer_api_key'),
  NOBODY,
  WRONG,
  ...noBearer('api_key'),
  ...OTHERS,
  ...NOTHING_TO,
  ...regional('api_key'),
];
/** The callers of the vault, which is a path of its own. */
const VAULT_KEYS: readonly Value[] = KEYS.map(({ whatever: _, ...value }) => value);
const OWN_KEYS: readonly Value[] = KEYS.filter(({ name }) => name !== 'peer_api_key');
const ACCESS: readonly Value[] = [
  as('oauth_token'),
  as('oauth_interns_only_token'),
  as('peer_oauth_token'),
  NOBODY,
  WRONG,
  ...noBearer('oauth_token'),
  ...bads(as('api_key'), as('peer_api_key')),
  ...OTHERS,
  ...NOTHING_TO,
  ...regional('oauth_token'),
];
const SIGNERS: readonly Value[] = [
  as('oauth_token'),
  as('peer_oauth_token'),
  NOBODY,
  WRONG,
  ...noBearer('oauth_token'),
  ...alike('no person', as('api_key'), as('oauth_interns_only_token')),
  ...OTHERS,
  ...NOTHING_TO,
  ...regional('oauth_token'),
];

export const json = (name: string, value: unknown | ((ground: Ground) => unknown)): Value =>
  v(name, (ground) => ({ json: typeof value === 'function' ? (value as (ground: Ground) => unknown)(ground) : value }));
const raw = (name: string, body: string): Value => v(name, () => ({ body, headers: JSON_TYPE }));
const CAP = 1_048_576;
const PIECE = 65_536;
/** A body of `bytes` bytes: white space follows the JSON. */
const sized = (name: string, bytes: number, value: (ground: Ground) => unknown): Value =>
  v(name, (ground) => ({
    body: JSON.stringify(value(ground)).padEnd(bytes, ' '),
    headers: JSON_TYPE,
  }));
/** Bodies with one byte too many: with a length, and in chunks without one. */
const tooLarge = (value: (ground: Ground) => unknown): readonly Value[] =>
  alike(
    'too large',
    sized('too large', CAP + 1, value),
    v('too large, in pieces', (ground) => ({
      body: pieces(padded(value(ground), CAP + 1), PIECE),
      headers: JSON_TYPE,
    })),
  );
/** Bodies that are no JSON object. */
const NO_OBJECTS = alike(
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

const type = (name: string, value: string | undefined): Value =>
  v(name, () => ({ headers: { 'content-type': value } }));
const TYPES: readonly Value[] = [
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
const ANY_TYPE: readonly Value[] = TYPES.flatMap(({ name, make }, at) =>
  at === 0 ? v(name, make) : ours(v(name, make)),
);

export const created =
  (more: Record<string, unknown> = {}) =>
  ({ ctx }: Ground) =>
    ctx.interns.body(more);
const without = (key: string) => (ground: Ground) => {
  const { [key]: _, ...rest } = created()(ground);
  return rest;
};
const renamed = (change: (name: string) => unknown) => (ground: Ground) => {
  const body = created()(ground);
  return { ...body, name: change(body.name) };
};
const long = (length: number, unit = 'a') => unit.repeat(length);
/** Ids of requests: those that answers echo, and others. */
const REQUEST_IDS: readonly Value[] = [
  v('no id of the request', () => ({})),
  ...['A', '._:-', 'a0Z'.repeat(42), long(127), long(128), '', long(129), long(300), ...'/ ,;"@+=~#%<|?$'].map(
    (id, at) =>
      v(`the id ${id.slice(0, 9)} of ${id.length}`, () => ({ headers: { 'x-request-id': at < 6 ? id : `a${id}x` } })),
  ),
].map((value, at) => (at === 0 ? value : (ours(value)[0] ?? value)));

/** The changes that make a name of 15 to 17 characters one that no intern can have. */
const BAD_NAMES: readonly (readonly [string, (name: string) => string])[] = [
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
const BAD_MODELS: readonly (readonly [string, unknown])[] = [
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
const FULL = { description: long(2000, '😀') };
/** Texts that must come back unchanged. */
const BLANKS = '  two blanks around  ';
const ODD = 'e\u0301 \u00e9 \u200d \ud83d\ude00 <b>&amp;</b> %41 \\n \t "q" \u2028';
/** Fields that no create or update accepts. */
const NOT_TAKEN: readonly string[] = ['created_at', 'hostname', 'vaultId', 'Description', 'x-colour'];

const intern =
  (below = '') =>
  (id: string) =>
    `/interns/${encodeURIComponent(id)}${below}`;
const collection = () => '/interns';

const query = (name: string, text: string): Value => v(name, () => ({ path: `/interns${text}` }));
const inWorkspace = (name: string, rest = ''): Value =>
  v(name, ({ ctx }) => ({ path: `/interns?workspace_id=${encodeURIComponent(ctx.target.workspaceId)}${rest}` }));

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
const tool =
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
const SIGNED: readonly Value[] = [
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
    digest('an object', {}),
    digest('true', true),
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
    ...['', '/api?', '/api#', '/é', '/a%', '/a%zz', '/api ', '*', null, ['/api']].map((path) =>
      routed(`the path ${JSON.stringify(path)}`, { method: 'POST', path }),
    ),
    ...['PURGE', 'POST ', '', 7, ['POST']].map((method) =>
      routed(`the method ${JSON.stringify(method)}`, { method, path: '/api/invoke' }),
    ),
    ...tooLarge(() => ({ bodySha256: DIGEST })),
  ),
  ...NO_OBJECTS,
];

const ANY: readonly State[] = ['stopped', 'running', 'suspended'];
const NOT_THERE: readonly State[] = ['unknown', 'gone'];

/** A media type without a body, which is harmless. */
const DECLARED = v('no body, declared as JSON', () => ({ headers: { 'content-type': 'application/json' } }));

const NO_FIELDS: readonly Value[] = [
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
const PAGES: readonly Value[] = [
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
const hostNames = (count: number) => Array.from({ length: count }, (_, at) => `h${at}.example.com`);
const NEVER_SAID = 'zq-3368-vd';
/** A secret of a name. */
const secretNamed = (name: string, text: string): Value =>
  v(name, ({ id }) => ({
    path: `/vault/interns/${encodeURIComponent(id)}/secrets/${text}`,
    json: { value: NEVER_SAID, hosts: ['example.com'] },
  }));
const unfitName = (name: string, text: string): Value => secretNamed(`a name with ${name}`, text);

/** Names to copy. Only the run can have secrets of these names, because it touches no others. */
const names = (name: string, make: (one: string) => readonly string[], more: Record<string, unknown> = {}): Value =>
  json(name, ({ ctx }: Ground) => ({ names: make(secretName(ctx)), ...more }));

/** The requests of the interface by their parts, in the order of interface.md. A new value needs only a new row. */
export const TABLES: readonly Table[] = [
  {
    operation: 'list',
    method: 'GET',
    path: collection,
    parts: [
      [
        as('api_key'),
        as('peer_api_key'),
        as('foreign_api_key'),
        NOBODY,
        WRONG,
        ...NO_TOKENS,
        bad(as('management_key')),
        ...NOTHING_TO,
        ...regional('api_key'),
        ...HOSTS,
        bad(
          v(
            'a regional host, and a key that opens nothing',
            ({ ctx }) => ({ as: ctx.wrongKey, host: ctx.target.regionalHost ?? '' }),
            ['regional_host'],
          ),
        ),
      ],
      [
        query('all', ''),
        query('one', '?limit=1'),
        query('two', '?limit=2'),
        query('as many as may be', '?limit=500'),
        query('those that run', '?status=running'),
        query('those that rest', '?status=stopped'),
        query('either', '?status=running,stopped'),
        query('two statuses, each by itself', '?status=stopped&status=failed'),
        query('one status twice', '?status=stopped,stopped'),
        query('those that fail', '?status=failed,destroy_failed'),
        query('those whose teardown failed', '?status=destroy_failed'),
        query('those that boot', '?status=queued,provisioning'),
        query('those that go', '?status=destroying'),
        query('those that wait', '?status=awaiting_slack_install'),
        query('all eight statuses', `?status=${STATUSES.join(',')}`),
        query('one status eight times', `?status=${Array(8).fill('running').join(',')}`),
        query('some that rest', '?status=stopped&limit=1'),
        inWorkspace('of the workspace'),
        inWorkspace('some of the workspace', '&limit=2'),
        inWorkspace('those of the workspace that run', '&status=running'),
        query('those that stand', '?status=queued,provisioning,running,failed,stopped'),
        query('those that are going', '?status=destroying,destroy_failed'),
        query('three statuses, each by itself', '?status=stopped&status=running&status=failed'),
        query('statuses in another order', '?status=stopped,running,failed'),
        query('some of either', '?status=running,stopped&limit=2'),
        ...bads(
          query('none', '?limit=0'),
          query('one more than may be', '?limit=501'),
          query('fewer than none', '?limit=-1'),
          query('no number', '?limit=ten'),
          query('half of one', '?limit=1.5'),
          query('ten and twenty', '?limit=10,20'),
          query('a number with an exponent', '?limit=1e1'),
          query('a limit of nothing', '?limit='),
          query('no status', '?status='),
          query('an unknown status', '?status=no-such-status'),
          query('a known and an unknown status', '?status=running,no-such-status'),
          query('a status in capitals', '?status=RUNNING'),
          query('half a status', '?status=runnin'),
          query('a status and nothing', '?status=running,'),
          query(
            'nine statuses',
            '?status=running,stopped,failed,queued,provisioning,destroying,destroy_failed,running,stopped',
          ),
          query('a cursor of nobody', '?starting_after=!nobody'),
          query('another workspace', '?workspace_id=00000000-0000-4000-8000-00000000dead'),
          query('another workspace, and a status', '?workspace_id=00000000-0000-4000-8000-00000000dead&status=stopped'),
          v(
            'the workspace of others',
            ({ ctx }) => ({ path: `/interns?workspace_id=${encodeURIComponent(ctx.target.foreignWorkspaceId ?? '')}` }),
            ['foreign_workspace'],
          ),
          query('statuses apart, one unknown', '?status=stopped&status=no-such-status'),
          query('an empty status among others', '?status=stopped,,running'),
        ),
      ],
      REQUEST_IDS,
    ],
  },
  {
    operation: 'create',
    method: 'POST',
    path: collection,
    parts: [
      [
        as('api_key'),
        as('peer_api_key'),
        NOBODY,
        WRONG,
        bad(as('management_key')),
        ...NOTHING_TO,
        ...regional('api_key'),
      ],
      [
        json('a name and a workspace', created()),
        json('a description', created({ description: 'what it is for: ä e\u0301 €, "quoted"' })),
        json('instructions', created({ instructions: 'Be brief.\nSay so.' })),
        json('texts with blanks around', created({ description: BLANKS, instructions: BLANKS })),
        json('texts of one character', created({ description: '.', instructions: '0' })),
        json('texts beyond ASCII', created({ description: ODD, instructions: ODD })),
        json('not to boot', created({ provision: false })),
        json('an empty description', created({ description: '' })),
        json('null for texts', created({ description: null, instructions: null })),
        json('a description as long as may be', created({ description: long(2000) })),
        json('instructions as long as may be', created({ instructions: long(100_000) })),
        json('a description as long as may be, beyond the basic plane', created(FULL)),
        json(
          '17 characters',
          renamed((name) => name.padEnd(17, 'x')),
        ),
        json('all of it', created({ description: 'all', instructions: 'of it', provision: false })),
        sized('as large as may be', CAP, created()),
        ...bads(
          json('no name', without('name')),
          json('no workspace', without('workspace_id')),
          json('null for a workspace', created({ workspace_id: null })),
          json('a number for a workspace', created({ workspace_id: 7 })),
          json('an unknown workspace', created({ workspace_id: '00000000-0000-4000-8000-00000000dead' })),
          v(
            'a workspace of others',
            (ground) => ({ json: created({ workspace_id: ground.ctx.target.foreignWorkspaceId })(ground) }),
            ['foreign_workspace'],
          ),
          ...BAD_NAMES.map(([name, change]) => json(name, renamed(change))),
          json('an empty name', created({ name: '' })),
          json('one letter', created({ name: 'q' })),
          json(
            'a digit first',
            renamed((name) => `1${name.slice(1)}`),
          ),
          json('a number for a name', created({ name: 7 })),
          json('null for a name', created({ name: null })),
          json('a number for a description', created({ description: 7 })),
          json('a long description', created({ description: long(2001) })),
          json('a long description of two bytes a letter', created({ description: long(2001, 'é') })),
          json('a list for instructions', created({ instructions: ['x'] })),
          json('true for instructions', created({ instructions: true })),
          json('an object for a name', created({ name: { text: 'a' } })),
          json('false for a description', created({ description: false })),
          json('long instructions', created({ instructions: long(100_001) })),
          json('a text for provision', created({ provision: 'yes' })),
          json('a field of nobody', created({ colour: 'red' })),
          json('a status of its own', created({ status: 'running' })),
          ...NOT_TAKEN.map((field) => json(`a ${field}`, created({ [field]: 'x' }))),
          json('an id of its own', created({ id: '00000000-0000-4000-8000-00000000dead' })),
          ...tooLarge(created()),
          raw('nothing', ''),
        ),
        ...NO_OBJECTS,
      ],
      TYPES,
      [
        v('no key', () => ({})),
        v('a key', ({ ctx }) => ({ headers: { 'idempotency-key': `key-${ctx.interns.name()}` } })),
        v('a key of 255 characters', ({ ctx }) => ({
          headers: { 'idempotency-key': ctx.interns.name().padEnd(255, 'k') },
        })),
        bad(v('a key of 256 characters', () => ({ headers: { 'idempotency-key': long(256) } }))),
      ],
    ],
  },
  {
    operation: 'get',
    method: 'GET',
    path: intern(),
    states: { good: [...ANY, 'booting', 'going'], bad: NOT_THERE },
    parts: [[...KEYS, OWN('')]],
  },
  {
    operation: 'update',
    method: 'PATCH',
    path: intern(),
    states: { good: [...ANY, 'booting'], bad: [...NOT_THERE, 'going'] },
    parts: [
      KEYS,
      [
        json('a description', { description: 'changed: ä e\u0301 €' }),
        json('another description', { description: 'changed again' }),
        json('no description', { description: null }),
        json('an empty description', { description: '' }),
        json('a description as long as may be', { description: long(2000) }),
        json('a description as long as may be, beyond the basic plane', FULL),
        json('all settings', { description: 'all', instructions: 'of them', model: 'author/slug' }),
        json('instructions of two lines', { instructions: 'Be brief.\nSay so.' }),
        json('texts with blanks around', { description: BLANKS, instructions: BLANKS }),
        json('texts of one character', { description: '.', instructions: '0' }),
        json('empty texts', { description: '', instructions: '' }),
        json('texts beyond ASCII', { description: ODD, instructions: ODD }),
        json('instructions as long as may be', { instructions: long(100_000) }),
        json('no instructions', { instructions: null }),
        json('a model', { model: 'author/slug' }),
        json('another model', { model: 'author/slug:variant' }),
        json('no model', { model: null }),
        json('a name', ({ ctx }: Ground) => ({ name: ctx.interns.name() })),
        json('a name of 17 characters', ({ ctx }: Ground) => ({ name: ctx.interns.name().padEnd(17, 'x') })),
        json('a name and no description', ({ ctx }: Ground) => ({ name: ctx.interns.name(), description: null })),
        json('a model and instructions', { model: 'author/slug-2.5', instructions: 'Be long.' }),
        json('two settings', { description: 'both', instructions: 'both' }),
        json('nothing new', {}),
        sized('as large as may be', CAP, () => ({ description: 'large' })),
        ...bads(
          json('a number for a description', { description: 7 }),
          json('true for instructions', { instructions: true }),
          json('a list for a description', { description: ['a'] }),
          json('an object for a name', { name: {} }),
          json('a long description', { description: long(2001) }),
          json('long instructions', { instructions: long(100_001) }),
          ...BAD_MODELS.map(([name, model]) => json(name, { model })),
          ...BAD_NAMES.map(([name, change]) => json(name, ({ ctx }: Ground) => ({ name: change(ctx.interns.name()) }))),
          ...NOT_TAKEN.map((field) => json(`a setting and ${field}`, { description: 'not to be kept', [field]: 'x' })),
          json('null for a name', { name: null }),
          json('a status', { status: 'running' }),
          json('another id', { id: '00000000-0000-4000-8000-00000000dead' }),
          json('another workspace', { workspace_id: '00000000-0000-4000-8000-00000000dead' }),
          json('another vault', { vault_id: '00000000-0000-4000-8000-00000000dead' }),
          json('a setting and a field of nobody', { description: 'not to be kept', colour: 'red' }),
          json('a setting and an invalid one', { description: 'not to be kept', name: 7 }),
          ...ours(
            v('a setting that is not UTF-8', () => ({
              body: Buffer.from('{"description":"\xc3\x28\xff"}', 'latin1'),
              headers: JSON_TYPE,
            })),
          ),
          ...tooLarge(() => ({ description: 'too large' })),
          raw('nothing', ''),
        ),
        ...NO_OBJECTS,
      ],
      TYPES,
    ],
  },
  {
    operation: 'suspend',
    method: 'POST',
    path: intern('/suspend'),
    states: { good: ['running'], bad: [...NOT_THERE, 'stopped', 'suspended', 'booting', 'going'] },
    uses: true,
    parts: [KEYS, NO_FIELDS],
  },
  {
    operation: 'provision',
    method: 'POST',
    path: intern('/provision'),
    states: { good: ['suspended', 'stopped'], bad: [...NOT_THERE, 'running', 'booting', 'going'] },
    uses: true,
    parts: [KEYS, NO_FIELDS],
  },
  {
    operation: 'delete',
    method: 'DELETE',
    path: intern(),
    states: { good: ['stopped', 'suspended', 'running', 'booting', 'going'], bad: NOT_THERE },
    uses: true,
    parts: [
      KEYS,
      [
        v('no body', () => ({})),
        DECLARED,
        v('no body, declared as text', () => ({ headers: { 'content-type': 'text/plain' } })),
        json('an empty object', {}),
        json('the loss acknowledged', { acknowledge_workspace_loss: true }),
        json('no loss acknowledged', { acknowledge_workspace_loss: false }),
        sized('as large as may be', CAP, () => ({})),
        ...bads(
          json('a text for the acknowledgement', { acknowledge_workspace_loss: 'true' }),
          json('null for the acknowledgement', { acknowledge_workspace_loss: null }),
          json('an object for the acknowledgement', { acknowledge_workspace_loss: {} }),
          json('the acknowledgement in another spelling', { acknowledgeWorkspaceLoss: true }),
          json('a number for the acknowledgement', { acknowledge_workspace_loss: 1 }),
          json('a field of nobody', { force: true }),
          json('the acknowledgement and a field of nobody', { acknowledge_workspace_loss: true, force: true }),
          ...tooLarge(() => ({})),
        ),
        ...NO_OBJECTS,
      ],
    ],
  },
  {
    operation: 'delete',
    method: 'DELETE',
    path: intern(),
    states: { good: ['stopped'], bad: [] },
    uses: true,
    parts: [[as('api_key')], [json('the loss acknowledged', { acknowledge_workspace_loss: true })], TYPES],
  },
  {
    operation: 'chat',
    method: 'POST',
    path: intern('/chat/completions'),
    states: { good: ['running'], bad: [...NOT_THERE, 'stopped', 'suspended', 'booting', 'going'] },
    prompts: true,
    parts: [
      KEYS,
      [
        json('a prompt', said()),
        json('a prompt and a model', said({ model: 'kit/never-used' })),
        ...bads(
          json('no stream', ({ ctx }: Ground) => ({ messages: [{ role: 'user', content: ctx.prompt('echo') }] })),
          json('stream is false', said({ stream: false })),
          ...['true', null, 1, [true]].map((stream) => json(`stream is ${JSON.stringify(stream)}`, said({ stream }))),
          raw(
            'a prompt with a comma at the end',
            '{"messages": [{"role": "user", "content": "Hello."}], "stream": true,}',
          ),
          json('no messages', { stream: true }),
          json('messages is empty', { messages: [], stream: true }),
          ...['Hello.', null, { role: 'user', content: 'Hello.' }].map((messages) =>
            json(`messages is ${JSON.stringify(messages)}`, { messages, stream: true }),
          ),
          ...['developer', 'User', null, ['user']].map((role) =>
            json(`the last is of ${JSON.stringify(role)}`, { messages: [{ role, content: 'Hello.' }], stream: true }),
          ),
          json('the last is of the assistant', {
            messages: [
              { role: 'user', content: 'Hello.' },
              { role: 'assistant', content: 'Hello.' },
            ],
            stream: true,
          }),
          json('the last is of the system', { messages: [{ role: 'system', content: 'Hello.' }], stream: true }),
          json('an empty prompt', says('')),
          json('a number for a prompt', says(7)),
          json('null for a prompt', says(null)),
          json('no prompt', () => ({ messages: [{ role: 'user' }], stream: true })),
          ...[[], {}, ['Hello.'], [{ type: 'text' }], [{ type: 'text', text: '' }], [{ text: 'Hello.' }]].map(
            (content) => json(`content is ${JSON.stringify(content)}`, says(content)),
          ),
          json('a part that is no text', says([{ type: 'image_url', image_url: { url: 'data:,' } }])),
          json('a long prompt', says(long(32_001))),
          json('an unknown mode', said({ approval_mode: 'always' })),
          ...['Manual', 'MANUAL', 'Self-Drive', '', 'manual ', 'self_drive', 7, true, ['manual']].map((mode) =>
            json(`the mode ${JSON.stringify(mode)}`, said({ approval_mode: mode })),
          ),
          json('an empty session', said({ session_id: '' })),
          json('a session of 257 characters', said({ session_id: long(257) })),
          json('a number for a session', said({ session_id: 7 })),
          json('letters beyond ASCII in a session of 257', said({ session_id: long(257, 'é') })),
          ...['a\nb', '\u0000', 'a\u007f', {}].map((session_id) =>
            json(`the session ${JSON.stringify(session_id)}`, said({ session_id })),
          ),
          json('an answer without a session', tool('call-of-nobody')),
          json('an answer without a call', () => ({
            messages: [{ role: 'tool', content: 'allow_once' }],
            stream: true,
            session_id: 'nobody',
          })),
          sized('too large', CAP + 1, said()),
        ),
        ...NO_OBJECTS,
      ],
      ANY_TYPE,
    ],
  },
  {
    operation: 'invoke',
    method: 'POST',
    path: intern('/invoke'),
    states: { good: ['running'], bad: [...NOT_THERE, 'stopped', 'suspended', 'going'] },
    prompts: true,
    parts: [
      OWN_KEYS,
      [
        json('an input', ({ ctx }: Ground) => ({ input: ctx.prompt('echo') })),
        json('an input and a field of nobody', ({ ctx }: Ground) => ({ input: ctx.prompt('echo'), colour: 'red' })),
        ...bads(
          raw('an input with a comma at the end', '{"input": "Hello.",}'),
          json('no input', {}),
          json('an empty input', { input: '' }),
          json('a number for an input', { input: 7 }),
          json('null for an input', { input: null }),
          ...[['Hello.'], {}, true, [{ type: 'text', text: 'Hello.' }]].map((input) =>
            json(`the input ${JSON.stringify(input)}`, { input }),
          ),
          json('a prompt for an input', { prompt: 'Hello.' }),
          json('a line end in a session', ({ ctx }: Ground) => ({ input: ctx.prompt('echo'), session_id: 'a\nb' })),
          json('a long input', { input: long(32_001) }),
          json('a session of nobody', ({ ctx }: Ground) => ({
            input: ctx.prompt('echo'),
            session_id: ctx.interns.unknownId(),
          })),
          ...['no such session', 'sitzung-ü-1', '0', long(256)].map((session_id) =>
            json(`the session ${session_id.slice(0, 20)}`, ({ ctx }: Ground) => ({
              input: ctx.prompt('echo'),
              session_id,
            })),
          ),
          json('an empty session', ({ ctx }: Ground) => ({ input: ctx.prompt('echo'), session_id: '' })),
          json('a number for a session', ({ ctx }: Ground) => ({ input: ctx.prompt('echo'), session_id: 7 })),
          json('a session of 257 characters', ({ ctx }: Ground) => ({
            input: ctx.prompt('echo'),
            session_id: long(257),
          })),
          sized('too large', CAP + 1, ({ ctx }) => ({ input: ctx.prompt('echo') })),
        ),
        ...NO_OBJECTS,
      ],
      ANY_TYPE,
    ],
  },
  ...(['daemon', 'daemon alias'] as const).map(
    (operation): Table => ({
      operation,
      method: 'GET',
      path: intern(operation === 'daemon' ? '/daemon' : '/daemon-access'),
      states: { good: ['running'], bad: [...NOT_THERE, 'stopped', 'suspended', 'booting', 'going'] },
      parts: [[...ACCESS, bad(OWN(operation === 'daemon' ? '/daemon' : '/daemon-access'))]],
    }),
  ),
  ...(['sign', 'sign alias'] as const).map(
    (operation): Table => ({
      operation,
      method: 'POST',
      path: intern(operation === 'sign' ? '/daemon/sign' : '/daemon-access/sign'),
      states: { good: ANY, bad: NOT_THERE },
      parts: [
        [...SIGNERS, bad(OWN(operation === 'sign' ? '/daemon/sign' : '/daemon-access/sign'))],
        // The alias has some of the mistakes only.
        operation === 'sign' ? SIGNED : SIGNED.filter((value, at) => value.bad !== true || at % 3 === 0),
        TYPES,
      ],
    }),
  ),
  {
    operation: 'scim',
    method: 'GET',
    path: () => '/scim/group-mappings/x',
    parts: [
      [
        as('management_key'),
        NOBODY,
        WRONG,
        ...noBearer('management_key'),
        ...bads(as('api_key'), as('oauth_token'), as('foreign_api_key'), as('outsider_api_key'), as('own_key')),
        ...regional('management_key'),
      ],
      [
        v('a mapping', ({ ctx }) => ({ path: `/scim/group-mappings/${ctx.target.scimMappingId}` }), ['scim_mapping']),
        v(
          'a mapping in capitals',
          ({ ctx }) => ({ path: `/scim/group-mappings/${ctx.target.scimMappingId?.toUpperCase()}` }),
          ['scim_mapping'],
        ),
        bad(v('an unknown mapping', ({ ctx }) => ({ path: `/scim/group-mappings/${ctx.interns.unknownId()}` }))),
        bad(v('no UUID', () => ({ path: '/scim/group-mappings/nobody' }))),
      ],
    ],
  },
  {
    operation: 'secrets',
    method: 'GET',
    path: () => '/vault/secrets',
    parts: [VAULT_KEYS, PAGES],
  },
  {
    operation: 'intern secrets',
    method: 'GET',
    path: (id) => `/vault/interns/${encodeURIComponent(id)}/secrets`,
    states: { good: ANY, bad: NOT_THERE },
    parts: [VAULT_KEYS, PAGES],
  },
  {
    operation: 'store intern secret',
    method: 'PUT',
    path: (id) => `/vault/interns/${encodeURIComponent(id)}/secrets/api_token`,
    states: { good: ANY, bad: NOT_THERE },
    parts: [
      VAULT_KEYS,
      [
        // No words: a stored value is blacked out everywhere in the report.
        json('a value and a host', { value: 'zq-7413-xk', hosts: ['example.com'] }),
        json('another value', { value: 'zq-9926-wm', hosts: ['b.example.com', 'API.Example.com.', 'api.example.com'] }),
        json('a value of one character', { value: '\u2042', hosts: ['example.com'] }),
        json('as much as may be', { value: 'zq-5580-'.repeat(8_192), hosts: hostNames(100) }),
        secretNamed('a name of one letter', 'a'),
        secretNamed('a name of 255 characters', long(255)),
        secretNamed('a name of several words', 'a_1_b2_0c'),
        ...ours(
          json('32768 characters of two units', { value: long(32_768, '😀'), hosts: ['example.com'] }),
          sized('as large as may be', CAP, () => ({ value: NEVER_SAID, hosts: ['example.com'] })),
        ),
        ...bads(
          json('no value', { hosts: ['example.com'] }),
          json('an empty value', { value: '', hosts: ['example.com'] }),
          json('a number for a value', { value: 7, hosts: ['example.com'] }),
          json('a long value', { value: 'zq-5580-'.repeat(8_193), hosts: ['example.com'] }),
          json('null for a value', { value: null, hosts: ['example.com'] }),
          json('no hosts', { value: 'x' }),
          json('null for hosts', { value: 'x', hosts: null }),
          json('a text for hosts', { value: 'x', hosts: 'example.com' }),
          json('hosts is empty', { value: 'x', hosts: [] }),
          json('101 hosts', { value: 'x', hosts: hostNames(101) }),
          ...BAD_HOSTS.map((host) =>
            json(`the host ${JSON.stringify(host)}`, { value: 'x', hosts: ['example.com', host] }),
          ),
          ...ours(
            ...NO_HOSTS.map((host) => json(`no host: ${JSON.stringify(host)}`, { value: 'x', hosts: [host] })),
            json('101 hosts, all alike', { value: 'x', hosts: Array(101).fill('example.com') }),
            ...[`${long(32_768, '😀')}v`, 'a\ud800b', '\udc00', 'a\ud83d'].map((value) =>
              json(`a value that ends in ${JSON.stringify(value.slice(-3))}`, { value, hosts: ['example.com'] }),
            ),
          ),
          json('a field of nobody', { value: 'x', hosts: ['example.com'], colour: 'red' }),
          sized('too large', CAP + 1, () => ({ value: 'x', hosts: ['example.com'] })),
          unfitName('a capital', 'Api_token'),
          unfitName('a hyphen', 'api-token'),
          unfitName('a digit first', '1_token'),
          unfitName('two underscores', 'api__token'),
          unfitName('a dot', 'api.token'),
          unfitName('a space', 'api_token%20'),
          unfitName('a line end', 'api_token%0A'),
          unfitName('a letter beyond ASCII', 'api_tok%C3%A9n'),
          unfitName('an underscore last', 'token_'),
          unfitName('256 characters', long(256)),
        ),
        ...NO_OBJECTS,
      ],
      ANY_TYPE,
    ],
  },
  {
    operation: 'copy secrets',
    method: 'POST',
    path: (id) => `/vault/interns/${encodeURIComponent(id)}/secrets/copy`,
    states: { good: ['stopped', 'running'], bad: NOT_THERE },
    parts: [
      VAULT_KEYS,
      [
        names('a secret that is not there', (name) => [name]),
        ...bads(
          json('no names', {}),
          json('names is empty', { names: [] }),
          names('101 names', (name) => Array.from({ length: 101 }, (_, at) => `${name}${at}`)),
          names('a name twice', (name) => [name, name]),
          names('an invalid name', (name) => [`${name}-x`]),
          json('a number for a name', { names: [7] }),
          json('a text for names', { names: 'api_token' }),
          names('names and a field of nobody', (name) => [name], { colour: 'red' }),
        ),
        ...NO_OBJECTS,
      ],
    ],
  },
  {
    operation: 'delete intern secret',
    method: 'DELETE',
    path: (id) => `/vault/interns/${encodeURIComponent(id)}/secrets/api_token`,
    states: { good: ANY, bad: NOT_THERE },
    parts: [VAULT_KEYS],
  },
];
