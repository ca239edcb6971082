import { expect, test } from 'vitest';
import { check, fakeTarget, runAt } from '../../test/targets/fake-target.js';
import type { Report } from '../index.js';
import { equal } from '../model/assert.js';
import { is, type Rule } from '../rules/rule.js';
import { type Check, checkOf } from './check.js';

const monitor = (judge: Rule['judge'], more: Partial<Rule> = {}): Check =>
  checkOf({ id: 'm/header', requirement: 'LIST-1', level: 'S', says: 'x-right is yes.', judge, ...more });
/** Judges the header of each answer to an operation. */
const header = (name: string): Check =>
  monitor(({ answered, operation, called }) =>
    operation.name === name ? is(`x-right of ${called}`, 'yes', answered.header('x-right')) : undefined,
  );
const creates = (id: string) =>
  check(id, async ({ api, interns }) => void (await api.create(interns.body())), { needs: ['write'] });
const reads = (id: string) => check(id, async ({ api }) => void (await api.get('nobody')), { needs: [] });

async function runOf(
  checks: readonly Check[],
  wrong: (request: Request) => boolean = () => true,
  more: { maxRequests?: number } = {},
) {
  const target = fakeTarget();
  const served = async (request: Request) => {
    const response = await target.fetch(request);
    if (!wrong(request)) response.headers.set('x-right', 'yes');
    return response;
  };
  const results = await runAt({ fetch: served }, checks, { concurrency: 2, ...more });
  return { results, log: target.log };
}
const rowOf = ({ checks }: Report) => checks.find(({ id }) => id === 'm/header');

test('what two exchanges of a run show is a finding of its monitor, with both and the checks that see it again', async () => {
  const { results } = await runOf([header('create'), creates('a/one'), creates('a/two')]);
  const row = rowOf(results);
  expect(row).toMatchObject({ verdict: 'fail', requests: 0, finding: { of: 'x-right of a create' } });
  expect(row?.finding?.transcript.map(({ request }) => request.method)).toEqual(['POST', 'POST']);
  expect(row?.finding?.replay).toMatch(/--only a\/(one|two),m\/header /);
  expect(row?.finding?.askedBy).toMatch(/^a\/(one|two)$/);
});

test('a read that is wrong is sent again, and the check that sent a wrong write is done again', async () => {
  const again = await runOf([creates('a/one'), header('create')]);
  expect(rowOf(again.results)).toMatchObject({ verdict: 'fail', finding: { of: 'x-right of a create' } });
  let creations = 0;
  const isFirst = ({ method, url }: Request) => method === 'POST' && url.endsWith('/interns') && ++creations === 1;
  const once = rowOf((await runOf([creates('a/one'), header('create')], isFirst)).results);
  expect(once).toMatchObject({ verdict: 'skip', skip: { kind: 'race', because: { kind: 'not-again' } } });
  const isNobody = ({ url }: Request) => url.endsWith('/nobody');
  const { results, log } = await runOf([reads('a/one'), header('get')], isNobody);
  expect(rowOf(results)).toMatchObject({ verdict: 'fail', finding: { of: 'x-right of a get' } });
  expect(log.filter((line) => line.endsWith('/nobody'))).toHaveLength(2);
});

test('requests that failed with a retryable 500 count if they fail again', async () => {
  const fails = monitor(({ answered, operation, called }) =>
    operation.name === 'get' ? is(`status of ${called}`, false, answered.status === 500) : undefined,
  );
  const blamed = async (times: number) => {
    let left = times;
    const target = fakeTarget(({ url }) => {
      if (!url.endsWith('/nobody') || left-- <= 0) return undefined;
      return Response.json({ error: { code: 500, message: 'Down' } }, { status: 500 });
    });
    return rowOf(await runAt(target, [reads('a/one'), reads('a/two'), fails], { concurrency: 1 }))?.verdict;
  };
  expect([await blamed(2), await blamed(Number.POSITIVE_INFINITY)]).toEqual(['skip', 'fail']);
});

test('a read that is right the second time shows nothing', async () => {
  let times = 0;
  const { results } = await runOf(
    [reads('a/one'), header('get')],
    ({ url }) => url.endsWith('/nobody') && ++times === 1,
  );
  expect(rowOf(results)).toMatchObject({ verdict: 'skip', skip: { because: { kind: 'not-again' } } });
});

test('a monitor passes where all is right, and is skipped where there was nothing to judge', async () => {
  const right = await runOf([creates('a/one'), header('create')], () => false);
  expect(rowOf(right.results)?.verdict).toBe('pass');
  const nothing = await runOf([reads('a/one'), header('delete')]);
  expect(rowOf(nothing.results)).toMatchObject({ verdict: 'skip', skip: { because: { kind: 'met' } } });
});

test('a rule for an emulator of ours alone is skipped elsewhere for that reason', async () => {
  const found = checkOf({ id: 'LIFE-1/found', requirement: 'LIFE-1', level: 'S', says: 'x', judge: () => undefined });
  const { results } = await runOf([creates('a/one'), found]);
  const row = results.checks.find(({ id }) => id === found.id);
  expect(row?.skip).toMatchObject({ kind: 'need', because: { kind: 'lacks', need: 'control' } });
});

test('what a check reports of an exchange its monitor does not report again', async () => {
  const reports = check('a/reports', async ({ api, interns }) => {
    equal((await api.create(interns.body())).headers.get('x-right'), 'yes', 'x-right of a create');
  });
  const { results } = await runOf([reports, header('create')]);
  expect(results.checks.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['a/reports', 'fail'],
    ['m/header', 'pass'],
  ]);
});

test('a read that is wrong by an earlier read is sent again with it, and for an accepted write its intern is read', async () => {
  let list: number | undefined;
  /** Broken by what shows an intern after a list, once for each list. */
  const after = monitor(({ answered, asked, operation }) => {
    if (operation.name === 'list') list = asked.number;
    if (list === undefined || answered.status !== 200 || operation.name === 'list') return undefined;
    const because = [list];
    list = undefined;
    return is('what is shown after a list', null, operation.name, because);
  });
  const shows = (write: boolean) =>
    check(
      'rows/shows',
      async ({ api, interns, send }) => {
        const { id } = await interns.stopped();
        await send({ path: '/interns' });
        await (write ? api.update(id, { description: 'kept' }) : api.get(id));
      },
      { needs: ['write'], sweeps: true },
    );
  for (const write of [false, true]) {
    const { results } = await runOf([shows(write), after]);
    const row = rowOf(results);
    expect(row).toMatchObject({ verdict: 'fail', finding: { of: 'what is shown after a list' } });
    const { exchange = 0, restsOn = [], transcript = [] } = row?.finding ?? {};
    expect(transcript.find(({ number }) => number === restsOn[0])?.request.url).toMatch(/\/interns$/);
    expect(restsOn[0]).toBeLessThan(exchange);
    expect(row).toMatchObject({ brokenBy: 2, brokenIn: expect.arrayContaining(['get 200']) });
  }
});

test('an intern that a rule saw as it should not be is read once more, within the number that was given', async () => {
  const twice = monitor(
    ({ operation, answered }) =>
      operation.name === 'get' && answered.status === 200 ? is('name of a get', 'right', 'wrong') : undefined,
    { settles: 'at the end' },
  );
  const made = check(
    'a/one',
    async ({ api, interns }) => {
      const { id } = (await api.create(interns.body())).json as { id: string };
      await api.get(id);
    },
    { needs: ['write'] },
  );
  const isRead = (line: string) => /^GET .*\/interns\/./.test(line);
  const { results, log } = await runOf([twice, made], () => false);
  expect(rowOf(results)?.verdict).toBe('fail');
  const few = await runOf([twice, made], () => false, { maxRequests: log.findIndex(isRead) + 1 });
  expect(rowOf(few.results)).toMatchObject({ verdict: 'skip' });
});

test('a rule that throws is an error of the kit, with the exchange, and spoils no other rule', async () => {
  const broken = monitor(
    () => {
      throw new TypeError('x is undefined');
    },
    { id: 'm/broken' },
  );
  const { results } = await runOf([creates('a/one'), broken, header('create')], () => false);
  const row = results.checks.find(({ id }) => id === 'm/broken');
  expect(row).toMatchObject({
    verdict: 'error',
    error: { message: expect.stringMatching(/exchange \d+ \(\w+ \/interns.*\): TypeError: x is/) },
  });
  expect(rowOf(results)?.verdict).toBe('pass');
  expect(results.exit).toBe(70);
});

test('an exchange counts once for a requirement, however many of its rules judged it', async () => {
  const other = monitor(() => 'kept', { id: 'm/other' });
  const { results } = await runOf([creates('a/one'), header('create'), other], () => false);
  const judged = results.checks.map(({ judged: many = 0 }) => many);
  expect(Math.min(...judged.slice(1))).toBeGreaterThan(0);
  expect(results.exchanges).toBe(Math.max(...judged));
  expect(results.requirements.find(({ id }) => id === 'LIST-1')?.exchanges).toBe(Math.max(...judged));
});
