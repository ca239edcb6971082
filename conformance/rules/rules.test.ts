import { expect, test } from 'vitest';
import { PROFILES } from '../../emulator/contract/profile.js';
import type { Asked, Exchange } from '../model/exchange.js';
import { createModel } from '../model/model.js';
import type { ModelOptions } from '../model/options.js';
import { createChunkGrammar } from '../probe/chunks.js';
import { REQUIREMENTS } from '../requirements/index.js';
import { RULES, rulesFor, seenBy } from './index.js';

const WORKSPACE = 'w-1';

interface Said {
  readonly method?: string;
  readonly path: string;
  readonly json?: unknown;
  /** A body that is no JSON. */
  readonly raw?: string;
  readonly caller?: string | null;
  /** The body is not known. */
  readonly hidden?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  readonly answer?: unknown;
  /** The data of the events of a stream. */
  readonly events?: readonly string[];
  /** Its client left before its end. */
  readonly left?: true;
  /** ms after the answer before it. */
  readonly at?: number;
  /** The Date of the answer. */
  readonly date?: string;
  /** Further headers of the answer. */
  readonly says?: Readonly<Record<string, string>>;
  /** Exchanges between this request and its answer. */
  readonly meanwhile?: readonly Said[];
}

/** The rules' verdict on a conversation: the rules that the exchanges break, with the exchanges they rest on. */
function judged(
  conversation: readonly Said[],
  {
    published,
    ...more
  }: Partial<Pick<ModelOptions, 'ours' | 'partial' | 'inUse' | 'moved'>> & { published?: true } = {},
) {
  const profile = published === undefined ? PROFILES.svc : { ...PROFILES.svc, published };
  if (profile === undefined) throw new Error('no profile svc');
  const model = createModel({
    profile,
    publicKeys: [],
    ...more,
    caller: (name) =>
      name === 'key'
        ? { kind: 'key', workspace: WORKSPACE, person: 'one' }
        : name === 'outsider'
          ? { kind: 'outsider' }
          : name === 'foreign'
            ? { kind: 'key', workspace: 'w-2', person: 'two' }
            : name === 'bad'
              ? { kind: 'invalid' }
              : name === 'peer'
                ? { kind: 'key', workspace: WORKSPACE, person: 'three' }
                : name === 'oauth'
                  ? { kind: 'oauth', workspace: WORKSPACE, person: 'one', subject: 'u-2' }
                  : undefined,
  });
  let count = 0;
  const tell = (said: Said): { id: string; number: number; because: readonly number[] }[] => {
    const number = ++count;
    const [path = '', query = ''] = said.path.split('?');
    const text = said.raw ?? (said.json === undefined ? undefined : JSON.stringify(said.json));
    const asked: Asked = {
      number,
      at: said.at === undefined ? number * 60_000 : (number - 1) * 60_000 + said.at,
      method: said.method ?? 'GET',
      path,
      query: new URLSearchParams(query),
      header: (name) =>
        said.headers?.[name] ?? (name === 'content-type' && text !== undefined ? 'application/json' : undefined),
      body: said.hidden
        ? { kind: 'unknown' }
        : text === undefined
          ? { kind: 'none' }
          : { kind: 'some', size: text.length, text, json: said.json },
      caller: said.caller === undefined ? 'key' : said.caller,
      regional: said.headers?.host?.startsWith('eu.') === true,
    };
    model.asks(asked);
    const before = (said.meanwhile ?? []).flatMap(tell);
    const grammar = createChunkGrammar(profile.tool_name, { scripted: false });
    for (const data of said.events ?? []) grammar.take({ kind: 'event', at: asked.at, data });
    grammar.end('', 'end');
    const type = said.events === undefined ? 'application/json' : 'text/event-stream';
    const exchange: Exchange = {
      asked,
      answered: {
        at: asked.at + 1,
        status: said.status,
        header: (name) => (name === 'content-type' ? type : name === 'date' ? said.date : said.says?.[name]),
        text: JSON.stringify(said.answer ?? ''),
        json: said.answer,
        whole: true,
        ...(said.events && { stream: grammar.transcript }),
      },
    };
    if (said.left === true) {
      model.glimpses(exchange);
      return [];
    }
    const seen = seenBy(model, exchange);
    const broken = (seen === undefined ? [] : rulesFor(seen)).flatMap(({ id, level, judge }) => {
      const judgement = seen === undefined ? undefined : judge(seen, model);
      return judgement === undefined || judgement === 'kept' || level === 'C'
        ? []
        : [{ id, number, because: judgement.because }];
    });
    model.sees(exchange);
    return [...before, ...broken];
  };
  return conversation.flatMap(tell);
}

/** An exchange: `GET /interns`, its status, its answer, and what is unusual about it. */
function entry(request: string, status: number, answer?: unknown, more: Partial<Said> = {}): Said {
  const [method = '', path = ''] = request.split(' ');
  return { method, path, status, ...(answer === undefined ? {} : { answer }), ...more };
}

const secret = (name: string, hosts: readonly string[]) => ({ name, hosts, fingerprint: 'f', created_at: '2026' });

const SECRETS = '/vault/interns/11111111-1111-4111-8111-111111111111/secrets';
const STORES = entry(
  `PUT ${SECRETS}/a`,
  200,
  { data: secret('a', ['a.test']) },
  { json: { value: 'v', hosts: ['a.test'] } },
);

const record = (more: Record<string, unknown> = {}) => ({
  id: '11111111-1111-4111-8111-111111111111',
  name: 'one',
  description: null,
  instructions: null,
  model: null,
  status: 'stopped',
  last_failure_message: null,
  progress: null,
  hostname: null,
  workspace_id: WORKSPACE,
  vault_id: 'v-1',
  attached_vault_id: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  ...more,
});
const ID = record().id;
const ONE = `/interns/${ID}`;
const error = (code: number, reason: string) => ({
  error: { code, message: 'no', metadata: { reason, retryable: false } },
});
const CREATE: Said = entry('POST /interns', 201, record(), { json: { name: 'one', workspace_id: WORKSPACE } });

const RUNS = record({ status: 'running', hostname: 'one.example' });
const TWO = record({ id: '22222222-2222-4222-8222-222222222222', name: 'two', vault_id: 'v-2' });
/** Interns that are read as soon as they are made: reads are not late. */
const PROMPT_READS = Array.from({ length: 10 }, (_, at) => {
  const made = record({ id: `i-${at}`, name: `n-${at}`, vault_id: `w-${at}` });
  return [
    { ...CREATE, json: { name: made.name, workspace_id: WORKSPACE }, answer: made },
    entry(`GET /interns/${made.id}`, 200, made, { at: 100 }),
  ];
}).flat();
const LATER = record({ created_at: '2026-01-01T00:01:30.000Z', updated_at: '2026-01-01T00:01:30.000Z' });

const INVOKE = { method: 'POST', path: `/interns/${ID}/invoke`, json: { input: 'Hello' } };
const ANSWER = [{ role: 'tool', tool_call_id: 'call-1', content: 'allow_once' }];

interface Chat {
  readonly json?: object;
  /** More of each chunk. */
  readonly said?: object;
  /** It ends with a question, in so many pieces. */
  readonly asks?: number;
  /** The texts of its chunks. */
  readonly says?: readonly string[];
  readonly session?: string;
  /** Tokens of each kind. */
  readonly usage?: number;
}

/** A prompt and its stream. */
function chats({ json = {}, said = {}, asks = 0, says = [], session = 's-1', usage }: Chat): Said {
  const counts =
    usage === undefined ? null : { prompt_tokens: usage, completion_tokens: usage, total_tokens: 2 * usage };
  const chunk = (more: object) => ({
    object: 'chat.completion.chunk',
    id: 'c-1',
    created: 1_767_225_600,
    model: 'acme/own',
    choices: [],
    ...said,
    ...more,
  });
  const choice = (delta: object, finish_reason: string | null = null) =>
    chunk({ choices: [{ index: 0, delta, finish_reason }] });
  const call = (more: object) => choice({ tool_calls: [{ index: 0, ...more }] });
  const name = PROFILES.svc.tool_name;
  const ask = JSON.stringify({ kind: 'permission', options: ['allow_once'] });
  const first = { id: 'call-1', type: 'function', function: { name, arguments: ask } };
  const events = [
    choice({ role: 'assistant', content: '' }),
    ...says.map((content) => choice({ content })),
    ...Array.from({ length: asks }, (_, at) => call(at === 0 ? first : { function: { arguments: '' } })),
    choice({}, asks > 0 ? 'tool_calls' : 'stop'),
    chunk({ session_id: session, usage: counts }),
  ].map((one) => JSON.stringify(one));
  return entry(`POST ${ONE}/chat/completions`, 200, undefined, {
    json: { stream: true, messages: [{ role: 'user', content: 'Hello' }], ...json },
    events: [...events, '[DONE]'],
  });
}

/** A proof for a digest. */
const proves = (digit: string, timestamp = '1767225600'): Said => ({
  method: 'POST',
  path: `/interns/${ID}/daemon/sign`,
  json: { bodySha256: digit.repeat(64) },
  status: 200,
  answer: {
    'x-svc-invoke-signature': `${'A'.repeat(86)}==`,
    'x-svc-invoke-timestamp': timestamp,
    'x-svc-invoke-user': 'u-1',
  },
});
const ATTACHED = { origin: 'https://d.test', token: 't-1' };
const ACCESS = entry(`GET ${ONE}/daemon`, 200, ATTACHED);
const ALIAS = entry(`GET ${ONE}/daemon-access`, 200, { ...ATTACHED, token: 't-2' });

/** A secret that is stored in the vault of a workspace, and that of an intern, which shows it. */
const IN_WORKSPACE = { ...STORES, path: '/vault/secrets/w', answer: { data: secret('w', ['a.test']) } };
const IN_VAULT = entry(`GET ${SECRETS}`, 200, { data: [secret('w', ['a.test'])], has_more: false });

/** The answer to a question. */
const replies = (more: Record<string, unknown> = {}): Said =>
  chats({ json: { messages: [{ ...ANSWER[0], ...more }], session_id: 's-1' } });

const STUCK = record({ status: 'destroy_failed', last_failure_message: 'workspace_archive_failed' });
const MAPPING = {
  id: ID,
  scim_group_id: '22222222-2222-4222-8222-222222222222',
  workspace_id: '33333333-3333-4333-8333-333333333333',
  organization_id: 'o-1',
  role: 'admin',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};

test('every rule has an id of its own below its requirement, and a sentence', () => {
  const ids = RULES.map(({ id }) => id);
  expect(ids.length - new Set(ids).size).toBe(0);
  const known = new Set<string>(REQUIREMENTS.map(({ id }) => id));
  for (const { id, says } of RULES) {
    expect(known, id).toContain(id.split('/')[0]);
    expect(says, id).toMatch(/^[A-Z].*[.]$/s);
  }
});

test('a create may repeat one of before, where the target was used before', () => {
  const conversation = [{ ...CREATE, status: 200 }, entry(`GET ${ONE}`, 200, record({ description: 'changed since' }))];
  expect(judged(conversation, { inUse: true })).toEqual([]);
  expect(judged(conversation).map(({ id }) => id)).toEqual(['GET-1/settings']);
});

test('a create answered 200 may repeat one of another credential, or one whose body is not known', () => {
  const listed: Said = entry('GET /interns', 200, { data: [], has_more: false });
  const conversation = (headers: Said['headers'], first: Partial<Said>): Said[] => [
    { ...listed, date: 'Thu, 01 Jan 2026 00:00:00 GMT' },
    { ...CREATE, ...(headers && { headers }), ...first, status: 502, answer: error(502, 'unavailable') },
    { ...CREATE, ...(headers && { headers }), status: 200, answer: LATER, date: 'Thu, 01 Jan 2026 00:02:00 GMT' },
  ];
  const named = { 'idempotency-key': 'k-1' };
  expect(judged(conversation(named, { caller: 'unknown' }))).toEqual([]);
  expect(judged(conversation(undefined, { caller: 'unknown' }))).toEqual([]);
  expect(judged(conversation(undefined, { hidden: true }))).toEqual([]);
  expect(judged(conversation(named, { hidden: true, headers: { 'idempotency-key': 'k-2' } }))).toEqual([
    { id: 'CREATE-1/first-is-201', number: 3, because: [] },
  ]);
});

test('a create answered 201 may repeat one of before too: its intern is older than what was seen', () => {
  const other = { ...record({ id: 'other', updated_at: '2026-01-01T01:00:00.000Z' }), vault_id: 'v-2' };
  const read = entry(`GET ${ONE}`, 200, record({ description: 'changed since' }));
  const conversation = [entry('GET /interns/other', 200, other), CREATE, read];
  expect(judged(conversation, { inUse: true })).toEqual([]);
  expect(judged(conversation).map(({ id }) => id)).toEqual(['GET-1/settings']);
});

test('a field may trim its texts, all of them or none', () => {
  const changed = entry(`PATCH ${ONE}`, 200, record({ description: 'two' }), { json: { description: ' two ' } });
  const created = (description: string): Said => ({
    ...CREATE,
    json: { name: 'one', workspace_id: WORKSPACE, description: ' one ' },
    answer: record({ description }),
  });
  expect(judged([created('one'), changed, entry(`GET ${ONE}`, 200, record({ description: 'two' }))])).toEqual([]);
  expect(judged([created(' one '), changed]).map(({ id }) => id)).toEqual(['UPDATE-1/as-asked']);
});

test('a create whose body is no JSON is judged as any other', () => {
  const error = { code: 400, message: 'Invalid body', metadata: { reason: 'invalid_body', retryable: false } };
  expect(judged([entry('POST /interns', 400, { error }, { raw: '{"name":' })])).toEqual([]);
});

test('an intern that others tear down may have no vault before it is gone', () => {
  const read = entry(`GET ${ONE}`, 200, record());
  const secrets = entry(`GET /vault${ONE}/secrets`, 404, error(404, 'not_found'));
  const goes = entry(`GET ${ONE}`, 200, record({ status: 'destroying' }));
  expect(judged([CREATE, read, secrets, goes]).map(({ id }) => id)).toEqual([]);
  const served = entry('GET /vault/interns/00000000-0000-4000-8000-00000000abcd/secrets', 200, {
    data: [],
    has_more: false,
  });
  expect(judged([CREATE, read, secrets, read]).map(({ id }) => id)).toEqual([]);
  expect(judged([served, CREATE, read, secrets, read]).map(({ id }) => id)).toContain('LIFE-1/stays-found');
});

test('a parameter of a list that is given twice may be refused', () => {
  expect(judged([entry('GET /interns?limit=1&limit=1', 400, error(400, 'invalid_body'))])).toEqual([]);
});

test('a right conversation breaks nothing', () => {
  const changed = record({ description: 'new', updated_at: '2026-01-01T00:00:01.000Z' });
  expect(
    judged([
      CREATE,
      entry(`GET ${ONE}`, 200, record()),
      entry(`PATCH ${ONE}`, 200, changed, { json: { description: 'new' } }),
      entry(`GET ${ONE}`, 200, changed),
      entry('GET /interns', 200, { data: [changed], has_more: false }),
      entry(`GET ${ONE}`, 404, error(404, 'not_found'), { caller: 'foreign' }),
      entry(`GET ${ONE}`, 401, { error: { code: 401, message: 'no' } }, { caller: null }),
      entry(`DELETE ${ONE}`, 202, { deleting: true }),
      entry(`GET ${ONE}`, 404, error(404, 'not_found')),
    ]),
  ).toEqual([]);
});

test.each<[rule: string, because: readonly number[], conversation: readonly Said[]]>([
  [
    'LIFE-1/stays-found',
    [1, 3],
    [
      CREATE,
      entry(`GET ${ONE}`, 200, record()),
      entry(`POST ${ONE}/provision`, 404, error(404, 'not_found')),
      entry(`GET ${ONE}`, 200, record()),
    ],
  ],
  [
    // The update of another setting took it away.
    'GET-1/settings',
    [1, 2],
    [
      {
        ...CREATE,
        json: { name: 'one', workspace_id: WORKSPACE, description: 'kept' },
        answer: record({ description: 'kept' }),
      },
      entry(`PATCH ${ONE}`, 200, record({ instructions: 'new', description: 'kept' }), {
        json: { instructions: 'new' },
      }),
      entry(`GET ${ONE}`, 200, record({ instructions: 'new', description: null })),
    ],
  ],
  [
    'DELETE-3/acknowledged',
    [4],
    [
      CREATE,
      entry(`DELETE ${ONE}`, 202, { deleting: true }),
      entry(`GET ${ONE}`, 200, STUCK),
      entry(`DELETE ${ONE}`, 202, { deleting: true }, { json: { acknowledge_workspace_loss: true } }),
      entry(`GET ${ONE}`, 200, STUCK),
    ],
  ],
  [
    'CREATE-1/refused-makes-none',
    [1],
    [
      {
        ...CREATE,
        json: { name: 'two', workspace_id: WORKSPACE, colour: 'red' },
        status: 400,
        answer: error(400, 'invalid_body'),
      },
      entry('GET /interns', 200, { data: [record({ name: 'two' })], has_more: false }),
    ],
  ],
  [
    // One that is gone after a delete that was refused.
    'LIFE-1/refused-does-nothing',
    [2, 3],
    [
      CREATE,
      entry(`GET ${ONE}`, 200, record()),
      entry(`DELETE ${ONE}`, 400, error(400, 'invalid_body'), { json: { force: true }, at: 100 }),
      entry(`GET ${ONE}`, 404, error(404, 'not_found'), { at: -59_000 }),
    ],
  ],
  [
    'SCIM-1/stays',
    [1],
    [
      entry(`GET /scim/group-mappings/${ID}`, 200, { data: MAPPING }),
      entry(`GET /scim/group-mappings/${ID}`, 200, { data: { ...MAPPING, role: 'member' } }),
    ],
  ],
  [
    'AUTH-6/management-key-needed',
    [],
    [entry(`GET /scim/group-mappings/${ID}`, 403, { error: { code: 403, message: 'Forbidden' } }, { caller: 'bad' })],
  ],
  [
    // A session that an invoke gave to its caller is there as long as its intern.
    'LIFE-1/stays-found',
    [1, 4],
    [
      CREATE,
      { path: `/interns/${ID}`, status: 200, answer: RUNS },
      { ...INVOKE, status: 202, answer: { session_id: 's-1', status: 'started' } },
      { ...INVOKE, json: { input: 'Go on', session_id: 's-1' }, status: 404, answer: error(404, 'not_found') },
      { path: `/interns/${ID}`, status: 200, answer: RUNS },
    ],
  ],
  [
    'LIFE-1/refused-does-nothing',
    [2, 3],
    [
      { ...CREATE, json: { name: 'one', workspace_id: WORKSPACE, provision: true }, answer: RUNS },
      entry(`GET ${ONE}`, 200, RUNS),
      entry(`POST ${ONE}/suspend`, 404, error(404, 'not_found'), { caller: 'foreign', at: 1_000 }),
      entry(`GET ${ONE}`, 200, record(), { at: -57_000 }),
    ],
  ],
  [
    'LIFE-1/no-other',
    [24, 25],
    [
      ...PROMPT_READS,
      CREATE,
      { ...CREATE, json: { name: 'two', workspace_id: WORKSPACE }, answer: TWO },
      entry(`POST ${ONE}/provision`, 202, { provisioning: true }),
      entry(`GET ${ONE}`, 200, RUNS, { at: 100 }),
      entry(`POST /interns/${TWO.id}/suspend`, 200, { suspended: true }, { at: -59_800 }),
      entry(`GET ${ONE}`, 200, record(), { at: -119_000 }),
    ],
  ],
  [
    'PROV-1/provision-starts',
    [2],
    [
      CREATE,
      entry(`POST ${ONE}/provision`, 202, { provisioning: true }),
      ...Array.from({ length: 6 }, () => entry(`GET ${ONE}`, 200, record())),
    ],
  ],
  [
    'SUSP-1/suspend-stops',
    [2],
    [
      { ...CREATE, json: { name: 'one', workspace_id: WORKSPACE, provision: true }, answer: RUNS },
      { method: 'POST', path: `/interns/${ID}/suspend`, status: 200, answer: { suspended: true } },
      ...Array.from({ length: 6 }, () => ({ path: `/interns/${ID}`, status: 200, answer: RUNS })),
    ],
  ],
  [
    'DELETE-1/delete-tears-down',
    [2],
    [
      CREATE,
      { method: 'DELETE', path: `/interns/${ID}`, status: 202, answer: { deleting: true } },
      ...Array.from({ length: 6 }, () => ({ path: `/interns/${ID}`, status: 200, answer: record() })),
    ],
  ],
  [
    'CREATE-4/same-intern',
    [1],
    [
      { ...CREATE, headers: { 'idempotency-key': 'k' } },
      {
        ...CREATE,
        headers: { 'idempotency-key': 'k' },
        answer: record({ id: '22222222-2222-4222-8222-222222222222', vault_id: 'v-2' }),
      },
    ],
  ],
  [
    'CREATE-4/same-intern',
    [1],
    [
      { ...CREATE, headers: { 'idempotency-key': 'k' } },
      { ...CREATE, headers: { 'idempotency-key': 'k' }, status: 409, answer: error(409, 'name_taken'), at: 1_000 },
    ],
  ],
  [
    'CREATE-1/first-is-201',
    [],
    [
      entry('GET /interns', 200, { data: [], has_more: false }, { date: 'Thu, 01 Jan 2026 00:00:00 GMT' }),
      { ...CREATE, status: 200, answer: LATER, date: 'Thu, 01 Jan 2026 00:02:00 GMT' },
    ],
  ],
  ['CHAT-1/content-is-new', [], [CREATE, chats({ says: ['a ', 'a b ', 'a b c ', 'a b c d'] })]],
  ['SIGN-6/subject', [], [CREATE, { ...proves('a'), caller: 'oauth' }]],
  ['SIGN-5/moves-with-time', [2], [CREATE, proves('a'), proves('a')]],
  [
    'INVOKE-2/not-steered-after-a-suspend',
    [2],
    [
      CREATE,
      { ...INVOKE, status: 202, answer: { session_id: 's-1', status: 'started' } },
      { method: 'POST', path: `/interns/${ID}/suspend`, status: 200, answer: { suspended: true } },
      {
        ...INVOKE,
        json: { input: 'Go on', session_id: 's-1' },
        status: 202,
        answer: { session_id: 's-1', status: 'steered' },
      },
    ],
  ],
  ['VAULT-1/kept', [2], [CREATE, STORES, entry(`GET ${SECRETS}`, 200, { data: [], has_more: false })]],
  ['VAULT-1/not-of-the-workspace', [2], [CREATE, IN_WORKSPACE, IN_VAULT]],
  ['CREATE-3/waits', [2], [CREATE, entry(`GET ${ONE}`, 200, record()), entry(`GET ${ONE}`, 200, RUNS)]],
  ['DAEMON-3/as-the-operation', [3, 4], [CREATE, ACCESS, ACCESS, ALIAS, ACCESS]],
  ['SCIM-2/listed', [], [entry(`GET /scim/group-mappings/${ID}`, 403, { error: { code: 403, message: 'Forbidden' } })]],
])('%s is broken, because of %j', (rule, because, conversation) => {
  const broken = judged(conversation).find(({ id }) => id === rule);
  expect(broken?.because.slice(0, because.length)).toEqual(because);
  expect(broken?.number).toBe(conversation.length);
});

test('an intern that stops late after its own suspend was not stopped by that of another', () => {
  const conversation = [
    ...PROMPT_READS,
    { ...CREATE, json: { name: 'one', workspace_id: WORKSPACE, provision: true }, answer: RUNS },
    entry(`POST ${ONE}/suspend`, 200, { suspended: true }),
    entry(`GET ${ONE}`, 200, RUNS),
    entry('POST /interns/i-1/suspend', 200, { suspended: true }, { at: 100 }),
    entry(`GET ${ONE}`, 200, record(), { at: -59_000 }),
  ];
  expect(judged(conversation).map(({ id }) => id)).not.toContain('LIFE-1/no-other');
});

test('an intern may boot once a call that may boot it was sent, and a secret may show once it was copied', () => {
  const waits = entry(`GET ${ONE}`, 200, record());
  const runs = entry(`GET ${ONE}`, 200, RUNS);
  const copies = entry(`POST ${SECRETS}/copy`, 200, { data: [] }, { json: { names: ['w'] } });
  const refused = entry(`POST ${ONE}/provision`, 409, error(409, 'busy'));
  const found = [
    judged([CREATE, waits, refused, runs]),
    judged([CREATE, waits, { ...INVOKE, status: 409, answer: error(409, 'intern_not_ready') }, runs]),
    judged([CREATE, entry(`GET ${ONE}`, 200, record(), { at: 5_000 }), runs]),
    judged([CREATE, waits, entry(`GET ${ONE}`, 200, record({ status: 'queued' }))]),
    judged([
      { ...CREATE, json: { name: 'two', workspace_id: WORKSPACE }, answer: TWO },
      entry(`GET /interns/${TWO.id}`, 200, { ...TWO, status: 'provisioning' }, { at: 5_000 }),
      ...[CREATE, waits, runs],
    ]),
    judged([CREATE, entry('GET /vault/secrets', 200, IN_VAULT.answer), IN_VAULT]),
    judged([CREATE, IN_WORKSPACE, copies, IN_VAULT]),
  ].flatMap((some) => some.map(({ id }) => id));
  expect(found).not.toContain('CREATE-3/waits');
  expect(found).not.toContain('VAULT-1/not-of-the-workspace');
});

test('an alias may reveal another token if each reveal is another, or a call for another state came between', () => {
  const other = entry(`GET ${ONE}/daemon`, 200, { ...ATTACHED, token: 't-3' });
  const suspends = entry(`POST ${ONE}/suspend`, 200, { suspended: true });
  for (const between of [
    [CREATE, ACCESS, ACCESS, ALIAS, other],
    [CREATE, ACCESS, ACCESS, ALIAS, suspends, ACCESS],
    [CREATE, other, ACCESS, ALIAS, ACCESS],
    [CREATE, ACCESS, ACCESS, ALIAS, { ...ACCESS, at: -180_000 }],
  ])
    expect(judged(between).map(({ id }) => id)).not.toContain('DAEMON-3/as-the-operation');
});

test('a service that holds only what is stated may forget a key, and shift its pages by offset', () => {
  const keyed = { ...CREATE, headers: { 'idempotency-key': 'k' } };
  const taken = { ...keyed, status: 409, answer: error(409, 'name_conflict') };
  const page = (has_more: boolean) => ({ data: [record()], has_more, ...(has_more ? { next_cursor: 'c' } : {}) });
  const create = {
    ...CREATE,
    json: { name: 'two', workspace_id: WORKSPACE },
    answer: TWO,
  };
  const pages = [
    CREATE,
    entry('GET /interns?limit=1', 200, page(true)),
    create,
    entry('GET /interns?limit=1&starting_after=c', 200, page(false)),
  ];
  for (const conversation of [[keyed, taken], pages]) {
    const found = (options: { published?: true }) => judged(conversation, options).map(({ id }) => id);
    expect(found({}).filter((id) => /^(CREATE-4.same|LIST-1.once)/.test(id))).toEqual([]);
    expect(found({ published: true }).filter((id) => /^(CREATE-4.same|LIST-1.once)/.test(id))).toHaveLength(1);
  }
});

test('a list of another workspace lacks no intern', () => {
  const none = { data: [], has_more: false };
  const found = (workspace: string) =>
    judged([
      CREATE,
      entry(`GET /interns?workspace_id=${workspace}`, 200, none),
      entry(`GET /interns?workspace_id=${workspace}&status=stopped`, 200, none),
      entry('GET /interns', 200, { data: [record()], has_more: false }),
    ]).flatMap(({ id }) => (id.endsWith('whole') ? [id] : []));
  expect(found('w-3')).toEqual([]);
  expect(found(WORKSPACE)).toContain('LIST-1/whole');
});

test('a list that names the workspace in another letter case may be served or refused', () => {
  const path = `GET /interns?workspace_id=${WORKSPACE.toUpperCase()}`;
  const served = entry(path, 200, { data: [record()], has_more: false });
  for (const list of [served, entry(path, 404, error(404, 'not_found'))]) expect(judged([CREATE, list])).toEqual([]);
});

test('an update soon after another may be put off for a moment where only stated requirements hold', () => {
  const update = (description: string, more: Partial<Said> = {}) =>
    entry(`PATCH ${ONE}`, 200, record({ description }), { json: { description }, ...more });
  const blames = (at: number, says: Readonly<Record<string, string>>, options = {}) =>
    judged(
      [
        CREATE,
        entry(`GET ${ONE}`, 200, RUNS),
        entry(`POST ${ONE}/suspend`, 200, { suspended: true }),
        update('a'),
        update('b', { status: 409, answer: error(409, 'intern_busy'), says, at }),
      ],
      options,
    ).some(({ id }) => id === 'UPDATE-1/update-accepted');
  const soon = { 'retry-after': '1' };
  expect(blames(1_000, soon)).toBe(false);
  expect([blames(1_000, {}), blames(30_000, soon), blames(1_000, soon, { published: true })]).toEqual([
    true,
    true,
    true,
  ]);
});

test('a member who did not make an intern may not be allowed to change it, unless such a one was before', () => {
  const update = (caller: string, status: number, json: Readonly<Record<string, unknown>> = { description: 'a' }) =>
    entry(`PATCH ${ONE}`, status, status === 200 ? record(json) : error(403, 'forbidden'), { json, caller });
  const shown = entry(`GET ${ONE}`, 200, record(), { caller: 'peer' });
  const blames = (...updates: readonly Said[]) =>
    judged([CREATE, shown, ...updates]).some(({ id }) => id === 'UPDATE-1/update-accepted');
  expect(blames(update('peer', 403), update('peer', 200, {}), update('key', 200), update('peer', 403))).toBe(false);
  expect([blames(update('peer', 200), update('peer', 403)), blames(update('key', 403))]).toEqual([true, true]);
});

test('a name may be taken by the intern of another, or one that is gone, where only stated requirements hold', () => {
  const taken = (name: string) =>
    entry('POST /interns', 409, error(409, 'name_conflict'), {
      json: { name, workspace_id: WORKSPACE, description: 'other' },
      caller: 'peer',
      headers: { 'idempotency-key': 'k' },
    });
  const blames = (name: string, options = {}) =>
    judged([CREATE, taken(name)], options).some(({ id }) => id === 'CREATE-1/create-accepted');
  expect([blames('one'), blames('one', { published: true }), blames('two')]).toEqual([false, true, true]);
});

test('the access to an intern that does not run may be 404 where only stated requirements hold', () => {
  const access = entry(`GET ${ONE}/daemon`, 404, error(404, 'daemon_not_found'), { caller: 'oauth' });
  const found = (shown: object, options = {}) => {
    const read = entry(`GET ${ONE}`, 200, shown);
    const started = shown === RUNS ? [entry(`POST ${ONE}/provision`, 202, {})] : [];
    return judged([CREATE, ...started, read, access, read], options).some(({ id }) => id === 'LIFE-1/stays-found');
  };
  expect([found(record()), found(record(), { published: true }), found(RUNS)]).toEqual([false, true, true]);
});

test('another member may see a new intern a moment after its maker, who sees it at once', () => {
  const suspends = (caller: string, at: number) =>
    entry(`POST ${ONE}/suspend`, 404, error(404, 'not_found'), { caller, at });
  const blames = (caller: string, at: number) =>
    judged([
      ...PROMPT_READS,
      entry('GET /interns/i-0', 200, record({ id: 'i-0', name: 'n-0', vault_id: 'w-0' }), { caller: 'peer' }),
      CREATE,
      entry(`GET ${ONE}`, 200, record(), { at: 100 }),
      suspends(caller, at - 60_000),
      entry(`GET ${ONE}`, 200, record()),
      entry(`GET ${ONE}`, 200, record(), { caller: 'peer' }),
    ]).some(({ id }) => id === 'LIFE-1/stays-found');
  expect([blames('peer', 1_000), blames('peer', 6_000), blames('key', 1_000)]).toEqual([false, true, true]);
});

test('a proof may have further headers, and has no stated one too many or too few', () => {
  const proof = proves('a');
  const found = (more: Readonly<Record<string, string>>) =>
    judged([CREATE, { ...proof, caller: 'oauth', answer: { ...(proof.answer as object), ...more } }]).some(
      ({ id }) => id === 'SIGN-1/keys',
    );
  expect([found({ 'x-svc-invoke-key-id': 'k' }), found({ 'x-svc-invoke-nonce': 'n' })]).toEqual([false, true]);
});

test('a signing may refuse other fields where only stated requirements hold', () => {
  const sign = (json: Readonly<Record<string, string>>) =>
    entry(`POST ${ONE}/daemon/sign`, 400, error(400, 'bad_request'), { json, caller: 'oauth' });
  const found = (json: Readonly<Record<string, string>>, options = {}) =>
    judged([CREATE, sign({ bodySha256: 'a'.repeat(64), ...json })], options).map(({ id }) => id);
  expect(found({ user: 'me' })).not.toContain('SIGN-1/sign-accepted');
  expect(found({ user: 'me' }, { published: true })).toContain('SIGN-1/sign-accepted');
  expect(found({})).toContain('SIGN-1/sign-accepted');
});

test('a delete that finds no intern is not the one that took it away', () => {
  const conversation = [
    CREATE,
    entry(`GET ${ONE}`, 200, record()),
    entry(`DELETE ${ONE}`, 404, error(404, 'not_found'), { at: 100 }),
    entry(`GET ${ONE}`, 404, error(404, 'not_found'), { at: -59_000 }),
  ];
  expect(judged(conversation).map(({ id }) => id)).not.toContain('LIFE-1/refused-does-nothing');
});

test.each([403, 404, 421])('a regional host refuses with %i, whatever else is wrong', (status) => {
  const more = { headers: { host: 'eu.service.test' } };
  const refused = { error: { code: status, message: 'Not here' } };
  const found = judged([
    entry('GET /interns', status, refused, { ...more, caller: null }),
    entry('POST /interns', status, refused, { ...more, raw: '[]' }),
    entry(`GET /scim/group-mappings/${ID}`, status, refused, more),
  ]);
  const stated = found.filter(
    ({ id }) => !['BASE-4/regional-form', 'BASE-4/regional-status', 'BASE-3/published-reason'].includes(id),
  );
  expect(stated.map(({ id }) => id)).toEqual([]);
});

test('a secret that was deleted, or may be on another page, is missed by nobody', () => {
  const list = (has_more: boolean) => entry(`GET ${SECRETS}`, 200, { data: [], has_more });
  const found = judged([CREATE, STORES, list(true), entry(`DELETE ${SECRETS}/a`, 204), list(false)]);
  expect(found.map(({ id }) => id)).not.toContain('VAULT-1/kept');
});

test.each([
  ['its delete passed unseen', { partial: true }, [STORES]],
  ['it was deleted while it was stored', {}, [{ ...STORES, meanwhile: [entry(`DELETE ${SECRETS}/a`, 204)] }]],
  ['it was stored while it was deleted', {}, [{ ...entry(`DELETE ${SECRETS}/a`, 204), meanwhile: [STORES] }]],
])('a secret is missed by nobody where %s', (_, more, writes) => {
  const found = judged([CREATE, ...writes, entry(`GET ${SECRETS}`, 200, { data: [], has_more: false })], more);
  expect(found.map(({ id }) => id)).not.toContain('VAULT-1/kept');
});

test('an intern that stays stopped after a provision shows nothing where others stopped by themselves', () => {
  const two = `/interns/${TWO.id}`;
  const found = judged([
    {
      ...CREATE,
      json: { name: 'two', workspace_id: WORKSPACE, provision: true },
      answer: { ...TWO, status: 'running' },
    },
    entry(`GET ${two}`, 200, { ...TWO, status: 'running' }),
    entry(`GET ${two}`, 200, { ...TWO, status: 'stopped' }),
    CREATE,
    entry(`POST ${ONE}/provision`, 202, { provisioning: true }),
    ...Array.from({ length: 6 }, () => entry(`GET ${ONE}`, 200, record())),
  ]);
  expect(found.map(({ id }) => id)).not.toContain('PROV-1/provision-starts');
});

test('a boot after a refused provision is that of the call where interns rest until they are asked to boot', () => {
  const rested = PROMPT_READS.map((said) => (said.method === 'GET' ? { ...said, at: 3_000 } : said));
  const conversation = (before: readonly Said[]) => [
    ...before,
    CREATE,
    entry(`GET ${ONE}`, 200, record()),
    entry(`POST ${ONE}/provision`, 404, error(404, 'not_found'), { caller: 'foreign', at: 1_000 }),
    entry(`GET ${ONE}`, 200, record({ status: 'provisioning' }), { at: -57_000 }),
  ];
  const breaks = (said: readonly Said[]) => judged(conversation(said)).map(({ id }) => id);
  expect(breaks(rested)).toContain('LIFE-1/refused-does-nothing');
  expect(breaks(PROMPT_READS)).not.toContain('LIFE-1/refused-does-nothing');
  const boots = entry('GET /interns/i-3', 200, record({ id: 'i-3', name: 'n-3', vault_id: 'w-3', status: 'queued' }));
  expect(breaks([...rested, boots])).not.toContain('LIFE-1/refused-does-nothing');
});

test('an intern that stops late after its own suspend and a refused call was not stopped by that of another', () => {
  const breaks = (suspends: boolean) =>
    judged([
      ...PROMPT_READS,
      CREATE,
      { ...CREATE, json: { name: 'two', workspace_id: WORKSPACE }, answer: TWO },
      entry(`POST ${ONE}/provision`, 202, { provisioning: true }),
      suspends
        ? entry(`POST ${ONE}/suspend`, 200, { suspended: true }, { at: 50 })
        : entry(`GET ${ONE}`, 200, RUNS, { at: 50 }),
      entry(`POST ${ONE}/provision`, 400, error(400, 'bad_request'), { json: [], at: -59_940 }),
      entry(`GET ${ONE}`, 200, RUNS, { at: -119_900 }),
      entry(`POST /interns/${TWO.id}/suspend`, 200, { suspended: true }, { at: -179_800 }),
      entry(`GET ${ONE}`, 200, record(), { at: -239_000 }),
    ]).map(({ id }) => id);
  expect(breaks(false)).toContain('LIFE-1/no-other');
  expect(breaks(true)).not.toContain('LIFE-1/no-other');
});

test('a boot that a create asked for may begin after the provision of another intern', () => {
  const rested = PROMPT_READS.map((said) => (said.method === 'GET' ? { ...said, at: 3_000 } : said));
  const breaks = (provision: boolean) =>
    judged([
      ...rested,
      { ...CREATE, json: { name: 'two', workspace_id: WORKSPACE }, answer: TWO },
      { ...CREATE, json: { name: 'one', workspace_id: WORKSPACE, provision } },
      entry(`POST /interns/${TWO.id}/provision`, 202, { provisioning: true }, { at: 100 }),
      entry(`GET ${ONE}`, 200, record({ status: 'running' }), { at: -59_000 }),
    ]).map(({ id }) => id);
  expect(breaks(false)).toContain('LIFE-1/no-other');
  expect(breaks(true)).not.toContain('LIFE-1/no-other');
});

test('a deployment may refuse any body of a provision, an emulator one with fields', () => {
  const breaks = (body: object, ours: boolean) =>
    judged(
      [
        ...PROMPT_READS,
        { ...CREATE, json: { name: 'one', workspace_id: WORKSPACE, provision: true }, answer: RUNS },
        entry(`POST ${ONE}/suspend`, 200, { suspended: true }),
        entry(`GET ${ONE}`, 200, record()),
        { ...entry(`POST ${ONE}/provision`, 400, error(400, 'invalid_body')), ...body },
      ],
      { ours },
    ).some(({ id }) => id === 'PROV-1/provision-accepted');
  expect(breaks({}, false)).toBe(true);
  expect(breaks({ json: {} }, true)).toBe(true);
  expect(breaks({ json: {} }, false)).toBe(false);
});

test('a provision may be refused while the record says that a suspend has not stopped the intern yet', () => {
  const breaks = (shown: object, ours = false) =>
    judged(
      [
        ...PROMPT_READS,
        { ...CREATE, json: { name: 'one', workspace_id: WORKSPACE, provision: true }, answer: RUNS },
        entry(`GET ${ONE}`, 200, RUNS),
        entry(`POST ${ONE}/suspend`, 200, { suspended: true }),
        entry(`GET ${ONE}`, 200, shown),
        entry(`POST ${ONE}/provision`, 409, error(409, 'intern_busy')),
      ],
      { ours },
    ).some(({ id }) => id === 'PROV-1/provision-accepted');
  expect(breaks(record())).toBe(true);
  expect(breaks(RUNS)).toBe(false);
  expect(breaks(RUNS, true)).toBe(true);
});

test('a delete that takes another intern is seen where nobody else deletes', () => {
  const conversation = [
    CREATE,
    { ...CREATE, json: { name: 'two', workspace_id: WORKSPACE }, answer: TWO },
    entry(`GET ${ONE}`, 200, record()),
    entry(`DELETE /interns/${TWO.id}`, 202, { deleting: true }, { at: 100 }),
    entry(`GET ${ONE}`, 404, error(404, 'not_found'), { at: -59_000 }),
  ];
  const of = (ours: boolean) => judged(conversation, { ours }).find(({ id }) => id === 'LIFE-1/no-other');
  expect(of(true)).toEqual({ id: 'LIFE-1/no-other', number: 5, because: [3, 4] });
  expect(of(false)).toBeUndefined();
});

test('an intern that was just read as running may need a moment before it takes prompts', () => {
  const unknown = { ...INVOKE, json: { input: 'Hello', session_id: 'nobody' }, status: 409, at: 500 };
  const conversation = [
    ...PROMPT_READS,
    { ...CREATE, json: { name: 'one', workspace_id: WORKSPACE, provision: true }, answer: RUNS },
    entry(`GET ${ONE}`, 200, RUNS),
    { ...unknown, answer: error(409, 'intern_not_ready') },
  ];
  expect(judged(conversation).map(({ id }) => id)).not.toContain('INVOKE-3/session-of-others');
});

test('an intern that has just answered may be busy with that, whatever became of it since', () => {
  const json = { messages: [{ role: 'user', content: 'Hello.' }], stream: true };
  const refused = entry(`POST ${ONE}/chat/completions`, 409, error(409, 'busy'), { json });
  const breaks = (at: object) =>
    judged([
      { ...CREATE, json: { name: 'one', workspace_id: WORKSPACE, provision: true }, answer: RUNS },
      chats({}),
      entry(`DELETE ${ONE}`, 202, { deleting: true }, { at: 100 }),
      { ...refused, ...at },
    ]).map(({ id }) => id);
  expect(breaks({ at: -59_000 })).not.toContain('BASE-3/reason');
  expect(breaks({})).toContain('BASE-3/reason');
});

test('of a stream that was left before its end only its question counts', () => {
  const asked = { ...chats({ asks: 1 }), left: true as const };
  const again = judged([CREATE, asked, replies(), replies()]).find(({ id }) => id === 'CHAT-7/answered-once');
  expect(again).toEqual({ id: 'CHAT-7/answered-once', number: 4, because: [1, 3] });
  const spoke = { ...chats({ says: ['Hi.'] }), left: true as const };
  expect(judged([CREATE, spoke, chats({})]).map(({ id }) => id)).not.toContain('CHAT-15/new-session');
});

test('an intern is busy only while a stream of its own may go on', () => {
  const refused = (at?: number) =>
    entry(`POST ${ONE}/chat/completions`, 409, error(409, 'busy'), {
      json: chats({}).json,
      ...(at === undefined ? {} : { at }),
    });
  const isBlamed = (...conversation: readonly Said[]) =>
    judged([CREATE, ...conversation]).some(({ id }) => id === 'CHAT-14/busy-while-it-streams');
  const spoke = chats({ says: ['Hi.'] });
  const elsewhere = { ...spoke, path: `/interns/${TWO.id}/chat/completions` };
  expect([isBlamed(refused()), isBlamed(spoke, refused()), isBlamed({ ...elsewhere, meanwhile: [refused()] })]).toEqual(
    [true, true, true],
  );
  const left = { ...spoke, left: true as const };
  expect([
    isBlamed(spoke, refused(500)),
    isBlamed(left, refused()),
    isBlamed({ ...spoke, meanwhile: [refused()] }),
  ]).toEqual([false, false, false]);
  expect(isBlamed(refused(), refused(500))).toBe(true);
});

test('no read counts as late once ten showed at once what was made, and none did not', () => {
  const missed = entry(`GET ${ONE}`, 404, error(404, 'not_found'));
  const found = entry(`GET ${ONE}`, 200, record());
  const judge = (reads: readonly Said[]) =>
    judged([...reads, CREATE, found, missed, found]).filter(({ id }) => id === 'LIFE-1/stays-found').length;
  const late = [{ ...CREATE, json: { name: 'two', workspace_id: WORKSPACE }, answer: TWO }];
  const lacks = entry(`GET /interns/${TWO.id}`, 404, error(404, 'not_found'), { at: 5_000 });
  expect(judge(PROMPT_READS)).toBe(1);
  expect(judge(PROMPT_READS.slice(2))).toBe(0);
  expect(judge([...PROMPT_READS, ...late, lacks])).toBe(0);
});

test('a daemon that was attached to before a call for another state says nothing of what boots then', () => {
  const conversation = [
    CREATE,
    entry(`GET ${ONE}/daemon`, 200, ATTACHED),
    entry(`POST ${ONE}/provision`, 202, { provisioning: true }, { at: 500 }),
    entry(`GET ${ONE}`, 200, record({ status: 'provisioning' }), { at: -59_000 }),
  ];
  expect(judged(conversation).map(({ id }) => id)).not.toContain('DAEMON-1/not-while-it-boots');
});

test('the usage of a run may be that of one before it in its session, and a proof may be answered again', () => {
  const again = chats({ json: { session_id: 's-1' }, says: ['Hi.'], usage: 2 });
  const ids = judged([CREATE, chats({ says: ['Hi.'], usage: 2 }), again, proves('a'), proves('a')]).map(({ id }) => id);
  expect(ids).not.toContain('CHAT-4/of-one-run');
  expect(ids).not.toContain('SIGN-4/of-its-request');
});

test('a proof for a body that is not known is compared with no other', () => {
  const ids = judged([CREATE, { ...proves('a'), hidden: true }, proves('a')]).map(({ id }) => id);
  expect(ids).not.toContain('SIGN-4/of-its-request');
});

test('a cursor stands for the pages of the list that gave it, not of a list with another filter', () => {
  const page = (query: string, data: readonly unknown[], more: object = { has_more: false }) =>
    entry(`GET /interns?${query}`, 200, { data, ...more });
  const isBlamed = (first: string) =>
    judged([
      CREATE,
      { ...CREATE, json: { name: 'two', workspace_id: WORKSPACE }, answer: TWO },
      page(first, [TWO], { has_more: true, next_cursor: 'c' }),
      page('limit=1&starting_after=c', []),
      page('', [TWO, record()]),
    ]).some(({ id }) => id === 'LIST-1/whole');
  expect([isBlamed('limit=1'), isBlamed('limit=1&status=stopped')]).toEqual([true, false]);
});

test('a question whose five minutes passed on a clock that was moved may be closed', () => {
  const late = { ...replies(), status: 409, answer: error(409, 'interaction_not_pending') };
  const closed = (step: number) => {
    let moved = 0;
    const moves = { moved: () => (moved += step) };
    return judged([CREATE, chats({ asks: 1 }), late], moves).some(({ id }) => id === 'CHAT-7/open-question-answered');
  };
  expect([closed(0), closed(300_000)]).toEqual([true, false]);
});

test('an emulator of ours refuses a prompt that names an unknown script, and no other valid one', () => {
  const blames = (input: string) => {
    const refused = entry(`POST ${ONE}/invoke`, 400, error(400, 'invalid_body'), { json: { input } });
    const runs = [entry(`POST ${ONE}/provision`, 202, { provisioning: true }), entry(`GET ${ONE}`, 200, RUNS)];
    return judged([CREATE, ...runs, refused], { ours: true }).some(({ id }) => id === 'INVOKE-1/invoke-accepted');
  };
  expect([blames('script: nope'), blames('Hello')]).toEqual([false, true]);
});

test('a create whose key was used before all that was seen is answered with what it made then', () => {
  const other = '22222222-2222-4222-8222-222222222222';
  const keyed = (key: string, more: Partial<Said>): Said => ({
    ...CREATE,
    headers: { 'idempotency-key': key },
    ...more,
  });
  const again = { json: { name: 'one', workspace_id: WORKSPACE, description: 'old' }, answer: record({ id: other }) };
  const judge = (status: number) => judged([keyed('new', {}), keyed('old', { ...again, status })]).map(({ id }) => id);
  expect(judge(200)).not.toContain('CREATE-5/name-taken');
  expect(judge(201)).toContain('CREATE-5/name-taken');
});

test('a new intern comes to rest by itself, though a suspend was refused meanwhile', () => {
  const queued = record({ status: 'queued' });
  expect(
    judged([
      { ...CREATE, answer: queued },
      entry(`GET ${ONE}`, 200, queued),
      entry(`POST ${ONE}/suspend`, 409, error(409, 'intern_busy'), { at: 1_000 }),
      entry(`GET ${ONE}`, 200, record(), { at: -57_000 }),
    ]).filter(({ id }) => id.startsWith('LIFE-1/')),
  ).toEqual([]);
});

test('what nobody answered, and what says nothing, leaves both possible', () => {
  expect(
    judged([
      CREATE,
      entry(`PATCH ${ONE}`, 502, error(502, 'upstream_unavailable'), { json: { description: 'new' } }),
      entry(`GET ${ONE}`, 200, record({ description: 'new' })),
    ]),
  ).toEqual([]);
});

test('the Date of a gateway may be some seconds off, and that of an emulator is no clock of its own', () => {
  const at = Date.UTC(2026, 10, 23, 12);
  const made = (old: number) =>
    entry('POST /interns', 201, record({ created_at: new Date(at - old).toISOString() }), {
      json: { name: 'one', workspace_id: WORKSPACE },
      date: new Date(at).toUTCString(),
    });
  const signed = (seconds: number, ours = false, before: Said[] = []) =>
    judged(
      [
        ...before,
        entry(
          'POST /interns/i-1/daemon/sign',
          200,
          { 'x-svc-invoke-timestamp': String(at / 1_000 - seconds) },
          { caller: 'key', json: { bodySha256: 'ab'.repeat(32) }, date: new Date(at).toUTCString() },
        ),
      ],
      { ours },
    ).filter(({ id }) => id === 'SIGN-5/time-of-signing');
  expect([0, 10, -10].flatMap((seconds) => signed(seconds))).toEqual([]);
  expect([60, -60].map((seconds) => signed(seconds).length)).toEqual([1, 1]);
  expect(signed(3_600, true)).toEqual([]);
  expect([100, 3_600_000].map((old) => signed(3_600, false, [made(old)]).length)).toEqual([1, 0]);
});

test('a long text may be refused where its limits are not published, a short one may not', () => {
  const creates = (description: string) =>
    entry('POST /interns', 400, error(400, 'invalid_body'), {
      json: { name: 'one', workspace_id: WORKSPACE, description },
    });
  expect(judged([creates('a'.repeat(200))])).toEqual([]);
  expect(judged([creates('a'.repeat(200))], { published: true }).map(({ id }) => id)).toContain(
    'CREATE-1/create-accepted',
  );
  expect(judged([creates('short')]).map(({ id }) => id)).toContain('CREATE-1/create-accepted');
});

test('an id that was never shown may have a wrong form, that of an intern has not', () => {
  const malformed = (path: string) => entry(`GET ${path}`, 400, error(400, 'invalid_id'));
  expect(judged([CREATE, malformed('/interns/one')])).toEqual([]);
  expect(judged([CREATE, malformed(ONE)]).map(({ id }) => id)).toContain('GET-1/get-accepted');
});

test('a prompt that is steered may be answered with any success, and one that is not with a stream alone', () => {
  const prompt = { method: 'POST', path: `${ONE}/chat/completions`, json: { stream: true, messages: [] } };
  const answered = (answer: object) => judged([CREATE, { ...prompt, status: 200, answer }]).map(({ id }) => id);
  expect(answered({ session_id: 's', status: 'steered' })).not.toContain('CHAT-1/is-a-stream');
  expect(answered({ session_id: 's' })).toContain('CHAT-1/is-a-stream');
});

test('a suspend may end the sessions of an intern, and nothing else does', () => {
  const started = { ...INVOKE, status: 202, answer: { session_id: 's', status: 'started' } };
  const read = entry(`GET ${ONE}`, 200, RUNS);
  const lost = {
    ...INVOKE,
    json: { input: 'Hello', session_id: 's' },
    status: 404,
    answer: error(404, 'not_found'),
  };
  const resumed = [
    entry(`POST ${ONE}/suspend`, 200, { suspended: true }),
    entry(`GET ${ONE}`, 200, record()),
    entry(`POST ${ONE}/provision`, 202, { provisioning: true }),
    read,
  ];
  const blames = (between: readonly Said[]) =>
    judged([CREATE, read, started, ...between, lost, read]).some(({ id }) => id === 'LIFE-1/stays-found');
  expect(blames([])).toBe(true);
  expect(blames(resumed)).toBe(false);
});

const FAILED = record({ status: 'failed', last_failure_message: 'The runtime ran out of memory' });

test('a list by status need not have an intern that ran and may have failed by itself', () => {
  const whole = (statuses: string) => entry(`GET /interns?status=${statuses}`, 200, { data: [], has_more: false });
  const blames = (statuses: string) =>
    judged([CREATE, entry(`GET ${ONE}`, 200, RUNS), whole(statuses), entry(`GET ${ONE}`, 200, FAILED)]).map(
      ({ id }) => id,
    );
  expect(blames('running,stopped')).not.toContain('LIST-2/status-whole');
  expect(blames('running,stopped,failed')).toContain('LIST-2/status-whole');
});

test('a daemon access whose names are others is that of no other intern', () => {
  const other = { daemon_origin: 'https://d.test', daemon_token: 't-1' };
  const attached = (answer: object) =>
    judged([ACCESS, entry(`GET /interns/${TWO.id}/daemon`, 200, answer)]).map(({ id }) => id);
  const renamed = [entry(`GET ${ONE}/daemon`, 200, other), entry(`GET /interns/${TWO.id}/daemon`, 200, other)];
  expect(judged(renamed).map(({ id }) => id)).not.toContain('DAEMON-1/of-one-intern');
  expect(attached(ATTACHED)).toContain('DAEMON-1/of-one-intern');
});

test('an update may be put off for a moment after a suspend, if the service says so', () => {
  const blames = (at: number, headers: Readonly<Record<string, string>>) =>
    judged([
      CREATE,
      entry(`GET ${ONE}`, 200, RUNS),
      entry(`POST ${ONE}/suspend`, 200, { suspended: true }),
      entry(`PATCH ${ONE}`, 409, error(409, 'intern_busy'), { json: { description: 'new' }, at, says: headers }),
    ]).some(({ id }) => id === 'UPDATE-1/update-accepted');
  expect(blames(1_000, { 'retry-after': '3' })).toBe(false);
  expect(blames(1_000, {})).toBe(true);
  expect(blames(30_000, { 'retry-after': '3' })).toBe(true);
});

test('a list may show an update some seconds later than a read, and has to show it', () => {
  const updated = record({ description: 'new', updated_at: '2026-01-01T00:00:01.000Z' });
  const blames = (at: number, ours?: true) =>
    judged(
      [
        CREATE,
        entry(`PATCH ${ONE}`, 200, updated, { json: { description: 'new' } }),
        entry('GET /interns', 200, { data: [record()], has_more: false }, { at }),
      ],
      ours === undefined ? {} : { ours },
    ).some(({ id }) => id === 'GET-1/settings');
  expect(blames(2_000)).toBe(false);
  expect(blames(2_000, true)).toBe(true);
  expect(blames(10_000)).toBe(true);
});
