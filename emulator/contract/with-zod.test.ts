import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { resolveSettings } from '../cli/settings.js';
import { start } from '../cli/start.js';
import { loadZod, withZod } from './with-zod.js';
import * as zod from './zod.js';

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

test('what is made with zod is made when it is first asked for, and once', () => {
  let made = 0;
  const schema = withZod((z) => {
    made++;
    return z.string();
  });
  expect(made).toBe(0);
  expect(schema()).toBe(schema());
  expect(made).toBe(1);
});

test('all that schemas are made of is there', () => {
  expect(Object.keys(zod).filter((name) => !(name in loadZod()))).toEqual([]);
});
