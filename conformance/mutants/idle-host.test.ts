import { expect, test } from 'vitest';
import { createIdleHost } from './idle-host.js';

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

test('time jumps to the first timer once nothing goes on any more', async () => {
  const host = createIdleHost();
  const fired: string[] = [];
  host.later(60_000, () => fired.push('a minute'));
  host.later(1_000, () => fired.push('a second'));
  host.later(30_000, () => fired.push('taken back'))();
  await host.sleep(3_600_000);
  expect(fired).toEqual(['a second', 'a minute']);
  expect(host.now()).toBe(3_600_000);
});

test('time stands still while something goes on', async () => {
  const host = createIdleHost();
  const handler = host.watched(async () => new Response('ok'));
  let rung = false;
  host.later(1, () => {
    rung = true;
  });
  for (let round = 0; round < 20; round++) {
    await turns(100);
    await handler(new Request('http://127.0.0.1/'));
  }
  expect(rung).toBe(false);
  await host.sleep(1);
  expect(rung).toBe(true);
});

test('a sleep ends with its signal', async () => {
  const host = createIdleHost();
  const controller = new AbortController();
  const slept = host.sleep(1_000, controller.signal);
  controller.abort(new Error('enough'));
  await expect(slept).rejects.toThrow('enough');
  await expect(host.sleep(1, controller.signal)).rejects.toThrow('enough');
});
