import assert from 'node:assert/strict';
import { createEmulator } from 'intern-emulator';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { runningInterns } from '../client.mjs';

describe('client', () => {
  let emulator;
  beforeEach(() => {
    emulator = createEmulator({ clock: 'auto' });
  });
  afterEach(() => emulator.close());

  it('lists the interns that are running', async () => {
    const { fetch, target } = emulator;
    const names = await runningInterns({ baseUrl: target.base_url, apiKey: target.credentials.api_key, fetch });
    assert.deepEqual(names, ['first-intern']);
  });
});
