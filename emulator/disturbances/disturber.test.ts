import { expect, test } from 'vitest';
import { closing } from '../../test/closing.js';
import { DISTURBANCE_NAMES, type DisturbanceName, disturbanceOf } from '../contract/disturbance.js';
import { createEmulator, type EmulatorOptions } from '../index.js';
import { ACTS } from './acts.js';

type Faults = Extract<EmulatorOptions['chaos'], readonly unknown[]>;

/** An emulator that is disturbed, and its running intern's conversation. */
function disturbed(chaos: Faults, options: EmulatorOptions = {}) {
  const emulator = closing(createEmulator({ clock: 'auto', seed: 'disturbed', chaos, ...options }));
  const { credentials } = emulator.target;
  const id = credentials.intern?.id ?? '';
  const call = (method: string, path: string, body?: unknown) =>
    emulator.fetch(`/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${credentials.api_key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const turn = (body: object) =>
    call('POST', `/interns/${id}/chat/completions`, { stream: true, approval_mode: 'manual', ...body });
  const control = async (path: string) =>
    (await (await emulator.fetch(`/_emulator/${path}`)).json()) as { data: never[] };
  return {
    emulator,
    id,
    call,
    control,
    runs: async () => (await control('runs')).data as { ended?: string }[],
    say: (content: string) => turn({ messages: [{ role: 'user', content }] }),
    /** Answers the question of a stream. */
    async answer(stream: Response, content: string) {
      const said = await stream.text();
      const call = /"id":"(call_[^"]+)"/.exec(said)?.[1];
      const session_id = /"session_id":"([^"]+)"/.exec(said)?.[1];
      return turn({ session_id, messages: [{ role: 'tool', tool_call_id: call, content }] });
    },
  };
}

const chat = (disturb: string, more: object = {}) => [{ operation: 'chat', disturb, ...more }] as Faults;

test.each([
  ['rate-limited', 429, 'rate_limited', '1'],
  ['unavailable', 503, 'service_unavailable', '1'],
  ['busy', 409, 'busy', '1'],
  ['not-ready', 409, 'intern_not_ready', null],
  ['unreachable', 502, 'intern_unreachable', null],
])('%s refuses a call with %i, once, and does nothing', async (disturb, status, reason, after) => {
  const { say, runs } = disturbed(chat(disturb));
  const refused = await say('hello');
  expect(refused.status).toBe(status);
  expect(refused.headers.get('retry-after')).toBe(after);
  expect(await refused.json()).toMatchObject({ error: { metadata: { reason, retryable: true } } });
  expect(await runs()).toEqual([]);
  expect((await say('hello')).status).toBe(200);
});

test.each([
  ['refused', 'ECONNREFUSED', 0],
  ['reset', 'ECONNRESET', 0],
  ['lost', 'ECONNRESET', 1],
])('%s breaks the connection, and what was acted on goes to its end', async (disturb, code, acted) => {
  const { say, runs } = disturbed(chat(disturb));
  await expect(say('hello')).rejects.toMatchObject({ message: 'fetch failed', cause: { code } });
  expect((await runs()).map(({ ended }) => ended)).toEqual(Array.from({ length: acted }, () => 'stop'));
});

test.each([
  ['first', 'data: {'],
  ['content:2', ' two'],
  ['content:1@10', 'data: {"id'],
  ['before-finish', ' three'],
  ['before-final', '"finish_reason":"stop"'],
  ['before-done', '"session_id"'],
])('a stream is cut at %s, and nothing follows', async (write, last) => {
  const scripts = [
    {
      name: 'counts',
      async *turn() {
        yield { say: ['one', ' two', ' three'] };
      },
    },
  ];
  const { say } = disturbed(chat('cut', { write }), { scripts });
  const reader = (await say('script: counts')).body?.pipeThrough(new TextDecoderStream()).getReader();
  let said = '';
  const reading = async () => {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) return;
      said += value;
    }
  };
  await expect(reading()).rejects.toThrow('terminated');
  expect(
    said
      .split('\n\n')
      .filter((event) => event !== '')
      .at(-1),
  ).toContain(last);
  expect(said).not.toContain('[DONE]');
});

test.each([
  ['error-chunk', '"finish_reason":"error"', 'turn_failed'],
  ['severed', '"finish_reason":"error"', 'stream_severed'],
  ['run-ended', '"finish_reason":"error"', 'run_ended'],
  ['length', '"finish_reason":"length"', ''],
])('%s ends a stream as the interface has it', async (disturb, finish, reason) => {
  const { say, runs } = disturbed(chat(disturb, { write: 'first' }));
  const events = (await (await say('hello')).text()).split('\n\n');
  expect(events).toHaveLength(5);
  expect(events[1]).toContain(finish);
  expect(events[1]).toContain(reason);
  expect(JSON.parse(events[2]?.slice(6) ?? '')).toMatchObject({
    choices: [],
    session_id: expect.any(String),
    usage: null,
  });
  expect(events[3]).toBe('data: [DONE]');
  expect(await runs()).toHaveLength(1);
});

test.each([
  ['stall', {}],
  ['silence', { write: 'first' }],
])('%s lasts until the client leaves', async (disturb, more) => {
  const { emulator, id } = disturbed(chat(disturb, more));
  const leaving = new AbortController();
  const answer = emulator
    .fetch(`/api/v1/interns/${id}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.target.credentials.api_key}` },
      body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'hello' }] }),
      signal: leaving.signal,
    })
    .then((response) => response.text());
  let ended = false;
  const over = answer
    .catch((error: Error) => error.message)
    .finally(() => {
      ended = true;
    });
  await emulator.clock.advance(3_600_000);
  expect(ended).toBe(false);
  leaving.abort(new Error('too long'));
  expect(await over).toBe('too long');
});

test.each([
  ['withdrawn', 'asked', 'chat', 'deadline'],
  ['withdrawn', 'answer-sent', 'answer', 'deadline'],
  ['answered-elsewhere', 'asked', 'chat', 'stop'],
  ['answered-elsewhere', 'answer-sent', 'answer', 'stop'],
])('a question that is %s (%s) takes no answer', async (disturb, state, operation, ended) => {
  const { say, answer, runs } = disturbed([{ operation, disturb, state }] as Faults);
  const refused = await answer(await say('script: ask-permission'), 'allow_once');
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({ error: { metadata: { reason: 'interaction_not_pending' } } });
  expect(await runs()).toMatchObject([{ ended }]);
});

test('prompts and answers are counted apart', async () => {
  const { say, answer } = disturbed([{ operation: 'chat', nth: 2, disturb: 'busy' }]);
  expect((await answer(await say('script: ask-permission'), 'allow_once')).status).toBe(200);
  expect((await say('hello')).status).toBe(409);
});

test.each([
  ['boot-fails', 'create', 'failed'],
  ['teardown-fails', 'delete', 'destroy_failed'],
  ['deleted', 'get', undefined],
  ['suspended', 'get', 'stopped'],
])('%s happens to an intern, and to none after it', async (disturb, operation, status) => {
  const { call, emulator } = disturbed([{ operation, disturb }] as Faults);
  const make = async (name: string) => {
    const body = { name, workspace_id: emulator.target.workspace_id, provision: true };
    return ((await (await call('POST', '/interns', body)).json()) as { id: string }).id;
  };
  const use = async (id: string) => {
    await emulator.clock.advance(5_000);
    if (operation !== 'create') await call(operation.toUpperCase(), `/interns/${id}`);
    await emulator.clock.advance(5_000);
    return ((await (await call('GET', `/interns/${id}`)).json()) as { status?: string }).status;
  };
  expect(await use(await make('one'))).toBe(status);
  expect(await use(await make('two'))).toBe(operation === 'delete' ? undefined : 'running');
});

test('a boot that failed succeeds when it is tried again', async () => {
  const { call, emulator } = disturbed([{ operation: 'create', disturb: 'boot-fails' }]);
  const body = { name: 'again', workspace_id: emulator.target.workspace_id, provision: true };
  const { id } = (await (await call('POST', '/interns', body)).json()) as { id: string };
  await emulator.clock.advance(5_000);
  expect((await call('POST', `/interns/${id}/provision`)).ok).toBe(true);
  await emulator.clock.advance(5_000);
  expect(await (await call('GET', `/interns/${id}`)).json()).toMatchObject({ status: 'running' });
});

test('a credential that is dead opens nothing, until a reset', async () => {
  const { call, emulator } = disturbed([{ operation: 'list', disturb: 'token-dead' }]);
  expect((await call('GET', '/interns')).status).toBe(401);
  expect((await call('GET', '/interns')).status).toBe(401);
  await emulator.fetch('/_emulator/faults', { method: 'DELETE' });
  await emulator.reset();
  await emulator.fetch('/_emulator/faults', { method: 'DELETE' });
  expect((await call('GET', '/interns')).status).toBe(200);
});

test('a request that is delivered twice takes effect twice', async () => {
  const { say, runs } = disturbed(chat('duplicate'));
  expect((await say('hello')).status).toBe(200);
  expect(await runs()).toHaveLength(2);
});

test('the journal says which requests were disturbed, those too that never came in', async () => {
  const { say, control } = disturbed([
    { operation: 'chat', disturb: 'reset' },
    { operation: 'chat', nth: 2, disturb: 'cut', write: 'first' },
  ]);
  await say('hello').catch(() => {});
  await (await say('hello')).text().catch(() => {});
  expect((await control('journal')).data).toMatchObject([
    { operation: 'chat', injected: { disturb: 'reset' }, response: { status: null } },
    { operation: 'chat', injected: { disturb: 'cut', write: 'first' }, response: { status: 200 } },
  ]);
  expect((await control('faults')).data).toEqual([]);
});

test('the control interface meets no disturbance', async () => {
  const { control, call } = disturbed([{ operation: 'list', disturb: 'token-dead', times: 'always' }]);
  expect((await call('GET', '/interns')).status).toBe(401);
  expect((await control('interns')).data.length).toBeGreaterThan(0);
  expect((await control('faults')).data).toHaveLength(1);
});

test('what is harmless comes from what is handed in; without it the log says so', async () => {
  const log: unknown[] = [];
  const without = disturbed(chat('slow'), { log: (record) => log.push(record) });
  expect((await without.say('hello')).status).toBe(200);
  expect(log).toMatchObject([{ event: 'disturbance_unknown', disturb: 'slow' }]);
  const slow = disturbed(chat('slow'), {
    disturbances: async () => ({
      slow:
        (next, { host }) =>
        async (request) => {
          await host.sleep(60_000);
          return next(request);
        },
    }),
  });
  const before = slow.emulator.clock.now();
  expect((await slow.say('hello')).status).toBe(200);
  expect(slow.emulator.clock.now() - before).toBe(60_000);
});

test('what changes a status waits for a read that shows it', async () => {
  const { call, emulator } = disturbed([{ operation: 'get', disturb: 'other-status' }] as Faults, {
    clock: 'virtual',
    disturbances: async () => ({
      'other-status': (next) => async (request) => {
        const said = (await (await next(request)).json()) as { status: string };
        return Response.json({ ...said, status: said.status === 'running' ? 'warming_up' : said.status });
      },
    }),
  });
  const body = { name: 'late', workspace_id: emulator.target.workspace_id, provision: true };
  const { id } = (await (await call('POST', '/interns', body)).json()) as { id: string };
  const status = async () => ((await (await call('GET', `/interns/${id}`)).json()) as { status: string }).status;
  expect(['queued', 'provisioning']).toContain(await status());
  await emulator.clock.advance(60_000);
  expect([await status(), await status()]).toEqual(['warming_up', 'running']);
});

test('every disturbance is served by the emulator, or harmless', () => {
  const served = Object.keys(ACTS);
  const harmless = DISTURBANCE_NAMES.filter((name) => disturbanceOf(name).class === 'harmless');
  expect([...new Set([...served, ...harmless])].sort()).toEqual([...DISTURBANCE_NAMES].sort());
});

test.each([
  [{ operation: 'chat', disturb: 'cut' }, 'write: cut happens at a write: say which'],
  [{ operation: 'chat', disturb: 'lost', write: 'first' }, 'write: lost happens at no write'],
  [{ operation: 'list', disturb: 'busy' }, 'operation: busy happens to chat, answer, invoke alone'],
  [
    { operation: 'chat', disturb: 'lost', status: 503 },
    'status: a disturbance says all that happens; give one of the two',
  ],
  [{ operation: 'chat', status: 503, nth: 2 }, 'nth: only a fault with "disturb" has it'],
  [{ operation: 'answer', status: 503 }, 'operation: only a fault with "disturb" happens to answer'],
  [{ operation: 'chat', disturb: 'cut', write: 'middle' }, /write: expected first, content:n/],
])('a fault %j is refused in one line', (fault, message) => {
  expect(() => createEmulator({ chaos: [fault] as unknown as Faults })).toThrow(message);
});

test('a name that no disturbance has is refused', () => {
  const disturb = 'blown-away' as DisturbanceName;
  expect(() => createEmulator({ chaos: [{ operation: 'list', disturb }] })).toThrow(/disturb: expected "joined", /);
});
