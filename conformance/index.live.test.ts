import { expect, test } from 'vitest';
import { closing } from '../test/closing.js';
import { newEmulator } from './drivers/emulator.js';
import { runConformance } from './index.js';

// In process no body is framed: only over a connection does it show whether one comes piece by piece.
test('an emulator behind a socket conforms where bodies come late, large or without a length', {
  timeout: 120_000,
}, async () => {
  const emulator = closing(await newEmulator({ clock: 'real' }));
  const { baseUrl: url } = await emulator.listen({ port: 0 });
  const only = ['bodies/*', 'sign/body-in-time'];
  const { checks, counts, exit } = await runConformance({ url, only, runs: 1 });
  expect(checks.filter(({ verdict }) => verdict !== 'pass').map(({ id }) => id)).toEqual([]);
  expect(counts.pass).toBeGreaterThan(15);
  expect(exit).toBe(0);
});
