import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { check, fakeHost, fakeTarget, runAt, SECRET } from '../../test/targets/fake-target.js';
import type { Report } from '../index.js';
import { equal, fail } from '../model/assert.js';
import type { Check } from './check.js';

const go = (checks: Check[], target = fakeTarget(), more?: Parameters<typeof runAt>[2]) => runAt(target, checks, more);
const only = (results: Report) => {
  const [first] = results.checks;
  if (first === undefined) throw new Error('no check ran');
  return first;
};

describe('verdicts', () => {
  test('a finding fails, with what it takes to act on it', async () => {
    const results = await go([
      check('a/fails', async ({ interns, api }) => {
        const intern = await interns.stopped();
        equal((await api.get(intern.id)).status, 418, 'status of the read');
      }),
    ]);
    expect(results).toMatchObject({ verdict: 'fail', exit: 1 });
    const { finding } = only(results);
    expect(finding).toMatchObject({ what: 'status of the read', expected: 418, actual: 200 });
    expect(finding?.transcript.map((one) => one.request.method)).toEqual(['POST', 'GET']);
    expect(finding?.curl).toContain('$INTERN_API_KEY');
    expect(finding?.replay).toBe('npx intern-conformance --only a/fails --seed seed --runs 1');
  });

  test('any other throw is an error of the kit and not held against the target', async () => {
    const results = await go([
      check('a/broken', async () => {
        throw new TypeError('x is undefined');
      }),
      check('a/passes', async () => {}),
    ]);
    expect(results).toMatchObject({ verdict: 'incomplete', exit: 70, counts: { error: 1, fail: 0 } });
    const failing = await go([
      check('a/broken', async () => {
        throw new TypeError('x is undefined');
      }),
      check('a/fails', async () => fail('x', 1, 2)),
    ]);
    expect(failing).toMatchObject({ verdict: 'fail', exit: 1 });
  });

  test('what a target lacks is a skip that names it', async () => {
    const results = await go([check('a/skips', async () => fail('x', 1, 2), { needs: ['clock'] })]);
    expect(only(results).skip?.need).toBe('clock');
    expect(results).toMatchObject({ verdict: 'incomplete', exit: 3, reasons: ['no check ran'] });
  });

  test('nothing selected is no pass', async () => {
    expect(await go([])).toMatchObject({ verdict: 'incomplete', exit: 3, reasons: ['no check was selected'] });
  });

  test('a published breach warns where the profile is not published, a chosen check is skipped without control', async () => {
    const results = await go([
      check('a/published', async () => fail('x', 1, 2), { level: 'P' }),
      check('a/chosen', async () => fail('x', 1, 2), { level: 'C', requirement: 'BASE-6' }),
    ]);
    expect(Object.fromEntries(results.checks.map((one) => [one.id, one.verdict]))).toEqual({
      'a/published': 'warn',
      'a/chosen': 'skip',
    });
    expect(results.exit).toBe(0);
  });

  test('a need that is used without being declared is an error of the kit', async () => {
    const results = await go([check('a/sneaks', async ({ interns }) => void (await interns.stopped()), { needs: [] })]);
    expect(only(results).error?.message).toMatch(/without declaring the need write/);
  });

  test('a finding that does not come again on a live target is a note', async () => {
    let tries = 0;
    const results = await go([check('a/flaky', async () => (++tries === 1 ? fail('x', 1, 2) : undefined))]);
    expect(only(results)).toMatchObject({ verdict: 'skip', skip: { kind: 'race' } });
    expect(only(results).note).toMatchObject({ what: 'x', expected: 1, actual: 2 });
    expect(results.counts.fail).toBe(0);
  });
});

describe('properties', () => {
  const small = (more: Partial<Check> = {}) =>
    check(
      'a/property',
      async ({ property, api }) => {
        await property('numbers', fc.nat({ max: 1000 }), async (n) => {
          await api.get(`n${n}`);
          if (n >= 17) fail('n', 'less than 17', n);
        });
      },
      more,
    );

  test('shrink to the smallest value, and the printed command finds it again', async () => {
    const first = only(await go([small()], fakeTarget(), { runs: 50, shrinkBudget: 500 })).finding;
    expect(first).toMatchObject({ actual: 17, property: { name: 'numbers', counterexample: ['17'] } });
    expect(first?.transcript.at(-1)?.request.url).toContain('n17');
    const path = first?.property?.path ?? '';
    expect(first?.replay).toBe(`npx intern-conformance --only a/property --seed seed --runs 50 --path numbers:${path}`);
    const again = only(await go([small()], fakeTarget(), { runs: 50, path: { name: 'numbers', path } }));
    expect(again.finding).toMatchObject({ actual: 17, property: { shrinks: 0 } });
  });

  test('what takes long is not made smaller, and tried once more', async () => {
    const host = fakeHost();
    const seen: number[] = [];
    const slow = check('a/property', async ({ property }) => {
      await property('numbers', fc.nat({ max: 1000 }), async (n) => {
        seen.push(n);
        await host.sleep(11_000);
        fail('n', 'no number', n);
      });
    });
    const results = await go([slow], fakeTarget(), { host, runs: 50, concurrency: 1 });
    expect(only(results)).toMatchObject({ verdict: 'fail', finding: { what: 'n' } });
    expect(seen).toHaveLength(2);
  });

  test('shrinking keeps to its budget', async () => {
    const target = fakeTarget();
    await go([small()], target, { runs: 50, shrinkBudget: 3 });
    const tried = target.log.filter((line) => line.includes('/n')).length;
    expect(tried).toBeLessThan(50 + 3 + 2 + 1);
  });

  test('the seed decides what is tried', async () => {
    const tried = async (seed: string) => {
      const target = fakeTarget();
      await go([small()], target, { runs: 5, seed });
      return target.log.filter((line) => line.includes('/n'));
    };
    expect(await tried('one')).toEqual(await tried('one'));
    expect(await tried('one')).not.toEqual(await tried('two'));
  });

  test('an error of the kit within a property is not shrunk', async () => {
    let tries = 0;
    const results = await go(
      [
        check('a/broken', async ({ property }) => {
          await property('numbers', fc.nat(), async () => {
            tries++;
            throw new TypeError('x');
          });
        }),
      ],
      fakeTarget(),
      { runs: 50 },
    );
    expect(only(results).verdict).toBe('error');
    expect(tries).toBe(1);
  });
});

describe('safety', () => {
  test('everything that was made is gone at the end', async () => {
    const target = fakeTarget();
    const results = await go(
      [
        check('a/makes', async ({ interns, api }) => {
          await interns.stopped();
          await api.create(interns.body());
          fail('x', 1, 2);
        }),
      ],
      target,
    );
    expect(target.interns.size).toBe(0);
    // Two of the check, two of its repetition, and two to see whether reads lag.
    expect(results.cleanup).toEqual({ created: 6, deleted: 6, failed: [] });
  });

  test('what is handed out no more is gone once eight are over, not at the end alone, and after a look at the list', async () => {
    const target = fakeTarget();
    const ids: string[] = [];
    const breaks = (id: string) =>
      check(
        id,
        async ({ interns }) => {
          ids.push((await interns.shared()).id);
          fail('x', 1, 2);
        },
        { needs: ['write', 'running'] },
      );
    const there: number[] = [];
    const looks = check('b/looks', async () => {
      there.push(ids.filter((id) => target.interns.has(id)).length);
    });
    const checks = [...Array.from({ length: 9 }, (_, at) => breaks(`a/${at}`)), looks];
    await go(checks, target, { concurrency: 1 });
    expect(new Set(ids).size).toBeGreaterThanOrEqual(8);
    expect(Math.max(...there)).toBeLessThan(8);
    const first = target.log.findIndex((line) => line.startsWith('DELETE'));
    expect(target.log.slice(0, first).lastIndexOf('GET /api/v1/interns')).toBeGreaterThan(0);
  });

  test.each([
    ['a list', () => Response.json({ data: [], has_more: false })],
    ['nothing', () => new Response(null, { status: 204 })],
    ['a page', () => new Response('<h1>Hello</h1>', { headers: { 'content-type': 'text/html' } })],
  ])('a create that is answered with %s ends the run, with the finding', async (_, answer) => {
    const target = fakeTarget(({ method }) =>
      method === 'GET' ? Response.json({ data: [], has_more: false }) : answer(),
    );
    const makes = (id: string) => check(id, async ({ interns }) => void (await interns.stopped()));
    const refuses = check('b/refuses', async ({ api, interns }) => {
      equal((await api.create(interns.body({ provision: 'yes' }))).status, 400, 'status of a bad create');
    });
    const checks = [...Array.from({ length: 40 }, (_, at) => makes(`a/${at}`)), refuses];
    const results = await go(checks, target, { concurrency: 4 });
    expect(results).toMatchObject({ exit: 1, verdict: 'fail', counts: { fail: 1, error: 0 } });
    expect(results.reasons.join()).toMatch(
      /^the target answers a create with 20\d and no intern; nothing more is created/,
    );
    const [failed] = results.checks.filter(({ verdict }) => verdict === 'fail');
    expect(failed?.finding).toMatchObject({ what: 'the answer to a create', expected: 'an intern with its id' });
    expect(target.log.filter((line) => line.startsWith('POST')).length).toBeLessThanOrEqual(4);
    expect(target.log.filter((line) => line.startsWith('DELETE'))).toEqual([]);
  });

  test('an intern whose create was never answered is found by its name', async () => {
    let lost = false;
    const target = fakeTarget((request) => {
      if (request.method !== 'POST' || lost) return undefined;
      lost = true;
      return request.json().then((body) => {
        const { name } = body as { name: string };
        target.interns.set('lost', { id: 'lost', name, status: 'stopped', workspace_id: 'workspace' });
        throw Object.assign(new TypeError('fetch failed'), {
          cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
        });
      });
    });
    const results = await go([check('a/makes', async ({ interns }) => void (await interns.stopped()))], target);
    expect(target.interns.size).toBe(0);
    expect(results.cleanup.failed).toEqual([]);
  });

  test('clean-up that fails is reported apart from conformance', async () => {
    const target = fakeTarget((request) =>
      request.method === 'DELETE' ? new Response('{}', { status: 500 }) : undefined,
    );
    const results = await go([check('a/makes', async ({ interns }) => void (await interns.stopped()))], target);
    expect(results.counts).toMatchObject({ pass: 1, fail: 0 });
    expect(results.cleanup.failed).toMatchObject([{ why: 'DELETE answered 500' }]);
    expect(results.exit).toBe(3);
  });

  test('interns of others are not written to', async () => {
    const target = fakeTarget();
    target.interns.set('theirs', { id: 'theirs', name: 'precious', status: 'running', workspace_id: 'workspace' });
    await go(
      [
        check('a/reckless', async ({ api }) => {
          await api.list();
          await api.remove('theirs');
        }),
      ],
      target,
    );
    expect(target.interns.has('theirs')).toBe(true);
  });

  test('a read-only run sends no write', async () => {
    const target = fakeTarget();
    const checks = [
      check('a/makes', async ({ interns }) => void (await interns.stopped())),
      check('a/sends', async ({ api }) => void (await api.create({})), { needs: [] }),
    ];
    await go(checks, target, { driver: { readOnly: true }, readOnly: true });
    expect(target.log.filter((line) => !line.startsWith('GET'))).toEqual([]);
  });

  test('no secret stands in the results', async () => {
    const target = fakeTarget((request) =>
      request.method === 'GET'
        ? new Response(JSON.stringify({ data: [], leaked: SECRET, error: SECRET }), {
            headers: { 'content-type': 'application/json', 'x-leak': SECRET },
          })
        : undefined,
    );
    const results = await go(
      [
        check('a/leaks', async ({ api }) => {
          const answer = await api.get('x', { headers: { 'x-also': SECRET } });
          fail('the answer', 'no credential', { deep: [answer.text], whole: SECRET });
        }),
      ],
      target,
    );
    expect(results.counts.fail).toBe(1);
    expect(JSON.stringify(results)).not.toContain(SECRET);
  });

  test('at most five requests leave in any second', async () => {
    const host = fakeHost();
    const times: number[] = [];
    const target = fakeTarget(() => {
      times.push(host.now());
      return undefined;
    });
    const busy = check('a/busy', async ({ api, race }) => void (await race(23, () => api.get('x'))), { needs: [] });
    await go([busy], target, { host });
    for (const [at, time] of times.entries()) {
      expect(times.filter((other, index) => index > at && other < time + 1000).length).toBeLessThan(5);
    }
  });

  test('a Retry-After is waited out and the request sent again', async () => {
    let refused = false;
    const target = fakeTarget((request) => {
      if (refused || !request.url.endsWith('/x')) return undefined;
      refused = true;
      return new Response('{}', { status: 429, headers: { 'retry-after': '7' } });
    });
    const host = fakeHost();
    const limited = check('a/limited', async ({ api }) => equal((await api.get('x')).status, 404, 'status'), {
      needs: [],
    });
    expect((await go([limited], target, { host })).counts.pass).toBe(1);
    expect(host.slept.some((ms) => ms >= 6_900)).toBe(true);
  });

  test('where a target takes one request a second, those that were sent at once are sent again one by one', async () => {
    const host = fakeHost();
    let taken = Number.NEGATIVE_INFINITY;
    let refused = 0;
    const target = fakeTarget(() => {
      if (host.now() - taken >= 1_000) {
        taken = host.now();
        return undefined;
      }
      refused++;
      return new Response('{}', { status: 429, headers: { 'retry-after': '1' } });
    });
    const busy = check('a/busy', async ({ api, race }) => {
      const statuses = (await race(8, () => api.get('x'))).map(({ status }) => status);
      equal(statuses, Array(8).fill(404), 'statuses');
    });
    expect((await go([{ ...busy, needs: [] }], target, { host, rate: 0 })).counts.pass).toBe(1);
    // Each once, and a few before it is known how far apart they may be.
    expect(refused).toBeLessThan(12);
  });

  test('a budget of requests ends the run, not the clean-up', async () => {
    const target = fakeTarget();
    const results = await go(
      [
        check('a/makes', async ({ interns }) => {
          for (let at = 0; at < 10; at++) await interns.body();
          for (let at = 0; at < 10; at++) await interns.stopped();
        }),
      ],
      target,
      { maxRequests: 25 },
    );
    expect(results).toMatchObject({
      verdict: 'incomplete',
      reasons: ['no check ran', 'the budget of 25 requests is spent'],
    });
    expect(target.interns.size).toBe(0);
    expect(results.cleanup.created).toBeGreaterThan(2);
    expect(results.requests).toBeLessThanOrEqual(25);
  });

  test('an interrupt at any request leaves nothing behind', async () => {
    for (let at = 1; at <= 12; at++) {
      const over = new AbortController();
      let count = 0;
      const target = fakeTarget(() => {
        if (++count === at) over.abort();
        return undefined;
      });
      const two = (id: string) =>
        check(id, async ({ interns, api }) => {
          const intern = await interns.stopped();
          await api.get(intern.id);
          await interns.stopped({ description: 'x' });
        });
      const results = await go([two('a/one'), two('a/two')], target, { signal: over.signal });
      expect(target.interns.size, `interrupted at request ${at}`).toBe(0);
      const done = results.checks.every((one) => one.verdict === 'pass');
      expect(results.exit).toBe(done ? 0 : 3);
      if (at < 5) expect(done).toBe(false);
    }
  });
});

describe('targets that cannot be judged', () => {
  const passing = [check('a/passes', async () => {}, { needs: [] })];
  const broken = (code: string, message = code) =>
    fakeTarget(() => {
      throw Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(message), { code }) });
    });

  test.each([
    ['refuses', broken('ECONNREFUSED'), /cannot be reached: refused/],
    ['has no name', broken('ENOTFOUND'), /cannot be reached: dns/],
    ['drops', broken('ECONNRESET'), /cannot be reached: dropped/],
    [
      'has a bad certificate',
      broken('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'),
      /cannot be reached: certificate/,
    ],
    [
      'answers HTML',
      fakeTarget(() => new Response('<h1>Sign in</h1>', { headers: { 'content-type': 'text/html' } })),
      /200 text\/html instead of JSON/,
    ],
    [
      'redirects',
      fakeTarget(() => new Response(null, { status: 302, headers: { location: 'https://login.test/' } })),
      /redirects .* to https:\/\/login.test\//,
    ],
    [
      'knows no key',
      fakeTarget(() => new Response('{"error":{}}', { status: 401, headers: { 'content-type': 'application/json' } })),
      /does not accept the API key/,
    ],
  ])('one that %s is incomplete and says why', async (_, target, reason) => {
    const results = await go(passing, target);
    expect(results).toMatchObject({ verdict: 'incomplete', exit: 3, counts: { skip: 1 } });
    expect(results.reasons.join()).toMatch(reason);
  });

  test('one that stops answering is given up', async () => {
    let count = 0;
    const target = fakeTarget(() => {
      if (++count > 1)
        throw Object.assign(new TypeError('x'), { cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) });
      return undefined;
    });
    const checks = Array.from({ length: 20 }, (_, at) =>
      check(`a/${at}`, async ({ api }) => void (await api.get('x')), { needs: [] }),
    );
    const results = await go(checks, target);
    expect(results).toMatchObject({ verdict: 'fail', counts: { fail: 5, skip: 15 } });
  });
});

describe('baseline', () => {
  const failing = check('a/fails', async () => fail('x', 1, 2));
  const passing = check('a/passes', async () => {});

  test('a known failure does not count', async () => {
    const results = await go([failing, passing], fakeTarget(), { baseline: ['a/fails'] });
    expect(results).toMatchObject({ verdict: 'pass', exit: 0 });
    expect(results.checks.find((one) => one.id === 'a/fails')?.known).toBe(true);
  });

  test('an entry that no longer fails does', async () => {
    const results = await go([passing], fakeTarget(), { baseline: ['a/passes'] });
    expect(results).toMatchObject({ verdict: 'fail', exit: 1, baseline: { stale: ['a/passes'] } });
  });

  test('nor does one of an unknown check, whatever was selected', async () => {
    const baseline = ['a/misspelt', 'a/fails'];
    const results = await go([failing, passing], fakeTarget(), { baseline, only: ['a/passes'] });
    expect(results).toMatchObject({ verdict: 'fail', exit: 1, baseline: { stale: ['a/misspelt'] } });
  });
});

const WITH_TOKEN = { credentials: { api_key: SECRET, oauth_token: `${SECRET}-2` } };

test('an OAuth token that sees no intern of the key is reported once, and nothing is held against the target for it', async () => {
  const target = fakeTarget(({ headers }) =>
    headers.get('authorization')?.endsWith('-2') ? new Response('{"error":{"code":404}}', { status: 404 }) : undefined,
  );
  const reveals = (id: string) =>
    check(
      id,
      async ({ interns, api }) => {
        const { id: made } = await interns.stopped();
        equal((await api.daemon(made, { as: 'oauth_token' })).status, 200, 'status of the access');
      },
      { needs: ['write', 'oauth_token'] },
    );
  const results = await go(['a/1', 'a/2'].map(reveals), target, { driver: WITH_TOKEN, concurrency: 1 });
  expect(results).toMatchObject({ exit: 3, counts: { fail: 0, skip: 2 } });
  expect(results.reasons).toContainEqual(expect.stringMatching(/^--oauth-token sees no intern of --api-key/));
  expect(target.log.filter((line) => line.endsWith('/daemon'))).toHaveLength(1);
});

test('an intern that somebody else has deleted says nothing of an OAuth token', async () => {
  const target = fakeTarget(({ url }) => {
    const [, , , , id = '', rest] = new URL(url).pathname.split('/');
    if (rest !== 'daemon') return undefined;
    // Others are quick with the first.
    if (id === 'id-1') target.interns.delete(id);
    return new Response('{}', { status: target.interns.has(id) ? 200 : 404 });
  });
  const statuses: number[] = [];
  const reveals = check(
    'a/reveals',
    async ({ interns, api }) => {
      for (let made = 0; made < 2; made++) {
        const { id } = await interns.stopped({ description: 'one of its own' });
        statuses.push((await api.daemon(id, { as: 'oauth_token' })).status);
      }
    },
    { needs: ['write', 'oauth_token'] },
  );
  const results = await go([reveals], target, { driver: WITH_TOKEN });
  expect(statuses).toEqual([404, 200]);
  expect(results).toMatchObject({ exit: 0, reasons: [] });
});

test('a token that is refused explains no finding of a check that did not send it', async () => {
  const target = fakeTarget(({ headers }) =>
    headers.get('authorization')?.endsWith('-2') ? new Response('{}', { status: 401 }) : undefined,
  );
  const sends = check(
    'a/sends',
    async ({ api }) => equal((await api.daemon('x', { as: 'oauth_token' })).status, 404, 'status'),
    { needs: ['oauth_token'] },
  );
  const wrong = check('b/wrong', async ({ api }) => equal((await api.get('x')).status, 200, 'status'), { needs: [] });
  const results = await go([sends, wrong], target, { driver: WITH_TOKEN, concurrency: 1 });
  expect(results.checks.map(({ verdict, skip }) => skip?.need ?? verdict)).toEqual(['oauth_token', 'fail']);
});

/** The answer to a prompt: an event stream of these choices. */
const stream = (...choices: object[]) => {
  const events = choices.map((choice) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`);
  return new Response(`${events.join('')}data: [DONE]\n\n`, { headers: { 'content-type': 'text/event-stream' } });
};
const asks = (kind: string) => ({
  delta: {
    tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'x', arguments: `{"kind":"${kind}"}` } }],
  },
  finish_reason: 'tool_calls',
});

test.each([
  ['no question', { delta: { content: 'No.' }, finish_reason: 'stop' }, true, true],
  ['a question, but none for a permission', asks('elicitation'), false, true],
  ['a question for a permission', asks('permission'), false, false],
])(
  'where checks wait on a question, a run that has seen %s says so',
  async (_, choice, noQuestionSeen, noPermissionSeen) => {
    const target = fakeTarget(({ url }) => (url.includes('/chat/') ? stream(choice) : undefined));
    const waits = check('a/waits', async ({ chat, interns, internDid }) => {
      await (await chat(interns.unknownId(), { prompt: 'Hello.', approval_mode: 'manual' })).end();
      internDid(false, { did: 'ask for a permission', question: true });
    });
    expect((await go([waits], target)).coverage).toMatchObject({ noQuestionSeen, noPermissionSeen });
  },
);

test('a deleted intern that stays is waited for by one check, and named by the others', async () => {
  const target = fakeTarget(({ method }) => (method === 'DELETE' ? new Response(null, { status: 202 }) : undefined));
  let checked = 0;
  const deletes = (id: string) =>
    check(id, async ({ api, interns }) => {
      const { id: made } = await interns.stopped();
      await api.remove(made);
      await interns.untilGone(made);
    });
  const cleanup = () => {
    checked = target.log.length;
  };
  const checks = ['a/1', 'a/2', 'a/3'].map(deletes);
  const results = await go(checks, target, { cleanupTime: 1, events: { cleanup } });
  const [found, ...others] = results.checks.filter(({ verdict }) => verdict === 'fail');
  expect(others).toEqual([]);
  expect(found?.finding).toMatchObject({
    wanted: { statuses: [404] },
    of: expect.stringMatching(/when its time is up/),
  });
  const blocked = results.checks.filter(({ skip }) => skip?.kind === 'blocked');
  expect(blocked.map(({ skip }) => skip?.need)).toEqual([`blocked by ${found?.id}`, `blocked by ${found?.id}`]);
  // The clean-up does not wait again for an intern that stays.
  expect(target.log.slice(checked).filter((line) => line === 'GET /api/v1/interns').length).toBeLessThan(7);
});

describe('a prompt that a gateway answers', () => {
  const gateway = () =>
    new Response('<html><h1>502 Bad Gateway</h1></html>', { status: 502, headers: { 'content-type': 'text/html' } });
  const talks = (id: string) =>
    check(id, async ({ chat, interns }) => void (await (await chat(interns.unknownId(), 'Hello.')).end()));

  test('is sent once more, from the beginning of its check', async () => {
    let prompts = 0;
    const target = fakeTarget(({ url }) =>
      url.includes('/chat/')
        ? ++prompts === 1
          ? gateway()
          : stream({ delta: { content: 'Hello.' }, finish_reason: 'stop' })
        : undefined,
    );
    const results = await go([talks('a/talks')], target);
    expect(only(results).verdict).toBe('pass');
    expect(prompts).toBe(2);
  });

  test('is not sent again for ever, nor by each check where that never helps', async () => {
    let prompts = 0;
    const target = fakeTarget(({ url }) => {
      if (!url.includes('/chat/')) return undefined;
      prompts++;
      return gateway();
    });
    const checks = Array.from({ length: 6 }, (_, at) => talks(`a/${at}`));
    const results = await go(checks, target, { concurrency: 1 });
    expect(results.counts).toMatchObject({ skip: 6, fail: 0 });
    expect(only(results).skip).toMatchObject({ need: 'the intern did not take the prompt', kind: 'intern' });
    expect(prompts).toBe(3 * 2 + 3);
  });
});
