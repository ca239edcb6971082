import { expect, test } from 'vitest';
import { check, fakeHost, fakeTarget, runAt } from '../../test/targets/fake-target.js';
import { fail } from '../model/assert.js';

/**
 * A service whose list shows the nth intern that is created so many ms late; those after the last as late as that. Of its
 * creates a gateway loses those of these numbers.
 */
function late(lags: readonly number[], knowsLimits = true, lost: readonly number[] = []) {
  const host = fakeHost();
  const target = fakeTarget((request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (request.method !== 'GET' || pathname !== '/api/v1/interns') return undefined;
    if (!knowsLimits && searchParams.has('limit')) return Response.json({ error: { code: 400 } }, { status: 400 });
    const data = [...target.interns.values()].filter(({ id }, nth) => {
      const at = made.get(id) ?? host.now();
      made.set(id, at);
      return host.now() - at >= (lags[nth] ?? lags.at(-1) ?? 0);
    });
    return Response.json({ data: data.reverse(), has_more: false });
  });
  const made = new Map<string, number>();
  let creates = 0;
  const fetch = async (request: Request) => {
    if (request.method === 'POST' && lost.includes(++creates)) return new Response('<html>', { status: 502 });
    const answer = await target.fetch(request);
    for (const id of target.interns.keys()) if (!made.has(id)) made.set(id, host.now());
    return answer;
  };
  return { host, fetch };
}

const lists = check(
  'a/lists',
  async ({ interns, api }) => {
    const { id } = await interns.stopped({ description: 'to be listed' });
    const { json } = await api.list();
    const { data } = json as { data: { id: string }[] };
    if (!data.some((one) => one.id === id)) fail('the list', 'the new intern in it', data.length);
  },
  { fresh: true },
);

const verdictAt = async ({ fetch, host }: ReturnType<typeof late>) =>
  (await runAt({ fetch }, [lists], { host, rate: 0, concurrency: 1 })).checks[0]?.verdict;

test.each([
  ['as late as it was measured', [1_200], 'pass'],
  ['later than the first intern of the measurement', [1_200, 300, 1_200], 'pass'],
  ['later than all of the first measurement', [1_200, 300, 300, 300, 1_200], 'pass'],
  ['late, but not in the first measurement', [1_200, 0, 1_200], 'pass'],
  ['never', [Number.POSITIVE_INFINITY], 'fail'],
  ['too late', [60_000], 'fail'],
])('a list that shows what was made %s', async (_, lags, verdict) => {
  expect(await verdictAt(late(lags))).toBe(verdict);
});

test('a target that knows no limit is measured without', async () => {
  expect(await verdictAt(late([1_200], false))).toBe('pass');
});

test('a create of the measurement that a gateway lost is sent again', async () => {
  expect(await verdictAt(late([1_200], true, [2, 3]))).toBe('pass');
});

test('where the measurement gets no answer, the check is tried again', async () => {
  const { host, fetch } = late([1_200]);
  let sent = 0;
  const broken = async (request: Request) => {
    // The list that the check reads is the second.
    const isList = request.method === 'GET' && new URL(request.url).searchParams.has('limit');
    if (isList && ++sent === 3) throw new TypeError('fetch failed');
    return fetch(request);
  };
  expect(await verdictAt({ host, fetch: broken })).toBe('pass');
});
