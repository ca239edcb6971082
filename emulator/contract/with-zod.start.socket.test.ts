import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Whether zod is loaded, and Node's fetch: after a start, and after a create. */
const CODE = `
  import { createRequire } from 'node:module';
  import { resolveSettings } from './emulator/cli/settings.js';
  import { start } from './emulator/cli/start.js';

  const { cache } = createRequire(import.meta.url);
  const loaded = () => Object.keys(cache).some((file) => /[\\\\/]zod[\\\\/]/.test(file));
  const fetches = () => process.moduleLoadList.some((module) => module.endsWith('/undici'));
  const settings = resolveSettings({ port: '0', quiet: true }, { env: {}, folder: '.' });
  const { emulator, at } = await start(settings, {});
  const first = [loaded(), fetches()];
  const { api_key, workspace_id } = { ...emulator.target.credentials, ...emulator.target };
  const created = await fetch(at.baseUrl + '/interns', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + api_key, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'first', workspace_id }),
  });
  console.log(JSON.stringify([...first, created.status, loaded(), fetches()]));
  await emulator.close();`;

// In a process of its own: in this one another test has loaded zod.
test('a plain start loads neither zod nor fetch; a first create does', async () => {
  const args = ['--import', 'tsx', '--input-type=module', '-e', CODE];
  const cwd = resolve(import.meta.dirname, '../..');
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
  expect(JSON.parse(stdout)).toEqual([false, false, 201, true, true]);
});
