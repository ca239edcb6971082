import { describe, expect, test } from 'vitest';
import { createEmulator } from '../../emulator/index.js';
import { SECRET } from '../../test/targets/fake-target.js';
import { connect } from '../drivers/connect.js';
import { systemHost } from '../probe/time.js';
import { about, driftFrom, JSON_TYPE, json, type Line, verdicts } from './deployment.harness.js';

interface Intern {
  id: string;
  name: string;
  status: string;
  workspace_id: string;
}

const ERROR = {
  error: { code: 404, message: 'Intern not found', metadata: { reason: 'not_found', retryable: false } },
};
const STREAM = { 'content-type': 'text/event-stream' };
const SAID =
  'data: {"choices":[{"delta":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}\n\ndata: {"choices":[],"session_id":"s-1","usage":null}\n\ndata: [DONE]\n\n';

/** A deployment in which somebody has an intern. `first` may answer instead. */
function deployment(first: (request: Request, path: string) => Response | undefined = () => undefined) {
  const theirs: Intern = { id: 'theirs', name: 'theirs', status: 'running', workspace_id: 'workspace' };
  const interns = new Map([[theirs.id, theirs]]);
  const writes: string[] = [];
  let count = 0;
  const fetch = async (request: Request): Promise<Response> => {
    const path = new URL(request.url).pathname.replace('/api/v1', '');
    const [, , id = '', below = ''] = path.split('/');
    if (request.method !== 'GET') writes.push(`${request.method} ${path}`);
    const given = first(request, path);
    if (given) return given;
    if (id === '' && request.method === 'POST') {
      const { provision, ...body } = (await request.json()) as Intern & { provision?: boolean };
      const made = { ...body, id: `made-${++count}`, status: provision ? 'running' : 'stopped' };
      interns.set(made.id, made);
      return json(201, made);
    }
    if (id === '') return json(200, { data: [...interns.values()].reverse(), has_more: false });
    const intern = interns.get(id);
    if (intern === undefined) return json(404, ERROR);
    if (below === 'chat') return new Response(SAID, { headers: STREAM });
    if (below === 'suspend') return json(200, { suspended: true });
    if (below === 'daemon')
      return json(200, { origin: 'https://daemon.test', token: `daemon-token-secret-${++count}` });
    if (request.method === 'DELETE') {
      interns.delete(id);
      return json(202, { deleting: true });
    }
    if (request.method === 'PATCH') interns.set(id, { ...intern, ...((await request.json()) as object) });
    return json(200, interns.get(id));
  };
  return { fetch, writes, left: () => [...interns.keys()] };
}

const record = (more: object = {}) => ({
  id: '$intern.1',
  name: 'one',
  status: 'stopped',
  workspace_id: '$workspace.1',
  ...more,
});
const create = (answer: Line = {}) =>
  about(
    'create',
    'POST',
    '',
    { status: 201, body: record(), ...answer },
    { name: 'one', workspace_id: '$workspace.1' },
  );
const read = about('get', 'GET', '/$intern.1', { body: record({ status: 'running' }) });
const rename = about(
  'update',
  'PATCH',
  '/$intern.1',
  { body: record({ name: 'two', status: 'running' }) },
  { name: 'two' },
);
const suspend = about('suspend', 'POST', '/$intern.1/suspend', { body: { suspended: true } });
const remove = about('delete', 'DELETE', '/$intern.1', { status: 202, body: { deleting: true } });
const prompt = about(
  'chat',
  'POST',
  '/$intern.1/chat/completions',
  { headers: STREAM, writes: [{ at: 0, text: SAID.replace('s-1', '$session.1') }] },
  { stream: true, messages: [{ role: 'user', content: 'Hi' }] },
);

describe('nothing is written to an intern that the run did not make', () => {
  test.each([
    ['a change', rename],
    ['a suspend', suspend],
    ['a deletion', remove],
    ['a prompt', prompt],
  ])('%s of one that was there before the recording goes to a new one, which is taken away', async (_what, line) => {
    const { fetch, writes, left } = deployment();
    const { results } = await driftFrom([read, line], fetch);
    expect(verdicts(results)).toEqual(['pass', 'pass']);
    expect(writes.slice(0, 2)).toEqual(['POST /interns', expect.stringContaining(' /interns/made-1')]);
    expect(writes.join()).not.toContain('theirs');
    expect(left()).toEqual(['theirs']);
    expect(results.cleanup).toMatchObject({ created: 1, deleted: 1, failed: [] });
  });

  test('reads alone go to one that is there, and nothing is made', async () => {
    const { fetch, writes } = deployment();
    const { results, sent } = await driftFrom([read], fetch);
    expect(verdicts(results)).toEqual(['pass']);
    expect(writes).toEqual([]);
    expect(sent.at(-1)).toBe('GET /interns/theirs');
  });

  test('a create that answers another’s record is a finding, and what rests on it is left out', async () => {
    const theirs = { id: 'theirs', name: 'theirs', status: 'running', workspace_id: 'workspace' };
    const { fetch, writes, left } = deployment((request, path) =>
      request.method === 'POST' && path === '/interns' ? json(201, theirs) : undefined,
    );
    const { results } = await driftFrom([create(), rename, suspend, remove], fetch);
    expect(verdicts(results)[0]).toMatch(/^fail: the answer to a create: .* → another's, .*"theirs"/);
    expect(verdicts(results).slice(1)).toEqual(
      Array(3).fill('skip: it rests on $intern.1, of an answer that was another'),
    );
    expect(writes).toEqual(['POST /interns']);
    expect(left()).toEqual(['theirs']);
  });

  test.each<[string, string, string]>([
    ['an id that the recording names', '/theirs', 'it would write to theirs, which this run has not made'],
    ['a path that turns back', '/made-up/../theirs', 'it would write to theirs, which this run has not made'],
    [
      'one that turns back in another spelling',
      '/x/%2e%2e/theirs',
      'it would write to theirs, which this run has not made',
    ],
    ['all interns', '', 'it would write to all interns at once'],
    ['a path that leaves the interface', '/../../../admin', 'leads out of https://service.test/api/v1'],
    ['what is no intern', '/../workspaces/w', 'it would write to a deployment, and not to an intern'],
  ])('%s is not written to', async (_what, path, why) => {
    const { fetch, writes } = deployment();
    const { results } = await driftFrom([about('delete', 'DELETE', path, { status: 202, body: {} })], fetch);
    expect(verdicts(results)).toEqual([expect.stringContaining(why)]);
    expect(verdicts(results)[0]).toMatch(/^skip/);
    expect(writes).toEqual([]);
  });

  test('neither is an intern that was given with its own key', async () => {
    const { fetch, writes } = deployment();
    const line = about('suspend', 'POST', '/$intern.1/suspend', { body: { suspended: true } });
    const headers = { authorization: 'Bearer $own_key' };
    const { results } = await driftFrom(
      [{ ...line, request: { ...line.request, headers } }],
      fetch,
      {},
      { credentials: { api_key: SECRET, own_key: 'own-key-secret' }, facts: { ownInternId: 'theirs' } },
    );
    expect(verdicts(results)).toEqual(['skip: it would write to theirs, which this run has not made']);
    expect(writes).toEqual([]);
  });
});

test('what is made for a recording is older than what the recording creates, as it was', async () => {
  const { fetch } = deployment();
  const second = { ...record({ name: 'two' }), id: '$intern.2' };
  const lines = [
    about('create', 'POST', '', { status: 201, body: second }, { name: 'two', workspace_id: '$workspace.1' }),
    about('list', 'GET', '', { body: { data: [second, record({ status: 'running' })], has_more: false } }),
    rename,
  ];
  expect(verdicts((await driftFrom(lines, fetch)).results)).toEqual(['pass', 'pass', 'pass']);
});

test('an intern that cannot be made keeps back what needs it alone', async () => {
  const refused = json(403, { error: { code: 403, message: 'no room' } });
  const { fetch } = deployment((request) => (request.method === 'POST' ? refused.clone() : undefined));
  const list = about('list', 'GET', '', { body: { data: [], has_more: false } });
  const { results } = await driftFrom([list, read, rename], fetch);
  expect(verdicts(results)).toEqual(['pass', ...Array(2).fill('skip: a valid create answered 403')]);
  expect(results.exit).toBe(3);
});

describe('no credential is shown', () => {
  const access = (token: string) =>
    about('daemon', 'GET', '/$intern.1/daemon', { body: { origin: '$daemon_origin.1', token } });

  test('a daemon token may be another in each answer, and a key may be new', async () => {
    const { fetch } = deployment();
    const { results } = await driftFrom([read, access('$token.1'), access('$token.1'), access('$token.2')], fetch);
    expect(verdicts(results)).toEqual(['pass', 'pass', 'pass', 'pass']);
  });

  test('not in findings, warnings, skips or errors, under whichever key it stands', async () => {
    const born = { apiKey: 'born-key-secret', accessToken: 'access-secret', reason: SECRET, role: [SECRET] };
    const { fetch } = deployment((_request, path) => {
      if (path === '/interns/theirs')
        return json(200, { ...record({ id: 'theirs' }), ...born, status: SECRET, name: SECRET });
      return path.endsWith('/daemon')
        ? json(403, { error: { code: SECRET, message: SECRET } }, { link: SECRET })
        : undefined;
    });
    const recorded = record({ status: 'running', name: 'one', reason: '$key.1', role: 'user', token: '$token.1' });
    const { results } = await driftFrom(
      [about('get', 'GET', '/$intern.1', { body: recorded }), access('$token.1'), read],
      fetch,
    );
    expect(results.counts.fail).toBeGreaterThan(1);
    expect(JSON.stringify(results)).not.toMatch(/secret/);
  });
});

describe('a run that is read-only', () => {
  test('sends no write, and says of each why', async () => {
    const { fetch, writes } = deployment();
    const { results } = await driftFrom([create(), rename, prompt, remove], fetch, { readOnly: true });
    expect(writes).toEqual([]);
    expect(results.options.readOnly).toBe(true);
    expect(verdicts(results)).toEqual([
      'skip: the run is read-only',
      ...Array(3).fill('skip: it rests on $intern.1, of an answer that was another'),
    ]);
  });

  test('makes no intern for what it would write to', async () => {
    const { fetch, writes } = deployment();
    const { results } = await driftFrom([read, rename], fetch, { readOnly: true });
    expect(verdicts(results)).toEqual(['pass', 'skip: the run is read-only']);
    expect(writes).toEqual([]);
  });
});

describe('what a run makes is taken away', () => {
  test('by names that no others bear, also where its create was never answered', async () => {
    let creates = 0;
    const { fetch, left } = deployment();
    const { results } = await driftFrom([create(), rename], async (request) => {
      const answer = await fetch(request);
      if (request.method === 'POST' && ++creates === 1) throw new TypeError('fetch failed');
      return answer;
    });
    expect(verdicts(results)[1]).toBe('skip: it rests on $intern.1, of an answer that was another');
    expect(left()).toEqual(['theirs']);
  });

  test('any success of a create counts: another than was recorded is one finding', async () => {
    const { fetch, left } = deployment();
    const asOk = async (request: Request) => {
      const answer = await fetch(request);
      return answer.status === 201 ? json(200, await answer.json()) : answer;
    };
    const after = about('get', 'GET', '/$intern.1', { body: record() });
    const { results } = await driftFrom([create(), after, rename], asOk);
    expect(verdicts(results)).toEqual([
      'fail: status: 201 → 200',
      'pass',
      expect.stringContaining('fail: body.status'),
    ]);
    expect(left()).toEqual(['theirs']);
  });
});

test('a target that lists no interns sees no write', async () => {
  const { fetch, writes } = deployment((_request, path) =>
    path === '/interns' ? json(200, { hello: 'world' }) : undefined,
  );
  const { results } = await driftFrom([create(), rename], fetch);
  expect(writes).toEqual([]);
  expect(results.incomplete).toContainEqual({ kind: 'preflight', saw: { kind: 'no-list' } });
  expect(results.exit).toBe(3);
});

test('a recorded refusal for the moment is not waited out', async () => {
  const busy = {
    status: 429,
    headers: { ...JSON_TYPE, 'retry-after': '60' },
    body: { error: { code: 429, message: '' } },
  };
  const { fetch } = deployment((_request, path) =>
    path === '/interns/theirs' ? json(429, busy.body, { 'retry-after': '60' }) : undefined,
  );
  const { results, sent } = await driftFrom([read, about('get', 'GET', '/$intern.1', busy)].slice(1), fetch);
  expect(verdicts(results)).toEqual(['pass']);
  expect(sent.filter((one) => one === 'GET /interns/theirs')).toHaveLength(1);
});

test('a run that is read-only changes nothing at an emulator that others use', async () => {
  const emulator = createEmulator({ clock: 'virtual', seed: 'shared' });
  const sent: string[] = [];
  const { driver } = await connect({
    settings: {
      url: emulator.target.base_url,
      readOnly: true,
      fetch: (request) => {
        sent.push(`${request.method} ${new URL(request.url).pathname}`);
        return emulator.fetch(request);
      },
    },
    host: systemHost,
    tag: 'drft',
    look: true,
  });
  const before = emulator.clock.now();
  await driftFrom([read, create(), prompt, suspend], () => json(500, {}), { driver, host: systemHost, readOnly: true });
  expect(sent.filter((one) => !one.startsWith('GET '))).toEqual([]);
  expect(emulator.clock.now()).toBe(before);
  await emulator.close();
});
