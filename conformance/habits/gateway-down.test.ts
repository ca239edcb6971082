import { expect, test } from 'vitest';
import type { Setting } from '../../emulator/wire/serve.js';
import { check, fakeTarget, runAt } from '../../test/targets/fake-target.js';
import { gatewayDown } from './connections.js';

const setting: Setting = {
  host: { now: () => 0, sleep: async () => {}, later: () => {} },
  random: () => 0,
  keys: { peer: '', outsider: '', api: [] },
  puts: async () => {},
};

test('a gateway that has passed a request on answers, although nobody reads the answer behind it', async () => {
  // A part of a divided body is not cancelled before the other.
  const kept = Response.json({});
  const fetch = gatewayDown.serve?.(async () => kept.clone(), setting);
  expect((await fetch?.(new Request('https://service.test/api/v1/interns')))?.status).toBe(502);
});

test('a create that it answered is sent again under a new name, a change is not, and neither intern is left', async () => {
  const names: unknown[] = [];
  let changes = 0;
  const target = fakeTarget();
  const fetch = async (request: Request) => {
    const isCreate = request.method === 'POST' && request.url.endsWith('/interns');
    if (isCreate) names.push(((await request.clone().json()) as { name: unknown }).name);
    if (request.method === 'PATCH') changes++;
    const answer = await target.fetch(request);
    const lost = (isCreate && names.length === 1) || request.method === 'PATCH';
    return lost ? new Response('<html>', { status: 504 }) : answer;
  };
  const changing = check('a/changes', async ({ api, interns }) => {
    const { id } = await interns.stopped();
    await api.update(id, { description: 'x' });
  });
  const { checks, cleanup } = await runAt({ fetch }, [changing], { rate: 0, concurrency: 1 });
  expect(checks.map(({ verdict }) => verdict)).toEqual(['pass']);
  expect([names.length, new Set(names).size, changes]).toEqual([2, 2, 1]);
  expect(cleanup).toEqual({ created: 2, deleted: 2, failed: [] });
  expect(target.interns.size).toBe(0);
});
