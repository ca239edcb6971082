import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createEmulator } from 'intern-emulator';
import { runningInterns } from '../client.mjs';

let emulator;
beforeEach(() => {
  emulator = createEmulator({ clock: 'auto' });
});
afterEach(() => emulator.close());

test('lists the interns that are running', async () => {
  const { fetch, target } = emulator;
  const names = await runningInterns({ baseUrl: target.base_url, apiKey: target.credentials.api_key, fetch });
  expect(names).toEqual(['first-intern']);
});
