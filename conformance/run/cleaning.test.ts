import { expect, test } from 'vitest';
import { check, fakeTarget, runAt } from '../../test/targets/fake-target.js';
import { createVirtualHost } from '../drivers/virtual-host.js';
import { cleanupTimeAt } from './cleaning.js';

test('a clean-up may take as long as so many requests took in the run, within bounds', () => {
  expect([0, 500, 2_000, 60_000].map(cleanupTimeAt)).toEqual([60_000, 60_000, 240_000, 600_000]);
});

test('interns of a target with slow answers and short pages are all taken away', async () => {
  let now = 0;
  const clock = {
    now: () => now,
    async advance(ms: number) {
      now += ms;
      await new Promise(setImmediate);
    },
  };
  const { host, live } = createVirtualHost(clock, 'seed', 0);
  const target = fakeTarget(async ({ method, url }) => {
    await host.sleep(2_000);
    const { pathname, searchParams } = new URL(url);
    if (method !== 'GET' || !pathname.endsWith('/interns')) return undefined;
    const all = [...target.interns.values()].reverse();
    const data = all.slice(all.findIndex(({ id }) => id === searchParams.get('starting_after')) + 1).slice(0, 1);
    return Response.json({ data, next_cursor: data[0]?.id === all.at(-1)?.id ? null : data[0]?.id });
  });
  const makes = check('a/makes', async ({ interns }) => {
    for (let made = 0; made < 35; made++) await interns.stopped({ description: 'x' });
  });
  const over = new AbortController();
  const living = live(over.signal);
  const results = await runAt(target, [makes], { host, rate: 0 });
  over.abort();
  await living;
  const { created, deleted, failed } = results.cleanup;
  expect(created).toBeGreaterThan(30);
  expect([deleted, failed]).toEqual([created, []]);
}, 20_000);

test('a delete that a gateway refused is sent again before the requests of the run are spent', async () => {
  const requests: string[] = [];
  const refused = new Set<string>();
  const target = fakeTarget(async ({ method, url }) => {
    requests.push(url);
    const isFirst = method === 'DELETE' && refused.size < 12 && !refused.has(url);
    if (!isFirst && (method !== 'POST' || refused.has(method))) return undefined;
    refused.add(isFirst ? url : method);
    return new Response('<h1>502</h1>', { status: 502, headers: { 'content-type': 'text/html' } });
  });
  const makes = check('a/makes', async ({ interns }) => {
    for (let made = 0; made < 200; made++) await interns.stopped({ description: 'x' });
  });
  const { cleanup } = await runAt(target, [makes], { rate: 0, maxRequests: 100 });
  expect(refused.size).toBe(12);
  expect(requests.length).toBeLessThanOrEqual(100);
  expect(cleanup.failed).toEqual([]);
}, 20_000);
