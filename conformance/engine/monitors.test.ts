import { expect, test } from 'vitest';
import { equal } from '../framework/assert.js';
import type { Check } from '../framework/check.js';
import type { Met } from '../framework/watch.js';
import { type Report, run } from '../index.js';
import { check, fakeDriver, fakeHost, fakeTarget } from './testing/fake-target.js';

/** Judges the header of each answer to a request of a method. */
const monitor = (method: string): Check =>
  check('m/header', async () => {}, {
    needs: [],
    watch: () => ({
      sees({ answer, operation, send }: Met) {
        if ((send.method ?? 'GET') !== method) return false;
        equal(answer.headers.get('x-right'), 'yes', `x-right of ${operation}`);
        return true;
      },
    }),
  });
const creates = (id: string) =>
  check(id, async ({ api, interns }) => void (await api.create(interns.body())), { needs: ['write'] });
const reads = (id: string) => check(id, async ({ api }) => void (await api.get('nobody')), { needs: [] });

async function runOf(
  checks: readonly Check[],
  wrong: (request: Request) => boolean = () => true,
  more: { maxRequests?: number } = {},
) {
  const target = fakeTarget();
  const host = fakeHost();
  const served = async (request: Request) => {
    const response = await target.fetch(request);
    if (!wrong(request)) response.headers.set('x-right', 'yes');
    return response;
  };
  const results = await run({ driver: fakeDriver(served, host), host, checks, seed: 'seed', concurrency: 2, ...more });
  return { results, log: target.log };
}
const rowOf = ({ checks }: Report) => checks.find(({ id }) => id === 'm/header');

test('what two exchanges of a run show is a finding of its monitor, with both and the checks that see it again', async () => {
  const { results } = await runOf([monitor('POST'), creates('a/one'), creates('a/two')]);
  const row = rowOf(results);
  expect(row).toMatchObject({ verdict: 'fail', requests: 0, finding: { of: 'x-right of POST /interns' } });
  expect(row?.finding?.transcript.map(({ request }) => request.method)).toEqual(['POST', 'POST']);
  expect(row?.finding?.replay).toMatch(/--only a\/(one|two),m\/header /);
  expect(row?.finding?.askedBy).toMatch(/^a\/(one|two)$/);
});

test('what one write shows is none, and one read is sent again', async () => {
  const once = rowOf((await runOf([creates('a/one'), monitor('POST')])).results);
  expect(once).toMatchObject({ verdict: 'skip', skip: { kind: 'race', because: { kind: 'not-again' } } });
  const isNobody = ({ url }: Request) => url.endsWith('/nobody');
  const { results, log } = await runOf([reads('a/one'), monitor('GET')], isNobody);
  expect(rowOf(results)).toMatchObject({ verdict: 'fail', finding: { of: 'x-right of GET /interns/{internId}' } });
  expect(log.filter((line) => line.endsWith('/nobody'))).toHaveLength(2);
});

test('a read that is right the second time shows nothing', async () => {
  let times = 0;
  const { results } = await runOf(
    [reads('a/one'), monitor('GET')],
    ({ url }) => url.endsWith('/nobody') && ++times === 1,
  );
  expect(rowOf(results)).toMatchObject({ verdict: 'skip', skip: { because: { kind: 'not-again' } } });
});

test('a monitor passes where all is right, and is skipped where there was nothing to judge', async () => {
  const right = await runOf([creates('a/one'), monitor('POST')], () => false);
  expect(rowOf(right.results)?.verdict).toBe('pass');
  const nothing = await runOf([reads('a/one'), monitor('DELETE')]);
  expect(rowOf(nothing.results)).toMatchObject({ verdict: 'skip', skip: { because: { kind: 'met' } } });
});

test('what a check reports of an exchange its monitor does not report again', async () => {
  const reports = check('a/reports', async ({ api, interns }) => {
    equal((await api.create(interns.body())).headers.get('x-right'), 'yes', 'x-right of a create');
  });
  const { results } = await runOf([reports, monitor('POST')]);
  expect(results.checks.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['a/reports', 'fail'],
    ['m/header', 'pass'],
  ]);
});

test('an intern that a watch has to see once more is read when all else is done, within the number that was given', async () => {
  const unread = new Set<string>();
  const watches = check('m/header', async () => {}, {
    needs: [],
    watch: () => ({
      lasts: true,
      unread,
      sees({ answer, id, operation }: Met) {
        if (operation === 'POST /interns') unread.add((answer.json as { id: string }).id);
        else if (id !== undefined) unread.delete(id);
        return id !== undefined;
      },
    }),
  });
  const { results, log } = await runOf([watches, creates('a/one')], () => false);
  expect(rowOf(results)?.verdict).toBe('pass');
  const isRead = (line: string) => /^GET .*\/interns\/./.test(line);
  expect(log.filter(isRead)).toHaveLength(1);
  const few = await runOf([watches, creates('a/one')], () => false, { maxRequests: log.findIndex(isRead) + 1 });
  expect(rowOf(few.results)).toMatchObject({ verdict: 'skip', skip: { because: { kind: 'met' } } });
});

test('a watch that fails is an error of the kit', async () => {
  const broken = check('m/header', async () => {}, {
    needs: [],
    watch: () => ({
      sees() {
        throw new TypeError('x is undefined');
      },
    }),
  });
  expect(rowOf((await runOf([creates('a/one'), broken])).results)?.verdict).toBe('error');
});
