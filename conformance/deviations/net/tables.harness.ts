import { when } from '../../helpers/chat.js';

/** Sends requests and lets time pass. A line is `caller METHOD path`, `name=` before it keeps the id of what it makes. */
export interface World {
  ask(line: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<void>;
  wait(ms: number): Promise<void>;
  /** Closes every answer that is still read. */
  leave(): Promise<void>;
}
export type Table = (world: World) => Promise<void>;

const DIGEST = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const ROUTE = { method: 'POST', path: '/api/invoke' };
const say = (content: string, more: object = {}) => ({ messages: [{ role: 'user', content }], stream: true, ...more });
const manual = (content: string, more: object = {}) => say(content, { approval_mode: 'manual', ...more });
const made = (name: string, more: object = {}) => ({ name, workspace_id: '{workspace}', ...more });
const CHAT = '/chat/completions';

/** An answer to the last question, as clients send it. */
const answer = (
  content: string,
  { call = '{call}', session = '{session}', ...more }: Record<string, unknown> = {},
) => ({
  messages: [
    { role: 'user', content: 'Go on.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: call, type: 'function', function: { name: 'service.provide_input', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: call, content },
  ],
  stream: true,
  session_id: session,
  ...more,
});

const KEYS = ['api_key', 'peer_api_key', 'foreign_api_key', 'outsider_api_key', 'own_key', 'management_key'];
const TOKENS = ['oauth_token', 'oauth_interns_only_token', 'peer_oauth_token'];
const CALLERS = ['nobody', 'stranger', ...KEYS, ...TOKENS];

/** Operations on an intern, what destroys last. */
const OPERATIONS: readonly (readonly [method: string, rest: string, body?: unknown])[] = [
  ['GET', ''],
  ['GET', '/daemon'],
  ['GET', '/daemon-access'],
  ['POST', '/daemon/sign', { bodySha256: DIGEST }],
  ['POST', '/daemon-access/sign', { bodySha256: DIGEST, route: ROUTE }],
  ['PATCH', '', { description: 'changed' }],
  ['POST', '/invoke', { input: 'Hello.' }],
  ['POST', CHAT, say('Hello.')],
  ['POST', '/provision'],
  ['POST', '/suspend'],
  ['DELETE', ''],
];
const WRITES = OPERATIONS.filter(([method]) => method !== 'GET');

/** Makes an intern in a state. */
async function make({ ask, wait }: World, name: string, state: string, as = 'api_key'): Promise<void> {
  const script = { failed: 'boot-fails', destroy_failed: 'teardown-fails' }[state];
  const at = `/interns/{${name}}`;
  await ask(`${name}=${as} POST /interns`, made(`n-${name.replace(/\W|_/g, '').slice(0, 14)}`));
  if (script !== undefined) await ask(`nobody PUT /_emulator${at}/script`, { name: script });
  if (['booting', 'running', 'suspended', 'failed'].includes(state)) await ask(`${as} POST ${at}/provision`);
  if (['running', 'suspended', 'failed'].includes(state)) await wait(60_000);
  if (state === 'suspended') await ask(`${as} POST ${at}/suspend`);
  if (['destroying', 'destroy_failed', 'gone'].includes(state)) await ask(`${as} DELETE ${at}`);
  if (['destroy_failed', 'gone'].includes(state)) await wait(60_000);
}

const STATES = ['stopped', 'booting', 'running', 'suspended', 'failed', 'destroying', 'destroy_failed', 'gone'];

/** Operations by callers, on interns that are theirs and are not. */
const who: Table = async (world) => {
  const { ask } = world;
  await ask('nobody PUT /_emulator/limits', { turns_per_minute: 0 });
  await make(world, 'mine', 'running');
  await make(world, 'peers', 'running', 'peer_api_key');
  await ask('theirs=foreign_api_key POST /interns', { name: 'theirs', workspace_id: '{foreign}' });
  for (const as of CALLERS) {
    for (const query of ['', '?status=running', '?workspace_id={workspace}', '?workspace_id={foreign}'])
      await ask(`${as} GET /interns${query}`);
    await ask(`${as} POST /interns`, made(`by-${as.slice(0, 12).replace(/_/g, '')}`));
    for (const on of ['mine', 'peers', 'theirs', 'seeded', 'unknown'])
      for (const [method, rest, body] of OPERATIONS.slice(0, on === 'seeded' || as === 'foreign_api_key' ? 8 : 6))
        await ask(`${as} ${method} /interns/{${on}}${rest}`, body);
    await ask(`${as} GET /vault/secrets`);
    await ask(`${as} PUT /vault/secrets/by_${as}`, { value: 'a value of some length', hosts: ['a.test'] });
    await ask(`${as} GET /vault/interns/{mine}/secrets`);
    await ask(`${as} DELETE /vault/secrets/nothing`);
    await ask(`${as} GET /scim/group-mappings/{mapping}`);
    await ask(`${as} GET /scim/groups`);
    await ask(`${as} GET /nothing`);
  }
  for (const as of CALLERS.filter((one) => one !== 'api_key'))
    for (const [method, rest, body] of WRITES.slice(-5)) await ask(`${as} ${method} /interns/{mine}${rest}`, body);
};

/** Operations by states, each on an intern of its own, and what came of it. */
const states: Table = async (world) => {
  const { ask, wait } = world;
  await ask('nobody PUT /_emulator/limits', { turns_per_minute: 0 });
  for (const state of STATES)
    for (const [at, [method, rest, body]] of OPERATIONS.entries()) {
      const name = `${state}_${at}`;
      await make(world, name, state);
      await ask(`${/daemon/.test(rest) ? 'oauth_token' : 'api_key'} ${method} /interns/{${name}}${rest}`, body);
      await ask(`api_key GET /interns/{${name}}`);
      await wait(1_500);
      await ask(`api_key GET /interns/{${name}}`);
      await wait(60_000);
      await ask(`api_key GET /interns/{${name}}`);
      await ask(`nobody GET /_emulator/interns/{${name}}`);
    }
  for (const json of [{ acknowledge_workspace_loss: true }, { acknowledge_workspace_loss: false }, undefined])
    for (const at of [0, 5]) await ask(`api_key DELETE /interns/{destroy_failed_${at}}`, json);
  await wait(60_000);
  await ask('api_key GET /interns?limit=500');
  await ask('nobody GET /_emulator/interns');
};

/** Operations by bodies. */
const bodies: Table = async (world) => {
  const { ask, wait } = world;
  await ask('nobody PUT /_emulator/limits', { turns_per_minute: 0 });
  await make(world, 'it', 'running');
  const pad = (size: number) => `{"description":"${'x'.repeat(size - 18)}"}`;
  const given: readonly (readonly [body: unknown, headers?: Record<string, string>])[] = [
    [undefined],
    [''],
    ['', { 'content-type': 'text/plain' }],
    ['{}'],
    [' '],
    ['null'],
    ['[]'],
    ['"text"'],
    ['7'],
    ['{'],
    ['{"name":"ab",}'],
    ['{"unknown":1}'],
    ['\uFEFF{}'],
    ['{"a":"\\ud800"}'],
    ['[['.repeat(5_000)],
    [pad(1_048_576)],
    [pad(1_048_577)],
    [pad(1_048_577), { 'content-type': 'text/plain' }],
    ['{"description":"x"}', { 'content-type': '' }],
    ['{"description":"x"}', { 'content-type': 'text/plain' }],
    ['{"description":"x"}', { 'content-type': 'application/json; charset=utf-8' }],
    ['{"description":"x"}', { 'content-type': 'Application/JSON' }],
    ['{"description":"x"}', { 'content-type': 'application/jsonp' }],
    ['{"description":"x"}', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['{"description":"x","description":"y"}'],
    ['{"__proto__":{"a":1}}'],
  ];
  const at = [
    ['api_key', 'POST', '/interns'],
    ['api_key', 'PATCH', '/interns/{it}'],
    ['api_key', 'POST', '/interns/{it}/provision'],
    ['api_key', 'POST', `/interns/{it}${CHAT}`],
    ['api_key', 'POST', '/interns/{it}/invoke'],
    ['oauth_token', 'POST', '/interns/{it}/daemon/sign'],
    ['oauth_token', 'POST', '/interns/{it}/daemon-access/sign'],
    ['api_key', 'PUT', '/vault/secrets/some'],
    ['api_key', 'POST', '/vault/interns/{it}/secrets/copy'],
    ['management_key', 'POST', '/scim/group-mappings'],
    ['management_key', 'PATCH', '/scim/group-mappings/{mapping}'],
    ['management_key', 'POST', '/scim/sync-jobs'],
    ['api_key', 'POST', '/interns/{it}/suspend'],
    ['stranger', 'PATCH', '/interns/{it}'],
    ['api_key', 'DELETE', '/interns/{unknown}'],
    ['api_key', 'DELETE', '/interns/{it}'],
  ];
  for (const [as, method, path] of at)
    for (const [body, headers] of given) await ask(`${as} ${method} ${path}`, body, headers);
  await wait(60_000);
  await ask('api_key GET /interns');
};

/** Fields of create, update and signing by values. */
const fields: Table = async (world) => {
  const { ask, wait } = world;
  await ask('nobody PUT /_emulator/limits', { turns_per_minute: 0 });
  await make(world, 'it', 'stopped');
  await make(world, 'up', 'running');
  const texts = [
    '',
    ' ',
    ' padded ',
    'tab\tnew\nline',
    'ünïcödé 🦊',
    '\u0000',
    'x'.repeat(2_000),
    'x'.repeat(2_001),
    '🦊'.repeat(2_000),
    'x'.repeat(100_000),
    'x'.repeat(100_001),
  ];
  const odd = [null, true, false, 0, 7, [], {}, ['a'], 'true'];
  const names = [
    'ab',
    'a',
    'a'.repeat(17),
    'a'.repeat(18),
    'A-b',
    'a-b',
    'a--b',
    '-ab',
    'ab-',
    '1ab',
    'ab1',
    'a_b',
    'a b',
  ];
  const models = ['a/b', 'a/b:c', 'a', 'a/b/c', `a/${'b'.repeat(254)}`, `a/${'b'.repeat(255)}`, 'a/b:', '~a/b.c'];
  let at = 0;
  const values: Readonly<Record<string, readonly unknown[]>> = {
    name: [...names, ...odd],
    description: [...texts, ...odd],
    instructions: [...texts, ...odd],
    model: [...models, ...odd],
    provision: odd,
    vault_id: ['', '{it}', '{it_vault_id}', '{up_vault_id}', ...odd],
    workspace_id: ['', '{workspace}', '{foreign}', '0A000000-0000-4000-8000-000000000001', 'x', ...odd],
    id: ['x'],
    status: ['running'],
  };
  for (const [field, all] of Object.entries(values))
    for (const value of all) {
      await ask(`api_key POST /interns`, { ...made(`f-${at++}`), [field]: value });
      await ask('api_key PATCH /interns/{it}', { [field]: value });
      await ask('api_key GET /interns/{it}');
    }
  await ask('api_key PATCH /interns/{it}', {});
  await ask('api_key PATCH /interns/{it}', { name: 'all', description: 'd', instructions: 'i', model: 'a/b' });
  await ask('api_key PATCH /interns/{it}', { description: 'good', model: 'bad' });
  await ask('api_key GET /interns/{it}');
  await ask('api_key POST /interns', { name: 'no-workspace' });
  for (const digest of [DIGEST, DIGEST.toUpperCase(), DIGEST.slice(1), `${DIGEST}0`, 'g'.repeat(64), '', ...odd])
    await ask('oauth_token POST /interns/{up}/daemon/sign', { bodySha256: digest });
  const paths = ['/', '/a', 'a', '', '/a?b', '/a#b', '/ä', '/a b', '//a', `/${'a'.repeat(2_100)}`, '/%41', ...odd];
  for (const path of paths)
    await ask('oauth_token POST /interns/{up}/daemon/sign', { bodySha256: DIGEST, route: { method: 'GET', path } });
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'get', 'TRACE', '', ...odd])
    await ask('oauth_token POST /interns/{up}/daemon/sign', { bodySha256: DIGEST, route: { method, path: '/a' } });
  for (const route of [{}, { method: 'GET' }, { path: '/a' }, { ...ROUTE, more: 1 }, ...odd])
    await ask('oauth_token POST /interns/{up}/daemon/sign', { bodySha256: DIGEST, route });
  for (const daemonRequest of [
    { bodySha256: DIGEST, user: 'mallory' },
    { bodySha256: DIGEST, daemon_request: {} },
  ])
    await ask('oauth_token POST /interns/{up}/daemon/sign', daemonRequest, { 'x-svc-invoke-user': 'mallory' });
  await wait(60_000);
  await ask('api_key GET /interns?limit=500');
};

/** Creates by keys. */
const keys: Table = async (world) => {
  const { ask, wait } = world;
  const create = (key: string, more: object = {}, as = 'api_key') =>
    ask(`last=${as} POST /interns`, made('keyed', more), { 'idempotency-key': key });
  for (const key of ['k1', 'K1', 'k2', '', ' ', 'x'.repeat(255), 'x'.repeat(256), 'ä', 'a b']) {
    await create(key);
    await create(key);
    await create(key, { description: null });
    await create(key, { description: 'other' });
    await create(key, { provision: false });
    await create(key, {}, 'peer_api_key');
    await create(key, {}, 'oauth_token');
    await ask(
      'foreign_api_key POST /interns',
      { name: 'keyed', workspace_id: '{foreign}' },
      { 'idempotency-key': key },
    );
  }
  for (const name of ['x-idempotency-key', 'idempotency_key'])
    await ask('api_key POST /interns', made('other'), { [name]: 'k1' });
  for (const at of ['vault', 'provisioner']) {
    await ask('nobody POST /_emulator/faults', { operation: 'create', at });
    for (const more of [{ provision: true }, { provision: true, description: 'other' }, { provision: true }]) {
      await create(`broken-${at}`, more);
      await ask('api_key GET /interns');
      await wait(2_000);
    }
    await ask('nobody POST /_emulator/faults', { operation: 'create', at });
    await ask('api_key POST /interns', made(`b-${at.slice(0, 5)}`, { provision: true }));
  }
  await wait(60_000);
  await ask('api_key GET /interns');
  await create('gone');
  await ask('api_key DELETE /interns/{last}');
  await create('gone');
  await wait(60_000);
  await create('gone');
  await wait(90_000_000);
  await create('k1');
  await ask('nobody GET /_emulator/interns');
};

/** Lists by their queries. */
const lists: Table = async (world) => {
  const { ask, wait } = world;
  for (const [at, state] of [...STATES, 'stopped', 'running', 'stopped'].entries()) {
    await make(world, `l${at}`, state);
    await wait(at % 2 === 0 ? 1_000 : 0);
  }
  await ask('api_key PATCH /interns/{l0}', { description: 'changed last' });
  await make(world, 'peers', 'stopped', 'peer_api_key');
  const statuses = 'queued provisioning running failed stopped destroying destroy_failed awaiting_slack_install'.split(
    ' ',
  );
  const queries = [
    '',
    ...['0', '1', '2', '3', '5', '100', '500', '501', '-1', '1.5', 'x', '', '01', '%201', '1&limit=2'].map(
      (limit) => `?limit=${limit}`,
    ),
    ...[
      ...statuses,
      'RUNNING',
      'x',
      '',
      'running,stopped',
      'stopped,stopped',
      'running,x',
      ',',
      'running,',
      statuses.join(),
      `${statuses.join()},running`,
    ].map((status) => `?status=${status}`),
    '?status=running&status=stopped',
    ...['{workspace}', '{foreign}', '0A000000-0000-4000-8000-000000000001', 'x', ''].map((id) => `?workspace_id=${id}`),
    '?workspace_id={workspace}&status=stopped&limit=2',
    '?unknown=1',
    '?starting_after=x',
    '?starting_after={l3}',
    '?starting_after={unknown}',
    '?ending_before={l3}',
  ];
  for (const as of ['api_key', 'peer_api_key', 'own_key', 'foreign_api_key'])
    for (const query of queries) await ask(`${as} GET /interns${query}`);
  for (const query of ['limit=2', 'limit=2&status=stopped', 'limit=3&workspace_id={workspace}', 'limit=1']) {
    await ask(`api_key GET /interns?${query}`);
    for (let page = 0; page < 6; page++) {
      await ask(`api_key GET /interns?${query}&starting_after={cursor}`);
      if (page === 1) await make(world, `in${query.length}${page}`, 'stopped');
      if (page === 2) await ask('api_key DELETE /interns/{l8}');
    }
    await ask('peer_api_key GET /interns?limit=2&starting_after={cursor}');
    await ask('api_key GET /interns?status=running&starting_after={cursor}');
  }
  await ask('api_key GET /interns?limit=1');
  await wait(90_000_000);
  await ask('api_key GET /interns?limit=1&starting_after={cursor}');
  for (let at = 0; at < 110; at++) await ask('api_key POST /interns', made(`many-${at}`));
  for (const query of ['', '?limit=100', '?limit=500', '?limit=200']) await ask(`api_key GET /interns${query}`);
};

const SCRIPTS =
  'echo ask-permission ask-permission-twice ask-question ask-then-silent ask-twice cancelled deadline daemon-unreachable fails long never-ends no-usage refuses says-nothing severed silent slow unicode unreachable use-secret nonsense'.split(
    ' ',
  );

/** Scripts by modes, and as time passes. */
const chats: Table = async (world) => {
  const { ask, wait, leave } = world;
  await ask('nobody PUT /_emulator/limits', { turns_per_minute: 0 });
  await make(world, 'it', 'running');
  for (const mode of [undefined, 'manual', 'auto', 'Manual', null])
    for (const script of SCRIPTS) {
      const more = mode === undefined ? {} : { approval_mode: mode };
      await ask(`api_key POST /interns/{it}${CHAT}`, say(`script: ${script}\nHello.`, more));
      await wait(29_000);
      await wait(2_000);
      await wait(70_000);
      await ask('nobody GET /_emulator/runs');
      await leave();
      await wait(400_000);
    }
  const requests: unknown[] = [
    say(''),
    say(' '),
    say('x'.repeat(32_000)),
    say('x'.repeat(32_001)),
    say('Hello.', { stream: false }),
    { messages: [{ role: 'user', content: 'Hello.' }] },
    say('Hello.', { session_id: '' }),
    say('Hello.', { session_id: 'of my own' }),
    say('Hello.', { session_id: 7 }),
    say('Hello.', { session_id: null }),
    say('Hello.', { model: 'a/b', temperature: 2, unknown: 1 }),
    { messages: [], stream: true },
    { messages: 'Hello.', stream: true },
    { messages: [{ role: 'system', content: 'x' }], stream: true },
    {
      messages: [
        { role: 'system', content: 'x' },
        { role: 'user', content: 'Hello.' },
      ],
      stream: true,
    },
    {
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
        { role: 'user', content: 'c' },
      ],
      stream: true,
    },
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'in ' },
            { type: 'text', text: 'parts' },
          ],
        },
      ],
      stream: true,
    },
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:' } }] }], stream: true },
    { messages: [{ role: 'user' }], stream: true },
    { messages: [{ role: 'assistant', content: 'x' }], stream: true },
    { messages: [{ role: 'tool', tool_call_id: 'x', content: 'y' }], stream: true },
  ];
  for (const body of requests) {
    await ask(`api_key POST /interns/{it}${CHAT}`, body);
    await leave();
    await wait(60_000);
  }
  // Sessions go on, and belong to somebody.
  await ask(`api_key POST /interns/{it}${CHAT}`, say('One.'));
  for (const as of ['api_key', 'peer_api_key', 'oauth_token', 'foreign_api_key'])
    await ask(`${as} POST /interns/{it}${CHAT}`, say('Two.', { session_id: '{session}' }));
  await ask(`api_key POST /interns/{seeded}${CHAT}`, say('Three.', { session_id: '{session}' }));
  await ask('api_key POST /interns/{it}/invoke', { input: 'Four.', session_id: '{session}' });
};

/** Answers to questions. */
const answers: Table = async (world) => {
  const { ask, wait, leave } = world;
  await ask('nobody PUT /_emulator/limits', { turns_per_minute: 0 });
  await make(world, 'it', 'running');
  await make(world, 'other', 'running');
  const chat = (body: unknown, as = 'api_key', on = 'it') => ask(`${as} POST /interns/{${on}}${CHAT}`, body);
  const contents =
    'allow_once|allow_always|reject_once|reject_always|"allow_once"|{"outcome":"allow_once"}|cancel|yes||ALLOW_ONCE|red|blue|green|{"action":"accept","content":{"answer":"blue"}}|{"action":"accept","content":{"answer":"green"}}|{"action":"accept","content":{}}|{"action":"accept"}|{"action":"decline"}|{"action":"cancel"}|{"answer":"blue"}|{|null'.split(
      '|',
    );
  for (const script of ['ask-permission', 'ask-question', 'ask-permission-twice', 'ask-twice'])
    for (const content of contents) {
      await chat(manual(`script: ${script}\nHello.`));
      await chat(answer(content));
      await chat(answer('allow_once'));
      await ask('nobody GET /_emulator/runs');
      await leave();
      await wait(400_000);
    }
  const odd: readonly (readonly [body: unknown, as?: string, on?: string])[] = [
    [answer('allow_once', { call: 'call_unknown' })],
    [answer('allow_once', { session: 'unknown' })],
    [answer('allow_once', { session: '' })],
    [answer('allow_once'), 'peer_api_key'],
    [answer('allow_once'), 'foreign_api_key'],
    [answer('allow_once'), 'stranger'],
    [answer('allow_once'), 'api_key', 'other'],
    [answer('allow_once', { stream: false })],
    [answer('allow_once', { approval_mode: 'other' })],
    [{ ...answer('allow_once'), messages: answer('allow_once').messages.slice(2) }],
    [{ ...answer('allow_once'), messages: answer('allow_once').messages.slice(1) }],
    [say('A prompt instead.', { session_id: '{session}' })],
    [say('A prompt of another session.')],
    [answer('allow_once'), 'oauth_token'],
  ];
  for (const late of [1_000, 299_000, 299_999, 300_000, 300_001, 600_000])
    for (const [body, as, on] of late === 1_000 ? odd : [[answer('allow_once')] as const]) {
      await chat(manual('script: ask-permission\nHello.'));
      await wait(late);
      await chat(body, as, on);
      await ask('nobody GET /_emulator/runs');
      await chat(answer('allow_once'));
      await leave();
      await wait(400_000);
    }
};

/** Who comes while another is served, and who leaves. */
const beside: Table = async (world) => {
  const { ask, wait, leave } = world;
  await ask('nobody PUT /_emulator/limits', { turns_per_minute: 0 });
  await make(world, 'it', 'running');
  await make(world, 'other', 'running');
  const chat = (body: unknown, as = 'api_key', on = 'it') => ask(`${as} POST /interns/{${on}}${CHAT}`, body);
  for (const script of ['silent', 'slow', 'ask-permission', 'ask-then-silent', 'never-ends', 'long'])
    for (const late of [0, 10_000, 31_000]) {
      await chat(manual(`script: ${script}\nHello.`));
      await wait(late);
      await chat(say('Another session.'));
      await chat(say('The same session.', { session_id: '{session}' }));
      await chat(say('Another intern.'), 'api_key', 'other');
      await chat(say('Another caller.'), 'peer_api_key');
      await ask('api_key POST /interns/{it}/invoke', { input: 'Invoked.' });
      await ask('oauth_token GET /interns/{it}/daemon');
      await ask('nobody GET /_emulator/runs');
      await leave();
      await wait(15_000);
      await ask('nobody GET /_emulator/runs');
      await wait(20_000);
      await ask('nobody GET /_emulator/runs');
      await wait(65_000);
      await chat(answer('allow_once'));
      await ask('nobody GET /_emulator/runs');
      await leave();
      await wait(400_000);
    }
  for (const [method, rest] of [
    ['POST', '/suspend'],
    ['DELETE', ''],
  ] as const)
    for (const on of ['it', 'other']) {
      await chat(manual('script: never-ends\nHello.'), 'api_key', on);
      await chat(manual('script: ask-permission\nHello.'), 'api_key', on);
      await ask(`api_key ${method} /interns/{${on}}${rest}`);
      await wait(60_000);
      await ask('nobody GET /_emulator/runs');
      await ask(`api_key POST /interns/{${on}}/provision`);
      await wait(60_000);
      await chat(answer('allow_once'), 'api_key', on);
    }
};

/** Runs of invoke. */
const invokes: Table = async (world) => {
  const { ask, wait } = world;
  await ask('nobody PUT /_emulator/limits', { turns_per_minute: 0 });
  await make(world, 'it', 'running');
  await make(world, 'other', 'running');
  const invoke = (body: unknown, as = 'api_key', on = 'it') => ask(`${as} POST /interns/{${on}}/invoke`, body);
  for (const input of ['', ' ', 7, null, 'x'.repeat(32_000), 'x'.repeat(32_001), ['a']]) await invoke({ input });
  for (const more of [
    {},
    { session_id: '' },
    { session_id: 7 },
    { session_id: 'x' },
    { stream: true },
    { unknown: 1 },
  ]) {
    await invoke({ input: 'Hello.', ...more });
    await wait(10_000);
  }
  for (const script of SCRIPTS)
    for (const late of [0, 5_000, 400_000]) {
      await invoke({ input: `script: ${script}\nHello.` });
      await wait(late);
      await invoke({ input: 'More.', session_id: '{session}' });
      await ask('nobody GET /_emulator/runs');
      for (const as of ['peer_api_key', 'oauth_token', 'foreign_api_key'])
        await invoke({ input: 'Mine?', session_id: '{session}' }, as);
      await invoke({ input: 'There?', session_id: '{session}' }, 'api_key', 'other');
      await ask(`api_key POST /interns/{it}${CHAT}`, say('By chat.', { session_id: '{session}' }));
      await wait(1_800_000);
      await ask('nobody GET /_emulator/runs');
      await wait(1_799_999 - late);
      await ask('nobody GET /_emulator/runs');
      await wait(2);
      await ask('nobody GET /_emulator/runs');
    }
  await ask('own_key POST /interns/{seeded}/invoke', { input: 'Hello.' });
  await ask('api_key POST /interns/{seeded}/invoke', { input: 'Mine?', session_id: '{session}' });
};

/** Proofs at daemons. */
const daemons: Table = async (world) => {
  const { ask, wait } = world;
  await ask('nobody PUT /_emulator/limits', { turns_per_minute: 0 });
  await make(world, 'it', 'running');
  await make(world, 'other', 'running');
  const body = '{"input":"Hello."}';
  const names = ['signature', 'timestamp', 'user', 'signature-v2', 'nonce'];
  for (const on of ['it', 'other']) await ask(`${on}_access=oauth_token GET /interns/{${on}}/daemon`);
  await ask('alias_access=oauth_token GET /interns/{it}/daemon-access');
  const sign = (more: object = {}, as = 'oauth_token') =>
    ask(`p=${as} POST /interns/{it}/daemon/sign`, { bodySha256: DIGEST, ...more });
  const proof = (without: readonly string[] = [], change: Record<string, string> = {}) => {
    const headers: Record<string, string> = { authorization: 'Bearer {it_access_token}', ...change };
    for (const name of names)
      if (!without.includes(name)) headers[`x-ori-invoke-${name}`] = `{p_x_ori_invoke_${name.replace('-', '_')}}`;
    return headers;
  };
  const send = (headers: Record<string, string>, method = 'POST', path = '/api/invoke', sent?: string) =>
    ask(`nobody ${method} daemon:${path}`, sent, headers);
  for (const late of [0, 59_000, 60_000, 60_999, 61_000, 120_000, 3_600_000])
    for (const route of [undefined, ROUTE]) {
      await sign(route === undefined ? {} : { route });
      await wait(late);
      const headers = proof(route === undefined ? ['signature-v2', 'nonce'] : []);
      await send(headers, 'POST', '/api/other');
      await send(headers, 'GET');
      await send(headers, 'POST', '/api/invoke', body);
      await send(headers, 'POST', '/api/invoke?query=1');
      await send(headers);
      await send(headers);
    }
  for (const without of names) {
    await sign({ route: ROUTE });
    await send(proof([without]));
    await sign();
    await send(proof([without, 'signature-v2', 'nonce']));
  }
  for (const authorization of [
    '',
    'Bearer x',
    'Bearer {other_access_token}',
    'Bearer {alias_access_token}',
    'Basic {it_access_token}',
    '{it_access_token}',
  ]) {
    await sign({ route: ROUTE });
    await send(proof([], { authorization }));
  }
  await ask('api_key POST /interns/{it}/suspend');
  await sign();
  await send(proof());
  await ask('nobody GET /_emulator/reveals');
  await ask('nobody GET /_emulator/keys');
  await ask('api_key POST /interns/{it}/provision');
  await wait(60_000);
  await send(proof());
  await ask('again_access=oauth_token GET /interns/{it}/daemon');
};

/** SCIM. */
const scim: Table = async ({ ask, wait }) => {
  const as = 'management_key';
  const list =
    '|?limit=1|?limit=0|?limit=100|?limit=101|?offset=1|?offset=-1|?limit=x|?offset=10001|?workspace_id={workspace}|?scim_group_id={group}|?role=admin|?unknown=1'.split(
      '|',
    );
  for (const by of ['management_key', 'foreign_management_key', 'nobody', 'api_key', 'oauth_token'])
    for (const path of ['group-mappings', 'groups', 'sync-jobs'])
      for (const query of list) await ask(`${by} GET /scim/${path}${query}`);
  const group = '0d000000-0000-4000-8000-000000000003';
  const bodies = [
    { scim_group_id: group, workspace_id: '{workspace}', role: 'admin' },
    { scim_group_id: group, workspace_id: '{workspace}', role: 'member' },
    { scim_group_id: group.toUpperCase(), workspace_id: '{foreign}', role: 'member' },
    { scim_group_id: '{unknown}', workspace_id: '{workspace}', role: 'admin' },
    { scim_group_id: group, workspace_id: '{unknown}', role: 'admin' },
    { scim_group_id: group, workspace_id: '0a000000-0000-4000-8000-000000000003', role: 'admin' },
    { scim_group_id: '0d000000-0000-4000-8000-000000000004', workspace_id: '{workspace}', role: 'admin' },
    { scim_group_id: group, workspace_id: '{workspace}', role: 'owner' },
    { scim_group_id: 'x', workspace_id: '{workspace}', role: 'admin' },
    { scim_group_id: group, role: 'admin' },
    { scim_group_id: group, workspace_id: '{workspace}', role: 'admin', more: 1 },
  ];
  for (const [at, body] of bodies.entries()) {
    await wait(1_000);
    await ask(`m${at}=${as} POST /scim/group-mappings`, body);
  }
  for (const id of ['m0', 'm2', 'mapping', 'unknown'])
    for (const body of [{ role: 'member' }, { role: 'admin' }, { role: 'x' }, {}, { workspace_id: '{foreign}' }]) {
      await ask(`${as} PATCH /scim/group-mappings/{${id}}`, body);
      await ask(`${as} GET /scim/group-mappings/{${id}}`);
    }
  for (const by of ['foreign_management_key', 'api_key', 'nobody'])
    for (const method of ['GET', 'PATCH', 'DELETE'])
      await ask(`${by} ${method} /scim/group-mappings/{m0}`, method === 'PATCH' ? { role: 'admin' } : undefined);
  for (const id of ['0C000000-0000-4000-8000-00000000000A', 'x', '0c000000-0000-4000-8000-00000000000c'])
    await ask(`${as} GET /scim/group-mappings/${id}`);
  for (const query of ['?keep_members=x', '?keep_members=false', '?keep_members=true', '']) {
    await ask(`${as} DELETE /scim/group-mappings/{m0}${query}`);
    await ask(`${as} DELETE /scim/group-mappings/{m2}${query}`);
  }
  for (const fails of [false, true]) {
    if (fails) await ask('nobody PUT /_emulator/settings', { scim_sync: 'fails' });
    await ask(`job=${as} POST /scim/sync-jobs`);
    for (const late of [0, 200, 1_000, 5_000, 60_000]) {
      await wait(late);
      await ask(`${as} GET /scim/sync-jobs/{job}`);
      await ask('foreign_management_key GET /scim/sync-jobs/{job}');
    }
    await ask(`${as} POST /scim/sync-jobs`);
    await ask(`${as} POST /scim/sync-jobs`);
    await wait(60_000);
  }
  await ask(`${as} GET /scim/groups`);
  await ask(`${as} GET /scim/group-mappings`);
};

/** Vaults. */
const vaults: Table = async (world) => {
  const { ask, wait } = world;
  await ask('nobody PUT /_emulator/limits', { turns_per_minute: 0 });
  await make(world, 'it', 'running');
  await make(world, 'still', 'stopped');
  await ask('guest=api_key POST /interns', made('guest', { vault_id: '{it_vault_id}', provision: true }));
  await wait(60_000);
  const stores = [
    '/vault/secrets',
    '/vault/interns/{it}/secrets',
    '/vault/interns/{still}/secrets',
    '/vault/interns/{guest}/secrets',
  ];
  const names = [
    'a',
    'b_c',
    'A',
    'a__b',
    '_a',
    'a_',
    '1a',
    'a1',
    `a${'b'.repeat(254)}`,
    `a${'b'.repeat(255)}`,
    'a-b',
    'a%20b',
  ];
  const values: unknown[] = [
    '',
    'v',
    'a value of some length',
    'x'.repeat(65_536),
    'x'.repeat(65_537),
    '\ud800',
    7,
    null,
  ];
  const hosts: unknown[] = [
    [],
    ['a.test'],
    ['A.Test.'],
    ['a.test', 'A.TEST'],
    ['*.a.test'],
    ['http://a.test'],
    ['a.test:443'],
    ['10.0.0.1'],
    ['localhost'],
    ['ä.test'],
    'a.test',
    Array.from({ length: 100 }, (_, at) => `h${at}.test`),
    Array.from({ length: 101 }, (_, at) => `h${at}.test`),
    null,
  ];
  const good = { value: 'a value of some length', hosts: ['a.test'] };
  for (const at of stores) {
    for (const name of names) await ask(`api_key PUT ${at}/${name}`, good);
    for (const value of values) await ask(`api_key PUT ${at}/v`, { ...good, value });
    for (const of of hosts) await ask(`api_key PUT ${at}/h`, { ...good, hosts: of });
    await wait(1_000);
    await ask(`api_key PUT ${at}/a`, { value: 'another', hosts: ['b.test'] });
    for (const query of '|?limit=1|?limit=0|?limit=100|?limit=101|?offset=1|?offset=-1|?offset=10001|?limit=2&offset=1|?x=1'.split(
      '|',
    ))
      await ask(`api_key GET ${at}${query}`);
    for (const as of ['peer_api_key', 'foreign_api_key', 'own_key', 'oauth_token', 'nobody']) {
      await ask(`${as} GET ${at}`);
      await ask(`${as} PUT ${at}/of_others`, good);
      await ask(`${as} DELETE ${at}/b_c`);
    }
  }
  for (const names of [
    ['a'],
    ['a', 'b_c'],
    ['a', 'a'],
    ['unknown'],
    ['a', 'unknown'],
    [],
    ['legacy_token'],
    'a',
    Array.from({ length: 101 }, () => 'a'),
  ])
    for (const on of ['still', 'guest', 'unknown']) {
      await ask(`api_key POST /vault/interns/{${on}}/secrets/copy`, { names });
      await ask(`api_key GET /vault/interns/{${on}}/secrets`);
    }
  for (const as of ['own_key', 'peer_api_key', 'foreign_api_key'])
    await ask(`${as} POST /vault/interns/{still}/secrets/copy`, { names: ['a'] });
  for (const secret of ['a', 'v', 'unknown', 'of_others', 'legacy_token'])
    for (const host of ['a.test', 'b.test', 'c.test']) {
      await ask(`api_key POST /interns/{it}${CHAT}`, say(`script: use-secret\n${secret} ${host}`));
      await ask(`api_key POST /interns/{guest}${CHAT}`, say(`script: use-secret\n${secret} ${host}`));
    }
  for (const name of ['a', 'a', 'unknown', 'A']) for (const at of stores) await ask(`api_key DELETE ${at}/${name}`);
  await ask('nobody PUT /_emulator/settings', { vault_writes: 'off' });
  for (const at of stores) {
    await ask(`api_key PUT ${at}/off`, good);
    await ask(`api_key DELETE ${at}/v`);
    await ask(`api_key GET ${at}`);
  }
  await ask('api_key POST /vault/interns/{still}/secrets/copy', { names: ['v'] });
  await ask('nobody PUT /_emulator/settings', { vault_writes: 'on' });
  for (let at = 0; at < 110; at++) await ask(`api_key PUT /vault/interns/{still}/secrets/many_${at}`, good);
  for (const query of ['', '?limit=60', '?offset=100']) await ask(`api_key GET /vault/interns/{still}/secrets${query}`);
  for (const on of ['it', 'guest', 'still']) {
    await ask(`api_key DELETE /interns/{${on}}`);
    await ask(`api_key GET /vault/interns/{${on}}/secrets`);
    await wait(60_000);
    await ask(`api_key GET /vault/interns/{${on}}/secrets`);
  }
};

/** The limit of turns. */
const limits: Table = async (world) => {
  const { ask, wait } = world;
  await make(world, 'it', 'running');
  await make(world, 'still', 'stopped');
  for (const most of [undefined, 3, 1]) {
    await wait(120_000);
    if (most !== undefined) await ask('nobody PUT /_emulator/limits', { turns_per_minute: most });
    const over = (most ?? 60) + 2;
    for (let turn = 0; turn < over; turn++) {
      await ask(`api_key POST /interns/{it}${CHAT}`, say('Hello.'));
      await wait(700);
    }
    for (const as of ['peer_api_key', 'oauth_token', 'api_key']) {
      await ask(`${as} POST /interns/{it}${CHAT}`, say('Hello.'));
      await ask(`${as} POST /interns/{it}/invoke`, { input: 'Hello.' });
      await ask(`${as} POST /interns/{it}/daemon/sign`, { bodySha256: DIGEST });
      await ask(`${as} POST /interns/{it}/daemon-access/sign`, { bodySha256: DIGEST });
      await ask(`${as} POST /interns/{still}${CHAT}`, say('Hello.'));
      await ask(`${as} POST /interns/{unknown}${CHAT}`, say('Hello.'));
      await ask(`${as} POST /interns/{it}${CHAT}`, say('', {}));
      await ask(`${as} GET /interns/{it}/daemon`);
    }
    for (const late of [10_000, 10_000, 15_000, 30_000, 60_000]) {
      await wait(late);
      await ask(`api_key POST /interns/{it}${CHAT}`, say('Hello.'));
      await ask('oauth_token POST /interns/{it}/daemon/sign', { bodySha256: DIGEST });
    }
  }
};

/** Paths, methods and hosts of nothing. */
const paths: Table = async (world) => {
  const { ask } = world;
  await make(world, 'it', 'running');
  const all =
    '|/|/interns|/interns/|/interns/{it}|/interns/{it}/|/INTERNS|/interns/{it}/provision|/interns/{it}/suspend|/interns/{it}/chat/completions|/interns/{it}/invoke|/interns/{it}/daemon|/interns/{it}/daemon-access|/interns/{it}/daemon/sign|/interns/{it}/daemon-access/sign|/interns/{it}/nothing|/interns/%20|/interns/x|/scim/group-mappings|/scim/group-mappings/{mapping}|/scim/groups|/scim/sync-jobs|/scim/nothing|/vault/secrets|/vault/secrets/a|/vault/interns/{it}/secrets|/vault/nothing|/nothing'.split(
      '|',
    );
  for (const path of all)
    for (const method of ['HEAD', 'OPTIONS', 'PUT', 'TEST', 'PATCH', 'DELETE'])
      for (const as of ['api_key', 'management_key', 'nobody'])
        if (method !== 'DELETE' || !/^\/interns\/\{it\}\/?$/.test(path)) await ask(`${as} ${method} ${path}`);
  for (const path of ['/interns', '/interns/{it}', '/scim/group-mappings/{mapping}', '/vault/secrets']) {
    for (const host of ['eu.example.test', 'eu.127.0.0.1', 'example.test', 'EU.example.test'])
      await ask(`api_key GET ${path}`, undefined, { host });
    for (const id of ['abc', 'x'.repeat(128), 'x'.repeat(200), 'a b', ''])
      await ask(`api_key GET ${path}`, undefined, { 'x-request-id': id });
    for (const authorization of '|Bearer|Bearer |bearer emu-key-alice-0000000000000000|BEARER emu-key-alice-0000000000000000|Bearer  emu-key-alice-0000000000000000|Bearer emu-key-alice-0000000000000000 x|Basic emu-key-alice-0000000000000000|emu-key-alice-0000000000000000|Bearer emu-key-alice|Bearer EMU-KEY-ALICE-0000000000000000|Token emu-key-alice-0000000000000000'.split(
      '|',
    ))
      await ask(`api_key GET ${path}`, undefined, { authorization });
    for (const header of ['x-api-key', 'api-key', 'cookie'])
      await ask(`nobody GET ${path}`, undefined, { [header]: 'emu-key-alice-0000000000000000' });
    for (const query of ['key', 'api_key', 'access_token', 'token'])
      await ask(`nobody GET ${path}?${query}=emu-key-alice-0000000000000000`);
    for (const accept of ['text/html', 'text/plain', '*/*'])
      await ask(`api_key GET ${path}`, undefined, { accept, origin: 'http://a.test' });
  }
  for (const path of ['/api/interns', '/interns', '/api/v2/interns', '/'])
    await ask(`api_key GET http://127.0.0.1:4010${path}`);
};

/** What is wrong on purpose, and the control interface. */
const control: Table = async (world) => {
  const { ask, wait, leave } = world;
  const reads =
    '/health /target /clock /scripts /scripts/echo /scripts/nothing /interns /interns/{it} /matches /runs /reveals /limits /settings /faults /keys /snapshots /spaces /journal /journal?limit=3 /nothing /state'.split(
      ' ',
    );
  await make(world, 'it', 'running');
  for (const path of reads) await ask(`nobody GET /_emulator${path}`);
  const faults = [
    ...['list', 'get', 'create', 'chat', 'sign', 'scim', 'invoke', 'provision', 'daemon'].map((operation) => ({
      operation,
      status: 500,
    })),
    ...[408, 429, 502, 503, 504].map((status) => ({ operation: 'get', status })),
    { operation: 'get', status: 500, times: 2 },
    { operation: 'get', status: 500, times: 'always', after: 1 },
    { operation: 'get', status: 503, intern_id: '{it}' },
    { operation: 'get', status: 503, intern_id: '{unknown}' },
    { operation: 'get', delay: 5_000 },
    { operation: 'sign', delay: 9_999 },
    { operation: 'sign', delay: 10_001 },
    { operation: 'get', disconnect: true },
    { operation: 'chat', disconnect: 'mid-event' },
    { operation: 'chat', disconnect: 'before-done' },
    { operation: 'get', status: 500, probability: 0.5, times: 5 },
    { operation: 'nothing' },
  ];
  for (const fault of faults) {
    await ask('nobody POST /_emulator/faults', fault);
    for (let times = 0; times < 3; times++) {
      await ask('api_key GET /interns');
      await ask('api_key GET /interns/{it}');
      await ask('api_key POST /interns', made(`f-${times}`));
      await ask(`api_key POST /interns/{it}${CHAT}`, say('Hello.'));
      await ask('api_key POST /interns/{it}/invoke', { input: 'Hello.' });
      await ask('oauth_token GET /interns/{it}/daemon');
      await ask('oauth_token POST /interns/{it}/daemon/sign', { bodySha256: DIGEST });
      await ask('management_key GET /scim/group-mappings/{mapping}');
      await ask('api_key POST /interns/{it}/provision');
      await wait(20_000);
    }
    await ask('nobody GET /_emulator/faults');
    await ask('nobody DELETE /_emulator/faults');
  }
  const turn = (...steps: object[]) => steps;
  const permission = {
    ask: { kind: 'permission', operation: 'shell', options: ['allow_once', 'reject_once'] },
    as: 'a',
  };
  const scripts = [
    turn({ say: 'One. ' }, { wait: '20s' }, { say: 'Two.' }),
    turn({ think: 'Hm.' }, { say: 'Said.' }, { usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } }),
    turn(permission, when({ a: 'allow_once' }, [{ say: 'Yes.' }], [{ say: 'No.' }])),
    turn(permission, permission),
    turn({ end: 'error' }),
    turn({ say: 'x' }, { end: 'never' }),
    turn({ nothing: 1 }),
  ];
  for (const [at, steps] of scripts.entries()) {
    const name = `own-${at}`;
    await ask(`nobody PUT /_emulator/scripts/${name}`, { name, turn: steps });
    for (const mode of ['manual', undefined]) {
      await ask(
        `api_key POST /interns/{it}${CHAT}`,
        say(`script: ${name}\nHello.`, mode === undefined ? {} : { approval_mode: mode }),
      );
      await wait(10_000);
      await wait(11_000);
      await ask(`api_key POST /interns/{it}${CHAT}`, answer('allow_once'));
      await leave();
      await wait(400_000);
    }
  }
  for (const body of [
    { advance: 1_000 },
    { advance: '5m' },
    { advance: -1 },
    { freeze: true },
    { resume: true },
    {},
    { advance: 'x' },
  ])
    await ask('nobody POST /_emulator/clock', body);
  for (const body of [
    { keepalive: 10 },
    { keepalive: 0 },
    { pace: 50 },
    { nothing: 1 },
    { interaction_deadline: 1_000 },
  ])
    await ask('nobody PUT /_emulator/settings', body);
  await ask(`api_key POST /interns/{it}${CHAT}`, manual('script: ask-permission\nHello.'));
  await wait(5_000);
  await ask('nobody POST /_emulator/signing/forge', {
    defect: 'expired',
    intern_id: '{it}',
    method: 'POST',
    path: '/api/invoke',
    body: '',
  });
  await ask('nobody PUT /_emulator/matches', [{ prompt: 'Hello.', script: 'fails' }]);
  await ask(`api_key POST /interns/{it}${CHAT}`, say('Hello.'));
  for (const path of reads) await ask(`nobody GET /_emulator${path}`);
  await ask('nobody PUT /_emulator/snapshots/one');
  await ask('nobody POST /_emulator/reset');
  await ask('api_key GET /interns');
  await ask('nobody POST /_emulator/snapshots/one/restore');
  await ask('api_key GET /interns');
  await ask('nobody DELETE /_emulator/journal');
  await ask('nobody GET /_emulator/journal');
};

/** Tables of plain requests, those first that tell the most apart for what they cost. */
export const TABLES: Readonly<Record<string, Table>> = {
  who,
  lists,
  keys,
  fields,
  bodies,
  states,
  paths,
  scim,
  vaults,
  answers,
  chats,
  daemons,
  invokes,
  beside,
  limits,
  control,
};
