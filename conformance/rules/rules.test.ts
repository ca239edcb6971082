import { expect, test } from 'vitest';
import { SHIPPED } from '../framework/profile.js';
import type { Asked, Exchange } from '../model/exchange.js';
import { createModel } from '../model/model.js';
import { REQUIREMENTS } from '../requirements/index.js';
import { RULES, seenBy } from './index.js';

const WORKSPACE = 'w-1';

interface Said {
  readonly method?: string;
  readonly path: string;
  readonly json?: unknown;
  readonly caller?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  readonly answer?: unknown;
  /** The Date of the answer. */
  readonly date?: string;
}

/** What the rules make of a conversation: the rules that the exchanges break, with what they rest on. */
function judged(conversation: readonly Said[], more: { readonly ours?: boolean } = {}) {
  const profile = SHIPPED.svc;
  if (profile === undefined) throw new Error('no profile svc');
  const model = createModel({
    profile,
    publicKeys: [],
    ...more,
    caller: (name) =>
      name === 'key'
        ? { kind: 'key', workspace: WORKSPACE, person: 'one' }
        : name === 'foreign'
          ? { kind: 'key', workspace: 'w-2', person: 'two' }
          : undefined,
  });
  return conversation.flatMap((said, index) => {
    const number = index + 1;
    const [path = '', query = ''] = said.path.split('?');
    const text = said.json === undefined ? undefined : JSON.stringify(said.json);
    const asked: Asked = {
      number,
      at: number * 60_000,
      method: said.method ?? 'GET',
      path,
      query: new URLSearchParams(query),
      header: (name) =>
        said.headers?.[name] ?? (name === 'content-type' && text !== undefined ? 'application/json' : undefined),
      body: text === undefined ? { kind: 'none' } : { kind: 'some', size: text.length, text, json: said.json },
      caller: said.caller === undefined ? 'key' : said.caller,
      regional: false,
    };
    model.asks(asked);
    const exchange: Exchange = {
      asked,
      answered: {
        at: asked.at + 1,
        status: said.status,
        header: (name) => (name === 'content-type' ? 'application/json' : name === 'date' ? said.date : undefined),
        text: JSON.stringify(said.answer ?? ''),
        json: said.answer,
        whole: true,
      },
    };
    const seen = seenBy(model, exchange);
    const broken = RULES.flatMap(({ id, level, judge }) => {
      const judgement = seen === undefined ? undefined : judge(seen, model);
      return judgement === undefined || judgement === 'kept' || level === 'C'
        ? []
        : [{ id, number, because: judgement.because }];
    });
    model.sees(exchange);
    return broken;
  });
}

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
const error = (code: number, reason: string) => ({
  error: { code, message: 'no', metadata: { reason, retryable: false } },
});
const CREATE: Said = {
  method: 'POST',
  path: '/interns',
  json: { name: 'one', workspace_id: WORKSPACE },
  status: 201,
  answer: record(),
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

test('a right conversation breaks nothing', () => {
  const changed = record({ description: 'new', updated_at: '2026-01-01T00:00:01.000Z' });
  expect(
    judged([
      CREATE,
      { path: `/interns/${ID}`, status: 200, answer: record() },
      { method: 'PATCH', path: `/interns/${ID}`, json: { description: 'new' }, status: 200, answer: changed },
      { path: `/interns/${ID}`, status: 200, answer: changed },
      { path: '/interns', status: 200, answer: { data: [changed], has_more: false } },
      { path: `/interns/${ID}`, caller: 'foreign', status: 404, answer: error(404, 'not_found') },
      { path: `/interns/${ID}`, caller: null, status: 401, answer: { error: { code: 401, message: 'no' } } },
      { method: 'DELETE', path: `/interns/${ID}`, status: 202, answer: { deleting: true } },
      { path: `/interns/${ID}`, status: 404, answer: error(404, 'not_found') },
    ]),
  ).toEqual([]);
});

test.each<[rule: string, because: readonly number[], conversation: readonly Said[]]>([
  ['AUTH-1/key-needed', [], [{ path: '/interns', caller: null, status: 200, answer: { data: [], has_more: false } }]],
  ['AUTH-3/not-visible', [1], [CREATE, { path: `/interns/${ID}`, caller: 'foreign', status: 200, answer: record() }]],
  [
    'GET-1/settings',
    [2],
    [
      CREATE,
      {
        method: 'PATCH',
        path: `/interns/${ID}`,
        json: { description: 'new' },
        status: 200,
        answer: record({ description: 'new' }),
      },
      { path: `/interns/${ID}`, status: 200, answer: record({ description: 'old' }) },
    ],
  ],
  [
    'BODY-3/media-type',
    [1],
    [
      CREATE,
      {
        method: 'PATCH',
        path: `/interns/${ID}`,
        json: {},
        headers: { 'content-type': 'text/plain' },
        status: 200,
        answer: record(),
      },
    ],
  ],
  [
    'BODY-1/no-fields',
    [1],
    [
      CREATE,
      {
        method: 'POST',
        path: `/interns/${ID}/provision`,
        json: { force: true },
        status: 202,
        answer: { provisioning: true },
      },
    ],
  ],
  [
    'LIST-1/whole',
    [1],
    [
      CREATE,
      { path: `/interns/${ID}`, status: 200, answer: record() },
      { path: '/interns', status: 200, answer: { data: [], has_more: false } },
      { path: `/interns/${ID}`, status: 200, answer: record() },
      { path: '/interns', status: 200, answer: { data: [], has_more: false } },
    ],
  ],
  ['CREATE-1/as-asked', [1], [{ ...CREATE, answer: record({ name: 'other' }) }]],
  [
    'BASE-3/code',
    [],
    [{ path: '/interns', caller: null, status: 401, answer: { error: { code: 400, message: 'no' } } }],
  ],
])('%s is broken, because of %j', (rule, because, conversation) => {
  const broken = judged(conversation).find(({ id }) => id === rule);
  expect(broken?.because.slice(0, because.length)).toEqual(because);
  expect(broken?.number).toBe(conversation.length);
});

test('what nobody answered, and what says nothing, leaves both possible', () => {
  expect(
    judged([
      CREATE,
      {
        method: 'PATCH',
        path: `/interns/${ID}`,
        json: { description: 'new' },
        status: 502,
        answer: error(502, 'upstream_unavailable'),
      },
      { path: `/interns/${ID}`, status: 200, answer: record({ description: 'new' }) },
    ]),
  ).toEqual([]);
});

test('the Date of a gateway may be some seconds off, and that of an emulator is no clock of its own', () => {
  const at = Date.UTC(2026, 10, 23, 12);
  const signed = (seconds: number, ours = false) =>
    judged(
      [
        {
          method: 'POST',
          path: '/interns/i-1/daemon/sign',
          caller: 'key',
          json: { bodySha256: 'ab'.repeat(32) },
          status: 200,
          answer: { 'x-svc-invoke-timestamp': String(at / 1_000 - seconds) },
          date: new Date(at).toUTCString(),
        },
      ],
      { ours },
    ).filter(({ id }) => id === 'SIGN-5/time-of-signing');
  expect([0, 10, -10].flatMap((seconds) => signed(seconds))).toEqual([]);
  expect([60, -60].map((seconds) => signed(seconds).length)).toEqual([1, 1]);
  expect(signed(3_600, true)).toEqual([]);
});
