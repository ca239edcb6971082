import { expect, test } from 'vitest';
import { check, fakeHost, fakeTarget, runAt } from '../../test/targets/fake-target.js';
import { equal } from '../model/assert.js';
import type { Check } from './check.js';
import type { Api } from './context.js';

/** A service that boots at once. `refuses` is asked first, with the method and what stands behind the intern's id. */
function booting(refuses: (method: string, rest: string | undefined) => number | undefined = () => undefined) {
  const target = fakeTarget((request) => {
    const [, , , , id, rest] = new URL(request.url).pathname.split('/');
    const status = refuses(request.method, rest);
    if (status !== undefined) return Response.json({ error: { code: status, message: 'No' } }, { status });
    const intern = target.interns.get(id ?? '');
    if (intern === undefined || (rest !== 'suspend' && rest !== 'provision')) return undefined;
    intern.status = rest === 'suspend' ? 'stopped' : 'running';
    return Response.json({}, { status: 202 });
  });
  return target;
}

type Options = Parameters<typeof runAt>[2];
/** Runs the checks one by one. */
const oneByOne = (checks: Check[], target: Parameters<typeof runAt>[0], more: Options = {}) =>
  runAt(target, checks, { rate: 0, concurrency: 1, ...more });

async function verdicts(
  checks: Check[],
  target: Parameters<typeof runAt>[0],
  driver: NonNullable<Options>['driver'] = {},
) {
  const results = await oneByOne(checks, target, { driver });
  return results.checks.map(
    ({ verdict, finding, skip, error }) => finding?.what ?? skip?.why ?? error?.message ?? verdict,
  );
}
const uses = (id: string, body: Check['run']) => check(id, body, { needs: ['write', 'running'] });
const stops = (id: string) => uses(id, async ({ interns }) => void (await interns.stopped()));
const runs = (id: string) => uses(id, async ({ interns }) => void (await interns.running()));

test('an idle intern that somebody else boots or deletes is held against no check', async () => {
  const target = booting();
  const found = await verdicts(
    [
      uses('a/suspends', async ({ interns, api }) => {
        const { id } = await interns.running();
        await api.suspend(id);
        const intern = target.interns.get(id);
        if (intern !== undefined) intern.status = 'running';
      }),
      stops('b/takes'),
      uses('c/suspends', async ({ interns, api }) => {
        const { id } = await interns.running();
        await api.suspend(id);
        target.interns.delete(id);
      }),
      stops('d/takes'),
    ],
    target,
  );
  expect(found).toEqual(['pass', 'pass', 'pass', 'pass']);
});

test('a read that is lost while a run waits for an intern is sent again', async () => {
  let loses = 0;
  const target = booting((method, rest) => {
    if (method !== 'GET' || rest !== undefined || loses === 0) return undefined;
    loses -= 1;
    throw new TypeError('fetch failed');
  });
  const waits = (id: string, { made = 0, reads }: { made?: number; reads: number }) =>
    uses(id, async ({ interns }) => {
      loses = made;
      const { id } = await interns.stopped();
      loses = reads;
      await interns.until(id, ['stopped']);
    });
  const found = await verdicts([waits('a/one', { made: 1, reads: 1 }), waits('b/two', { reads: 2 })], target);
  expect(found[0]).toBe('pass');
  expect(found[1]).not.toBe('pass');
});

test('another member may see a new intern later than its maker, and must see it in the end', async () => {
  const verdictOf = async (reads: number, as: 'api_key' | 'peer_api_key') => {
    let hidden = 0;
    const target = booting((method, rest) =>
      method === 'GET' && rest === undefined && hidden-- > 0 ? 404 : undefined,
    );
    const waits = uses('a/one', async ({ interns }) => {
      const { id } = await interns.stopped();
      hidden = reads;
      await interns.until(id, ['stopped'], { as });
    });
    return (
      await verdicts([waits], target, {
        credentials: { api_key: 'sk-1-of-the-test', peer_api_key: 'sk-2-of-the-test' },
      })
    )[0];
  };
  expect(
    [
      await verdictOf(2, 'peer_api_key'),
      await verdictOf(Number.POSITIVE_INFINITY, 'peer_api_key'),
      await verdictOf(1, 'api_key'),
    ].map((one) => one === 'pass'),
  ).toEqual([true, false, false]);
});

test('a spare that is refused is not held against the check that has its own', async () => {
  let creates = 0;
  const target = booting((method, rest) =>
    method === 'POST' && rest === undefined && ++creates > 1 ? 409 : undefined,
  );
  expect(await verdicts([runs('a/takes')], target)).toEqual(['pass']);
});

test('one that got two writes at once is handed out to nobody: which was done last, no answer tells', async () => {
  const ids: string[] = [];
  const takes = (id: string, also: (intern: string, api: Api) => unknown) =>
    uses(id, async ({ interns, api }) => {
      const intern = await interns.stopped();
      ids.push(intern.id);
      await also(intern.id, api);
    });
  const found = await verdicts(
    [
      takes('a/races', (id, api) => Promise.all([api.provision(id), api.suspend(id)])),
      takes('b/takes', () => {}),
      takes('c/takes', () => {}),
    ],
    booting(),
  );
  expect(found).toEqual(['pass', 'pass', 'pass']);
  expect(ids[1]).not.toBe(ids[0]);
  expect(ids[2]).toBe(ids[1]);
});

test.each([
  ['what the service tells', 3_000, 3_100],
  ['what was seen, where it tells nothing', undefined, 3_500],
])('a boot is first looked at after %s', async (_, tells, first) => {
  const host = fakeHost();
  const began = new Map<string, number>();
  const looks: number[] = [];
  const target = fakeTarget((request) => {
    const { pathname } = new URL(request.url);
    const id = pathname.split('/')[4];
    const intern = target.interns.get(id ?? '');
    if (request.method !== 'GET' || id === undefined || intern === undefined) return undefined;
    const start = began.get(id) ?? 0;
    looks.push(host.now() - start);
    const runs = host.now() - start >= 3_000;
    const created_at = new Date(start).toISOString();
    const updated_at = new Date(start + (runs && tells !== undefined ? tells : 0)).toISOString();
    return Response.json({ ...intern, status: runs ? 'running' : 'provisioning', created_at, updated_at });
  });
  const fetch = async (request: Request) => {
    const answer = await target.fetch(request);
    for (const id of target.interns.keys()) if (!began.has(id)) began.set(id, host.now());
    return answer;
  };
  const boots = (id: string) =>
    uses(id, async ({ interns }) => void (await interns.running({ description: 'one of its own' })));
  const checks = ['a/1', 'a/2', 'a/3'].map(boots);
  const results = await oneByOne(checks, { fetch }, { host });
  expect(results.counts.pass).toBe(3);
  expect(looks.slice(-2)).toEqual([first, first]);
});

test.each([
  ['the first', 1],
  ['a later one', 3],
])('where what is created boots at once and %s fails to, what is to wait is still waited for', async (_, fails) => {
  const seen = new Set<string>();
  let creates = 0;
  const target = booting((method, rest) => {
    for (const intern of target.interns.values())
      if (intern.status === 'stopped' && !seen.has(intern.id)) {
        seen.add(intern.id);
        intern.status = ++creates === fails ? 'failed' : 'running';
      }
    return method === 'POST' && rest === 'provision' ? 409 : undefined;
  });
  const handed: string[] = [];
  const takes = (id: string) =>
    uses(id, async ({ interns, api }) => {
      const intern = await interns.stopped({ description: `for ${id}` });
      handed.push(((await api.get(intern.id)).json as { status: string }).status);
    });
  expect(await verdicts(['a/1', 'a/2', 'a/3', 'a/4'].map(takes), target)).toEqual(Array(4).fill('pass'));
  expect(handed).toEqual(Array(4).fill('stopped'));
});

test('where every boot fails, a check gives up after a few', async () => {
  const target = fakeTarget((request) => {
    for (const intern of target.interns.values()) intern.status = 'failed';
    return request.url.endsWith('/provision') ? Response.json({}, { status: 202 }) : undefined;
  });
  expect(await verdicts([runs('a/takes'), runs('b/takes')], target)).toEqual([
    'the boot of an intern failed',
    'the boot of an intern failed',
  ]);
  expect(target.log.filter((line) => line === 'POST /api/v1/interns').length).toBeLessThan(8);
});

/** A service at which the boots of these fail, in the order in which they are made. Others are seen to boot, in a word of its own. */
function failing(fails: (nth: number) => boolean, word = 'failed') {
  let made = 0;
  const target = fakeTarget(async (request) => {
    const [, , , , id = '', rest] = new URL(request.url).pathname.split('/');
    if (rest === 'chat') return Response.json({ error: { code: 409, message: 'No' } }, { status: 409 });
    if (rest === 'provision') return Response.json({}, { status: 202 });
    const intern = target.interns.get(id);
    if (intern?.status === 'coming_up') {
      intern.status = fails(Number(id)) ? word : 'running';
      return Response.json({ ...intern, status: 'coming_up' });
    }
    if (request.method !== 'POST') return undefined;
    const { name } = (await request.json()) as { name: string };
    const created = { id: String(++made), name, workspace_id: 'workspace', status: 'coming_up' };
    target.interns.set(created.id, created);
    return Response.json(created, { status: 201 });
  });
  return target;
}

test.each([
  ['has seen none to end', (nth: number) => nth < 3],
  ['has seen others to end', (nth: number) => nth % 2 === 0],
])('a boot that fails keeps no check from its intern where the run %s', async (_, fails) => {
  const special = (id: string) =>
    uses(id, async ({ interns }) => void (await interns.running({ description: `for ${id}` })));
  const found = await verdicts(['a/1', 'a/2', 'a/3', 'a/4', 'a/5'].map(special), failing(fails));
  expect(found).toEqual(Array(5).fill('pass'));
});

test('an intern that is to have a name of its own is not replaced', async () => {
  const named = uses('a/named', async ({ interns }) => void (await interns.running({ name: 'kit-named' })));
  expect(
    await verdicts(
      [named],
      failing((nth) => nth === 1),
    ),
  ).toEqual(['the boot of an intern failed']);
});

test('a word of its own for a boot that failed costs the time of a boot once', async () => {
  const special = (id: string) =>
    uses(id, async ({ interns }) => void (await interns.running({ description: `for ${id}` })));
  const host = fakeHost();
  const target = failing((nth) => nth < 4 && nth !== 2, 'broken');
  const results = await oneByOne(['a/1', 'a/2', 'a/3'].map(special), target, { host });
  expect(results.checks.map(({ verdict }) => verdict)).toEqual(['pass', 'pass', 'pass']);
  const waited = host.slept.reduce((sum, ms) => sum + ms, 0);
  expect([waited > 120_000, waited < 200_000]).toEqual([true, true]);
});

test('an intern that was left running is read again before what a check found without is judged', async () => {
  let reads = 0;
  const target = booting((method) => {
    if (method === 'GET') reads++;
    return undefined;
  });
  const found = await verdicts(
    [
      uses('a/leaves', async ({ interns }) => {
        for (let made = 0; made < 3; made++) await interns.running();
      }),
      uses('b/finds', async ({ interns, api }) => {
        const before = reads;
        const { id } = await interns.running();
        const wasRead = reads > before;
        await api.provision(id);
        equal(wasRead, true, 'whether it runs');
      }),
    ],
    target,
  );
  expect(found).toEqual(['pass', expect.stringMatching(/again/)]);
});

test('one intern of the other workspace serves the checks of a run, until others delete it', async () => {
  const target = booting();
  const ids: string[] = [];
  const needs = ['running', 'foreign_api_key', 'foreign_workspace'] as const;
  const sees = (id: string, running?: boolean) =>
    check(
      id,
      async ({ api, interns }) => {
        const theirs = await interns.foreign(running === undefined ? {} : { running });
        ids.push(`${id} ${theirs.id} ${theirs.status}`);
        equal((await api.get(theirs.id, { as: 'foreign_api_key' })).status, 200, 'status of the read');
      },
      { needs },
    );
  const deletes = check('d/deletes', async () => void target.interns.clear(), { needs });
  const checks = [sees('a/sees'), sees('b/sees'), sees('c/sees', true), deletes, sees('e/sees')];
  const found = await verdicts(checks, target, {
    credentials: { api_key: 'sk-1-of-the-run', foreign_api_key: 'sk-2-of-another' },
    facts: { foreignWorkspaceId: 'another' },
  });
  expect(found).toEqual(checks.map(() => 'pass'));
  const [first = ''] = ids.map((line) => line.split(' ')[1] ?? '');
  expect(ids.map((line) => line.replace(first, 'one')).map((line) => line.replace(/id-\d+/, 'another'))).toEqual([
    'a/sees one stopped',
    'b/sees one stopped',
    'c/sees one running',
    'e/sees one running',
    'e/sees another stopped',
  ]);
});
