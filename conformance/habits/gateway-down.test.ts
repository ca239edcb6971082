import { expect, test } from 'vitest';
import { gatewayDown } from './gateway-down.js';
import type { Setting } from './serve.js';

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
