import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { commandOf } from '../../test/built.js';

/** Whether zod is loaded after a start, and after a create. */
const CODE = `
  import { createRequire } from 'node:module';
  import { resolveSettings } from './emulator/cli/settings.js';
  import { start } from './emulator/cli/start.js';

  const { cache } = createRequire(import.meta.url);
  const loaded = () => Object.keys(cache).some((file) => /[\\\\/]zod[\\\\/]/.test(file));
  const settings = resolveSettings({ port: '0', quiet: true }, { env: {}, folder: '.' });
  const { emulator, at } = await start(settings, {});
  const first = loaded();
  const { api_key, workspace_id } = { ...emulator.target.credentials, ...emulator.target };
  const created = await fetch(at.baseUrl + '/interns', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + api_key, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'first', workspace_id }),
  });
  console.log(JSON.stringify([first, created.status, loaded()]));
  await emulator.close();`;

// In a process of its own: in this one another test has loaded zod.
test('a plain start does not load zod; a first create does', async () => {
  const args = ['--import', 'tsx', '--input-type=module', '-e', CODE];
  const cwd = resolve(import.meta.dirname, '../..');
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
  expect(JSON.parse(stdout)).toEqual([false, 201, true]);
});

/** Ends the command at its first line, and prints whether Node's fetch is loaded by then. */
const AT_READY = `
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = () => {
    write(JSON.stringify(process.moduleLoadList.some((module) => module.endsWith('/undici'))));
    process.exit();
  };
  await import(process.env.COMMAND);`;

test('a start of the package does not load the fetch of Node, which imports of its other modules would', async () => {
  const args = [
    '--input-type=module',
    '-e',
    AT_READY,
    'intern-emulator',
    '--port',
    '0',
    '--daemon-port',
    '0',
    '--json',
  ];
  const env = { ...process.env, COMMAND: pathToFileURL(commandOf('intern-emulator')).href };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  expect(stdout).toBe('false');
});
