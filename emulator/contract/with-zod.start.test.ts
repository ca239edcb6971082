import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { resolveSettings } from '../cli/settings.js';
import { start } from '../cli/start.js';

// Alone in its file, and so in its process: what another test needs would be loaded.
test('a plain start loads no zod; the first create does', async () => {
  const loaded = () => Object.keys(createRequire(import.meta.url).cache).some((file) => /[\\/]zod[\\/]/.test(file));
  const settings = resolveSettings({ port: '0', quiet: true }, { env: {}, folder: import.meta.dirname });
  const { emulator, at } = await start(settings, {});
  try {
    expect(loaded()).toBe(false);
    const { api_key, workspace_id } = { ...emulator.target.credentials, ...emulator.target };
    const created = await fetch(`${at.baseUrl}/interns`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'first', workspace_id }),
    });
    expect(created.status).toBe(201);
    expect(loaded()).toBe(true);
  } finally {
    await emulator.close();
  }
});
