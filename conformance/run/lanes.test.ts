import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Setting } from '../../emulator/wire/serve.js';
import { check, fakeDriver, fakeHost, fakeTarget, runAt } from '../../test/targets/fake-target.js';
import { createVirtualHost } from '../drivers/virtual-host.js';
import { fewRequests } from '../habits/few-requests.js';
import { equal, fail } from '../model/assert.js';
import { Finding } from '../model/finding.js';
import { blocked, byTheIntern, lacking, raced } from '../model/skip.js';
import type { Fetch } from '../probe/client.js';
import { run } from '../run.js';
import type { Check } from './check.js';
import type { CheckResult } from './results.js';

const go = (checks: Check[], more: Parameters<typeof runAt>[2] = {}, fetch: Fetch = fakeTarget().fetch) =>
  runAt({ fetch }, checks, { seed: 's', rate: 0, ...more });
/** Checks that each take a few turns, and what `look` sees of how many are at work. */
function crowd(n: number, look: (at: number, busy: number) => void) {
  let busy = 0;
  return Array.from({ length: n }, (_, at) =>
    check(
      `a/${at}`,
      async ({ api }) => {
        busy++;
        try {
          await api.list();
          look(at, busy);
          await api.list();
        } finally {
          busy--;
        }
      },
      { needs: [] },
    ),
  );
}

test.each([
  [{}, 4],
  [{ concurrency: 1 }, 1],
  [{ concurrency: 9 }, 9],
])('with %j at most %i checks are at work, in the end all in the order of the selection', async (more, most) => {
  const seen: number[] = [];
  const started: string[] = [];
  const results = await go(
    crowd(12, (_, busy) => void seen.push(busy)),
    { ...more, events: { checkStart: ({ id }) => void started.push(id) } },
  );
  expect(Math.max(...seen)).toBe(most);
  expect(results.counts.pass).toBe(12);
  expect(results.checks.map(({ id }) => id)).toEqual(started);
});

test('what is found beside others counts only if it is found alone', async () => {
  const tries: number[] = [];
  const results = await go(
    crowd(8, (at, busy) => {
      if (at !== 5) return;
      tries.push(busy);
      equal(busy, 1, 'checks at work');
    }),
    { concurrency: 4 },
  );
  expect(results).toMatchObject({ verdict: 'pass', counts: { pass: 8 } });
  expect(results.checks.every(({ note }) => note === undefined)).toBe(true);
  expect(tries).toEqual([4, 1]);
});

/** Checks of which the third finds this of that each time, and what was at work beside it. */
async function finds(what: (tries: number) => string) {
  const tries: number[] = [];
  const results = await go(
    crowd(4, (at, busy) => {
      if (at === 2 && what(tries.push(busy)) !== '') fail(what(tries.length), 'blue', 'red');
    }),
  );
  return { tries, result: results.checks.find(({ id }) => id === 'a/2') };
}

test('what was found beside others is done alone although the budget leaves no room for another check', async () => {
  for (let wrong = 26; wrong < 31; wrong++) {
    let tries = 0;
    const looks = Array.from({ length: 40 }, (_, at) =>
      check(
        `a/${at}`,
        async ({ send }) => {
          for (let times = 0; times < (at < 24 ? 5 : 3); times++) await send({ path: '/elsewhere' });
          if (at === wrong && ++tries > 0) fail('colour', 'blue', 'red');
        },
        { needs: [] },
      ),
    );
    const results = await go(looks, { maxRequests: 150 });
    expect([wrong, tries, results.counts.fail]).toEqual([wrong, tries === 0 ? 0 : 2, tries === 0 ? 0 : 1]);
    expect(results.requests).toBeLessThanOrEqual(150);
    expect(results.requests).toBeGreaterThan(125);
  }
});

test.each([
  ['finds the same', () => 'colour', { of: 'colour' }, [4, 1]],
  [
    'finds another, which the next run finds too',
    (nth: number) => (nth === 1 ? 'colour' : 'size'),
    { of: 'size' },
    [4, 1, 1],
  ],
  [
    'finds another, and the next run yet another',
    (nth: number) => ['colour', 'size', 'weight', 'age'][nth - 1] ?? '',
    { of: 'weight', others: [{ of: 'size' }] },
    [4, 1, 1],
  ],
])('what was found beside others counts where a run alone %s', async (_, what, finding, atWork) => {
  const { tries, result } = await finds(what);
  expect(result).toMatchObject({ verdict: 'fail', finding });
  expect(tries).toEqual(atWork);
});

test('what was found alone and does not come again is a note', async () => {
  const { tries, result } = await finds((nth) => (nth === 2 ? 'size' : ''));
  expect(result?.verdict).toBe('pass');
  expect(tries).toEqual([4]);
  const other = await finds((nth) => (nth === 1 ? 'colour' : nth === 2 ? 'size' : ''));
  expect(other.result).toMatchObject({ verdict: 'skip', skip: { kind: 'race' }, note: { what: 'size' } });
});

test('an intern of others that a create answers is seen once', async () => {
  let tries = 0;
  const results = await go([
    ...crowd(3, () => {}),
    check('a/harms', async () => {
      tries++;
      throw new Finding({ wanted: { kind: 'effect', words: 'a new intern' }, got: 'another', of: 'a create' });
    }),
  ]);
  expect(results.checks.at(-1)).toMatchObject({ verdict: 'fail', finding: { what: 'a create' } });
  expect(tries).toBe(1);
});

test('a property that others were beside is tried again with the values that it was found not to hold for', async () => {
  const drawn: (number | string)[] = [];
  const results = await go(
    [
      ...crowd(3, () => {}),
      check('a/property', async ({ property }) => {
        await property('holds', fc.nat(9), async (n) => void drawn.push(n));
        await property('does not', fc.string(), async (text) => {
          drawn.push(text);
          if (text.length > 3) fail('length', 'less than 4', text.length);
        });
      }),
    ],
    { runs: 20, shrinkBudget: 100 },
  );
  const { counterexample } = results.checks.at(-1)?.finding?.property ?? {};
  expect(results.checks.at(-1)?.verdict).toBe('fail');
  // One draw of what held, and the counterexample.
  const [held, text] = drawn.slice(-2);
  expect(typeof held).toBe('number');
  expect(counterexample).toEqual([JSON.stringify(text)]);
  expect(typeof drawn.at(-3)).toBe('string');
});

/** A target that refuses some of the connections that are made to it, which are counted from 1. */
function away(when: (nth: number) => boolean): Fetch {
  const target = fakeTarget();
  let requests = 0;
  return async (request) => {
    if (when(++requests))
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) });
    return target.fetch(request);
  };
}

test('a target that is gone is no breach: the run ends as one that could not be done', async () => {
  const results = await go(
    crowd(12, () => {}),
    {},
    away((nth) => nth > 12),
  );
  expect(results).toMatchObject({ verdict: 'incomplete', exit: 3, counts: { fail: 0, warn: 0 } });
  expect(results.reasons.join(' ')).toMatch(/gave no answer in 5 checks in a row.*could not be reached/);
});

test('one that is away for a moment is waited for', async () => {
  const results = await go(
    crowd(12, () => {}),
    {},
    away((nth) => nth === 12),
  );
  expect(results).toMatchObject({ verdict: 'pass', counts: { pass: 12 } });
});

test.each([
  ['race', 2, raced({ kind: 'deleted' })],
  ['blocked', 1, blocked({ kind: 'blocked', by: 'a/2', obstacle: 'create' })],
  ['intern', 1, byTheIntern({ kind: 'asked-nothing', finish: 'stop' })],
  ['need', 1, lacking({ kind: 'read-only' })],
] as const)('one that comes to no verdict for reason of %s is tried %i times', async (_, times, skip) => {
  let tries = 0;
  const results = await go(
    crowd(4, (at) => {
      if (at === 1 && ++tries > 0) throw skip;
    }),
  );
  const skipped: Partial<CheckResult> = { verdict: 'skip' };
  expect(results.checks.find(({ id }) => id === 'a/1')).toMatchObject(skipped);
  expect(tries).toBe(times);
});

test('one that asks for fewer requests gets one check at a time', async () => {
  let requests = 0;
  const busy: number[] = [];
  const { fetch } = fakeTarget(() =>
    ++requests === 10 ? new Response('{}', { status: 429, headers: { 'retry-after': '1' } }) : undefined,
  );
  const results = await go(
    crowd(20, (_, now) => void busy.push(now)),
    {},
    fetch,
  );
  expect(results.counts.pass).toBe(20);
  expect(Math.max(...busy.slice(0, 4))).toBeGreaterThan(1);
  expect(busy.slice(-10)).toEqual(Array(10).fill(1));
});

/** A check that leaves so many interns to the end of the run. */
const leaves = (count: number) =>
  check(`a/leaves-${count}`, async ({ api, interns }) => {
    await api.list();
    await Promise.all(Array.from({ length: count }, () => interns.stopped()));
  });

test('several interns are taken away at a time', async () => {
  const target = fakeTarget();
  let flying = 0;
  const at: number[] = [];
  const fetch = async (request: Request) => {
    if (request.method !== 'DELETE') return target.fetch(request);
    at.push(++flying);
    await new Promise((resolve) => setImmediate(resolve));
    flying--;
    return target.fetch(request);
  };
  const results = await go([leaves(6)], { concurrency: 4 }, fetch);
  expect(results.counts.pass).toBe(1);
  expect(results.cleanup).toMatchObject({ created: 6, deleted: 6 });
  expect(Math.max(...at)).toBe(4);
});

test('where a target takes one request a second and 8 s for each, all interns are taken away in the time there is', async () => {
  const target = fakeTarget();
  let time = 0;
  const clock = {
    now: () => time,
    async advance(ms: number) {
      time += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  const { host, live } = createVirtualHost(clock, 's', 0);
  const setting: Setting = {
    host,
    random: () => 0,
    keys: { peer: '', outsider: '', api: [] },
    puts: async () => {},
  };
  const slow = async (request: Request) => {
    await host.sleep(8_000);
    return target.fetch(request);
  };
  const driver = fakeDriver(fewRequests.serve?.(slow, setting) ?? slow, host);
  const over = new AbortController();
  const lives = live(over.signal);
  const results = await run({ driver, host, seed: 's', rate: 0, concurrency: 4, checks: [leaves(8)] });
  over.abort();
  await lives;
  expect(results.cleanup).toMatchObject({ created: 8, deleted: 8 });
});

test('an intern that one check makes under a name of its own is not foreign to it for having been listed by another', async () => {
  const target = fakeTarget();
  let listed = () => {};
  const seen = new Promise<void>((resolve) => {
    listed = resolve;
  });
  const fetch = async (request: Request) => {
    const answer = await target.fetch(request);
    // The answer to the create comes after another check has listed what it made.
    if (request.method === 'POST') await seen;
    return answer;
  };
  const checks = [
    check('a/makes', async ({ api, target: { workspaceId } }) => {
      const made = await api.create({ name: 'a name of its own', workspace_id: workspaceId });
      equal((await api.remove(String((made.json as { id: string }).id))).status, 202, 'status of the delete');
    }),
    check('a/lists', async ({ api }) => {
      while (target.interns.size === 0) await api.list();
      await api.list();
      listed();
    }),
  ];
  const results = await go(checks, {}, fetch);
  expect(results.counts.pass).toBe(2);
});

test('an intern that one lane gives back and another takes is not taken away', async () => {
  const host = fakeHost();
  const driver = fakeDriver(fakeTarget().fetch, host);
  const later = async () => {
    for (let turn = 0; turn < 100; turn++) await Promise.resolve();
  };
  const seen: number[] = [];
  await run({
    // A text that is put back takes a moment.
    driver: { ...driver, restore: later },
    host,
    seed: 's',
    rate: 0,
    concurrency: 2,
    checks: Array.from({ length: 12 }, (_, at) =>
      check(`a/${at}`, async ({ api, interns }) => {
        const { id } = await interns.stopped();
        for (let read = 0; read < 5 + at; read++) seen.push((await api.get(id)).status);
      }),
    ),
  });
  expect(seen.length).toBeGreaterThan(100);
  expect(new Set(seen)).toEqual(new Set([200]));
});
