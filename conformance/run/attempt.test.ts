import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { check, fakeDriver, fakeHost, fakeTarget, runAt } from '../../test/targets/fake-target.js';
import { fail } from '../model/assert.js';
import { systemHost } from '../probe/time.js';
import { run } from '../run.js';
import { createProperty } from './property.js';

const later = <T>() => {
  let resolve = (_: T) => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
};

test('a check that takes too long is cancelled: it sends nothing into the next one', async () => {
  const target = fakeTarget();
  const release = later<void>();
  const tried = later<unknown>();
  let timeUp = () => {};
  // The first wait that is made is that for the check; it is over when the check says so.
  const host = {
    ...fakeHost(),
    later(ms: number, then: () => void) {
      if (ms > 100_000) timeUp = then;
      return () => {};
    },
  };
  const results = await run({
    driver: fakeDriver(target.fetch, host),
    host,
    checks: [
      check('a/hangs', async ({ api }) => {
        timeUp();
        await release.promise;
        await api.get('sent-too-late').then(tried.resolve, tried.resolve);
      }),
      check('a/next', async ({ api }) => {
        release.resolve();
        expect(await tried.promise).toMatchObject({ name: 'Cancelled' });
        await api.get('next');
      }),
    ],
    seed: 'b',
  });
  expect(results.checks).toMatchObject([
    { id: 'a/hangs', verdict: 'error', error: { message: expect.stringContaining('cancelled') } },
    { id: 'a/next', verdict: 'pass' },
  ]);
  expect(target.log.join()).not.toContain('sent-too-late');
});

describe('limits hold', () => {
  const silent = () => new Promise<Response>(() => {});
  const dripping = () =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          await systemHost.sleep(20);
          controller.enqueue(new TextEncoder().encode(' '));
        },
      }),
      { headers: { 'content-type': 'application/json' } },
    );

  test.each([
    ['never answers', silent],
    ['drips', dripping],
  ])('against a target that %s', async (_, answer) => {
    const target = fakeTarget(({ url }) => (url.includes('/x') ? answer() : undefined));
    const results = await run({
      driver: fakeDriver(target.fetch, systemHost),
      checks: [check('a/asks', async ({ api }) => void (await api.get('x')), { needs: [] })],
      timeout: 200,
    });
    expect(results.checks[0]?.finding?.actual).toMatch(/^timeout: nothing/);
  });

  test.each([
    ['--max-time', { maxTime: 100 }, /the time of 0.1 s is up/],
    ['Ctrl-C', {}, /interrupted/],
  ])('%s ends a request that is never answered', async (_, more, reason) => {
    const over = new AbortController();
    const target = fakeTarget(({ url }) => {
      if (!url.includes('/x')) return undefined;
      if (!('maxTime' in more)) over.abort();
      return silent();
    });
    const results = await run({
      driver: fakeDriver(target.fetch, systemHost),
      checks: [
        check('a/asks', async ({ api, interns }) => {
          await interns.stopped();
          await api.get('x');
        }),
      ],
      timeout: 60_000,
      signal: over.signal,
      ...more,
    });
    expect(results.reasons.join()).toMatch(reason);
    expect(results.exit).toBe(3);
    expect(target.interns.size).toBe(0);
  });

  test('the clean-up has a budget of its own', async () => {
    let created = false;
    let passed = 0;
    let timeUp = () => {};
    const longest = 7_200_000;
    const host = {
      ...systemHost,
      now: () => systemHost.now() + passed,
      later(ms: number, then: () => void) {
        if (ms !== 1_000) return systemHost.later(ms, then);
        timeUp = () => {
          passed = longest;
          then();
        };
        return () => {};
      },
    };
    const target = fakeTarget(({ method }) => {
      if (method === 'POST') created = true;
      else if (created) {
        timeUp();
        return silent();
      }
      return undefined;
    });
    const results = await run({
      driver: fakeDriver(target.fetch, host),
      host,
      checks: [check('a/makes', async ({ interns }) => void (await interns.stopped()))],
      timeout: 30_000,
      maxTime: longest,
      cleanupTime: 200,
    });
    expect(results.cleanup.failed).toMatchObject([{ why: expect.stringMatching(/clean-up are up/) }]);
    expect(results.exit).toBe(3);
  });
});

describe('what is in the way is reported once', () => {
  const json = (status: number, body: unknown) =>
    new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
  const makes = (id: string) => check(id, async ({ interns }) => void (await interns.stopped()));

  test('no intern can be created', async () => {
    const target = fakeTarget(({ method }) => (method === 'POST' ? json(500, { error: {} }) : undefined));
    const results = await runAt(target, ['a/1', 'a/2', 'a/3'].map(makes));
    expect(results.counts).toMatchObject({ fail: 1, skip: 2 });
    const [first, second] = results.checks;
    expect(second?.skip).toMatchObject({
      need: `blocked by ${first?.id}`,
      why: 'a valid create answered 500',
      kind: 'blocked',
    });
  });

  test('but each is tried where nothing may block', async () => {
    const target = fakeTarget(({ method }) => (method === 'POST' ? json(500, { error: {} }) : undefined));
    const results = await runAt(target, ['a/1', 'a/2'].map(makes), { blocking: false });
    expect(results.counts.fail).toBe(2);
  });

  test('its first create is refused: then the run ends, with the workspace that was named', async () => {
    const target = fakeTarget(({ method }) => (method === 'POST' ? json(404, { error: {} }) : undefined));
    const results = await runAt(target, ['a/1', 'a/2'].map(makes));
    expect(results).toMatchObject({ exit: 3, counts: { fail: 0, skip: 2 } });
    expect(results.reasons).toContainEqual(expect.stringMatching(/in workspace .* \(404\): is that the workspace/));
  });

  test('a connection that is lost once is tried again; one that always is, is a finding', async () => {
    const lossy = (times: number) => {
      let lost = 0;
      return fakeTarget(({ method }) => {
        if (method !== 'POST' || ++lost > times) return undefined;
        throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
      });
    };
    expect((await runAt(lossy(1), [makes('a/1')])).counts.pass).toBe(1);
    expect((await runAt(lossy(99), [makes('a/1')])).counts.fail).toBe(1);
  });

  test('a failure of the server that may pass is tried again later, and never a finding', async () => {
    const tried: number[] = [];
    const failing = json(500, { error: { code: 500, metadata: { reason: 'internal_error', retryable: true } } });
    const host = fakeHost();
    const target = fakeTarget(({ method }) => {
      if (method !== 'POST') return undefined;
      tried.push(host.now());
      return failing.clone();
    });
    const { checks } = await runAt(target, [makes('a/1')], { host });
    expect(checks[0]).toMatchObject({
      verdict: 'skip',
      skip: { why: expect.stringMatching(/could not do it now: "500/) },
    });
    expect(tried.map((at) => Math.round((at - (tried[0] ?? 0)) / 1_000))).toEqual([0, 2, 6]);
  });

  test.each([
    ['is no event stream', () => json(200, { id: 'x' })],
    [
      'stays open after [DONE]',
      () =>
        new Response(
          new ReadableStream({
            start: (controller) => controller.enqueue(new TextEncoder().encode('data: [DONE]\n\n')),
          }),
          { headers: { 'content-type': 'text/event-stream' } },
        ),
    ],
  ])('a chat answer that %s, after three', async (_, answer) => {
    const target = fakeTarget(({ url }) => (url.includes('/chat/') ? answer() : undefined));
    const chats = (id: string) =>
      check(id, async ({ chat, interns }) => void (await (await chat(interns.unknownId(), 'Hello.')).end()));
    const checks = Array.from({ length: 6 }, (_, at) => chats(`a/${at}`));
    let now = 0;
    // Each look at the clock is a second later; waits of up to 5 s are over at once.
    const host = {
      ...fakeHost(),
      now() {
        now += 1_000;
        return now;
      },
      later(ms: number, then: () => void) {
        if (ms <= 5_000) setImmediate(then);
        return () => {};
      },
    };
    const results = await runAt(target, checks, { host });
    expect(results.counts).toMatchObject({ fail: 3, skip: 3 });
    expect(results.checks.at(-1)?.skip?.kind).toBe('blocked');
  });

  test.each([
    ['is taken of none, after three', () => false, { fail: 3, skip: 3 }],
    ['is taken of some, never', (at: number) => at % 2 === 1, { fail: 3, pass: 3, skip: 0 }],
  ])('an answer to a question that %s', async (_, takes, counts) => {
    const body = (chunks: readonly object[]) =>
      new Response(`${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`, {
        headers: { 'content-type': 'text/event-stream' },
      });
    const final = { choices: [], session_id: 's', usage: null };
    const call = {
      index: 0,
      id: 'call',
      type: 'function',
      function: { name: 'service.provide_input', arguments: '{}' },
    };
    const asks = [
      { choices: [{ index: 0, delta: { tool_calls: [call] } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
      final,
    ];
    const ends = [{ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }, final];
    const ids: string[] = [];
    const target = fakeTarget(async (request) => {
      const id = ids.findIndex((one) => one !== undefined && request.url.includes(`/${one}/chat`));
      if (id < 0) return undefined;
      if (!(await request.clone().text()).includes('"role":"tool"')) return body(asks);
      return takes(id) ? body(ends) : json(404, { error: { metadata: { reason: 'interaction_unknown' } } });
    });
    const answers = (at: number) =>
      check(`a/${at}`, async ({ chat, answer, interns }) => {
        const id = ids[at] ?? interns.unknownId();
        ids[at] = id;
        const asked = await (await chat(id, 'Ask.')).end();
        await (await answer(id, asked, 'yes')).end();
      });
    const checks = Array.from({ length: 6 }, (_, at) => answers(at));
    const results = await runAt(target, checks, { rate: 0, concurrency: 1 });
    expect(results.counts).toMatchObject(counts);
    const blocked = results.checks.flatMap(({ skip }) => (skip?.kind === 'blocked' ? [skip.why] : []));
    expect(new Set(blocked)).toEqual(new Set(counts.skip === 0 ? [] : ['no answer to a question is taken']));
  });

  test.each([
    [
      '429 in text',
      429,
      new Response('slow down', { status: 429, headers: { 'retry-after': '600' } }),
      /429, Retry-After 600; try again later, or more slowly with --rate$/,
    ],
    [
      '429 in JSON',
      429,
      Response.json({ error: { code: 429 } }, { status: 429, headers: { 'retry-after': '600' } }),
      /429, Retry-After 600; try again/,
    ],
    [
      'a page that says 503',
      503,
      new Response('<h1>Back soon</h1>', { status: 503, headers: { 'content-type': 'text/html' } }),
      /503; try again later$/,
    ],
  ])(
    'a target that answers the first list with %s is reported as away, not as at another address',
    async (_, status, answer, says) => {
      const target = fakeTarget(() => answer.clone());
      const results = await runAt(target, [makes('a/1')]);
      expect(results.exit).toBe(3);
      expect(results.reasons.at(-1)).toMatch(
        new RegExp(`^the target takes no requests now: it answers GET /interns with ${status}`),
      );
      expect(results.reasons.at(-1)).toMatch(says);
      expect(results.reasons.join()).not.toMatch(/base address/);
      expect(target.log.every((line) => line.startsWith('GET'))).toBe(true);
    },
  );

  test('a server that is something else never sees a write', async () => {
    const target = fakeTarget(() => json(404, { message: 'no route' }));
    const results = await runAt(target, [makes('a/1')]);
    expect(results.exit).toBe(3);
    expect(results.reasons.join()).toMatch(/answers GET \/interns with 404/);
    expect(target.log.every((line) => line.startsWith('GET'))).toBe(true);
  });
});

test('a minimum of coverage that is not reached makes the run incomplete', async () => {
  const checks = [check('a/1', async () => {}), check('a/2', async () => fail('x', 1, 2), { needs: ['clock'] })];
  const go = (minCoverage: number) => runAt(fakeTarget(), checks, { minCoverage });
  expect((await go(50)).exit).toBe(0);
  expect(await go(51)).toMatchObject({
    exit: 3,
    reasons: [expect.stringContaining('50%, less than --min-coverage 51%')],
  });
  expect((await go(50)).coverage).toEqual({
    checked: 1,
    of: 2,
    not: [{ why: 'need a control interface', count: 1 }],
    noQuestionSeen: false,
    noPermissionSeen: false,
    fromOutside: { checked: 1, of: 1, requirements: { checked: 1, of: 1 } },
    askable: { checked: 1, of: 1 },
    headline: {
      verdict: 'conforms',
      counts: expect.objectContaining({ pass: 1, fail: 0 }),
      checked: 1,
      of: 1,
      not: [],
      requirements: '1 of 1 requirements that a deployment can show were checked',
      emulatorsOnly: '1 more check for emulators only',
    },
  });
});

test('a property of a thousand million runs lets the process do what else it has to, and ends with the run', async () => {
  let turns = 0;
  const over = new AbortController();
  const ends = new Error('interrupted');
  const property = createProperty({
    seedOf: () => 1,
    runs: 1e9,
    shrinkBudget: 0,
    now: () => 0,
    turn: async () => {
      if (++turns === 3) over.abort(ends);
    },
    fresh: async () => {},
    setUp: () => {},
    done: () => {},
  });
  const ended = property('runs', fc.integer(), async () => over.signal.throwIfAborted());
  await expect(ended).rejects.toBe(ends);
  expect(turns).toBe(3);
});

test.each(['0:9999', '0:9999:0'])(
  'a counterexample that is drawn no more is tried again by another: %s',
  async (path) => {
    const tried: unknown[] = [];
    const property = createProperty({
      seedOf: () => 1,
      runs: 10,
      again: { name: 'words', counterexample: ['"é"'], seed: 1, path, runs: 1, shrinks: 1 },
      shrinkBudget: 0,
      now: () => 0,
      turn: async () => {},
      fresh: async () => {},
      setUp: () => {},
      done: () => {},
    });
    await property('words', fc.constantFrom('plain', 'words'), async (word) => void tried.push(word));
    expect(tried).toHaveLength(1);
  },
);
