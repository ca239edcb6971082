import { emulatorPerTest } from 'intern-emulator/vitest';
import { expect, test } from 'vitest';
import { runningInterns } from '../client.mjs';

const emulator = emulatorPerTest(); // a fresh one for each test, without a socket

test('lists the interns that are running', async () => {
  const { fetch, target } = emulator.current;
  const names = await runningInterns({ baseUrl: target.base_url, apiKey: target.credentials.api_key, fetch });
  expect(names).toEqual(['first-intern']);
});
