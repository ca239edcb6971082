import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandOf } from '../../test/built.js';
import { closing } from '../../test/closing.js';
import { folderOfTest } from '../../test/folders.js';
import { newEmulator } from '../drivers/emulator.js';
import { systemHost } from '../probe/time.js';
import { words } from './called.harness.js';

/** Names of the interns that a run made, as its target shows them. */
async function left(emulator: Awaited<ReturnType<typeof newEmulator>>): Promise<string[]> {
  const headers = { authorization: `Bearer ${emulator.target.credentials.api_key}` };
  const { data } = (await (await emulator.fetch('/api/v1/interns', { headers })).json()) as {
    data: { name: string; status: string }[];
  };
  return data.filter((intern) => /^k[a-z0-9]{4}-/.test(intern.name)).map((intern) => intern.name);
}

test('Ctrl-C soon after the first request leaves nothing behind', async () => {
  const folder = folderOfTest('intern-interrupt-');
  const emulator = closing(await newEmulator({ clock: 'real', settings: { turns_per_minute: 0 } }));
  const url = (await emulator.listen({ port: 0 })).baseUrl;
  const child = spawn(
    process.execPath,
    words`${commandOf('intern-conformance')} ${url} --no-control --rate 100 --only model/* --runs 50 --ledger-dir ${folder}`,
    {
      env: {
        ...process.env,
        INTERN_API_KEY: emulator.target.credentials.api_key,
        INTERN_WORKSPACE_ID: emulator.target.workspace_id,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  let err = '';
  const begun = new Promise<void>((resolve) => {
    child.stderr.on('data', (text: Buffer) => {
      err += text;
      if (/checks? against/.test(err)) resolve();
    });
  });
  await Promise.race([begun, exited]);
  await systemHost.sleep(150);
  child.kill('SIGINT');
  expect(await exited, err).toBe(3);
  expect(await left(emulator)).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});
