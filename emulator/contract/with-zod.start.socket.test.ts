import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { commandOf } from '../../test/built.js';

/** Prints whether Node's fetch and zod are loaded once the command is ready, and whether zod is after a create. */
const CODE = `
  import { createRequire } from 'node:module';

  const require = createRequire(import.meta.url);
  const zod = () => Object.keys(require.cache).some((file) => /[\\\\/]zod\\.cjs$/.test(file));
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (line) => {
    const { base_url, workspace_id, credentials } = JSON.parse(line);
    const first = [process.moduleLoadList.some((module) => module.endsWith('/undici')), zod()];
    const headers = { authorization: 'Bearer ' + credentials.api_key, 'content-type': 'application/json' };
    require('node:http').request(base_url + '/interns', { method: 'POST', headers }, ({ statusCode }) => {
      write(JSON.stringify([...first, statusCode, zod()]));
      process.exit();
    }).end(JSON.stringify({ name: 'first', workspace_id }));
  };
  await import(process.env.COMMAND);`;

test('a start of the package loads neither the fetch of Node, which imports of its other modules would, nor zod; a first create loads zod', async () => {
  const args = ['intern-emulator', '--port', '0', '--daemon-port', '0', '--json', '--quiet'];
  const env = { ...process.env, COMMAND: pathToFileURL(commandOf('intern-emulator')).href };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', CODE, ...args], { env });
  expect(JSON.parse(stdout)).toEqual([false, false, 201, true]);
});
