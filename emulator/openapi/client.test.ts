import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { createEmulator } from '../emulator.js';

const ROOT = resolve(import.meta.dirname, '../..');
// Within the repository, so that the generated code finds the packages that it imports.
mkdirSync(join(ROOT, '.tmp'), { recursive: true });
const folder = mkdtempSync(join(ROOT, '.tmp/openapi-client-'));
const emulator = createEmulator({ clock: 'virtual', seed: 'client' });
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await emulator.close();
});

/** The code of a developer who has only the generated client. */
const CONSUMER = `
import * as interns from './client.js';
import type { RequestOpts } from '@oazapfts/runtime';

type Name = interns.Intern['name'];

export async function lifecycle(workspace_id: string, opts: RequestOpts, advance: () => Promise<unknown>) {
  const seen: unknown[] = [];
  const name: Name = 'generated';
  const made = await interns.createIntern({ name, workspace_id }, { idempotencyKey: 'one' }, opts);
  if (made.status !== 201) throw new Error('create answered ' + made.status);
  const { id } = made.data;
  const again = await interns.createIntern({ name, workspace_id }, { idempotencyKey: 'two' }, opts);
  if (again.status === 409) seen.push(again.data.error.metadata.reason);
  seen.push((await interns.updateIntern(id, { description: 'By a generated client' }, {}, opts)).status);
  seen.push((await interns.provisionIntern(id, {}, {}, opts)).status);
  await advance();
  const booted = await interns.getIntern(id, {}, opts);
  if (booted.status === 200) seen.push(booted.data.status, booted.data.description);
  const run = await interns.invoke(id, { input: 'Hello' }, {}, opts);
  if (run.status === 202) seen.push(run.data.status);
  await advance();
  const page = await interns.listInterns({ status: ['running', 'stopped'], limit: 10 }, opts);
  if (page.status === 200) seen.push(page.data.data.map((one) => one.name));
  const suspended = await interns.suspendIntern(id, {}, {}, opts);
  if (suspended.status === 200) seen.push(suspended.data.suspended);
  seen.push((await interns.deleteIntern(id, { acknowledge_workspace_loss: true }, {}, opts)).status);
  await advance();
  seen.push((await interns.getIntern(id, {}, opts)).status);
  return seen;
}

// @ts-expect-error there is no such status
export const wrong: interns.Intern['status'] = 'asleep';
`;

test('a client that is generated from schemas/openapi.json compiles, and takes an intern through its life', {
  timeout: 300_000,
}, async () => {
  execFileSync(process.execPath, [
    join(ROOT, 'node_modules/oazapfts/dist/cli.js'),
    join(ROOT, 'schemas/openapi.json'),
    join(folder, 'client.ts'),
  ]);
  writeFileSync(join(folder, 'consumer.ts'), CONSUMER);
  const compilerOptions = {
    target: 'es2023',
    module: 'esnext',
    moduleResolution: 'bundler',
    strict: true,
    skipLibCheck: true,
    types: ['node'],
    outDir: 'out',
    rootDir: '.',
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });

  const { lifecycle } = await import(pathToFileURL(join(folder, 'out/consumer.js')).href);
  const { base_url, workspace_id, credentials } = emulator.target;
  const headers = { authorization: `Bearer ${credentials.api_key}` };
  const options = { baseUrl: base_url, headers, fetch: emulator.fetch };
  const seen = await lifecycle(workspace_id, options, () => emulator.clock.advance(60_000));
  expect(seen).toEqual([
    'name_conflict',
    200,
    202,
    'running',
    'By a generated client',
    'started',
    ['generated', expect.any(String)],
    true,
    202,
    404,
  ]);
});
