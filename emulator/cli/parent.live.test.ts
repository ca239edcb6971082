import { spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { commandOf } from '../../test/built.js';
import { folderOfFile } from '../../test/folders.js';

const command = commandOf('intern-emulator');
const folder = folderOfFile('parent-');

/** Whether anybody answers at an address. */
const answers = (line: string) =>
  fetch(line.replace(/^.*(http:.*)\/api\/v1$/, '$1/_emulator/health')).then(
    () => true,
    () => false,
  );

/** Waits until nobody answers; false if somebody still does after a long time. */
async function falls(line: string): Promise<boolean> {
  for (let waited = 0; waited < 40_000; waited += 100) {
    if (!(await answers(line))) return true;
    await wait(100);
  }
  return false;
}

/** Starts a process that starts an emulator, in a process group of its own, and waits until the emulator is ready. */
async function startBy(file: string, args: readonly string[], env: Record<string, string | undefined> = {}) {
  const inherited = Object.entries(process.env).filter(([name]) => !/^npm_|^INIT_CWD$/i.test(name));
  const child = spawn(file, args, {
    cwd: folder,
    env: { ...Object.fromEntries(inherited), ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  groups.push(child.pid ?? 0);
  for await (const line of createInterface({ input: child.stdout })) {
    if (/ is ready at | records .* at |^listening /.test(line)) return { child, line };
  }
  throw new Error(`${file} ended before it was ready`);
}
const groups: number[] = [];
afterEach(() => {
  for (const group of groups.splice(0)) {
    try {
      process.kill(-group, 'SIGKILL');
    } catch {}
  }
});
const serveLine = `node ${command} --port 0`;
const judge = `node ${command} conformance judge --listen 0 --to http://127.0.0.1:9/api/v1`;
beforeAll(() => {
  // As installed: npx runs what is there, and asks no registry.
  const [bin, own] = ['.bin', 'intern-emulator'].map((name) => join(folder, 'node_modules', name));
  for (const made of [bin, own]) mkdirSync(made ?? '', { recursive: true });
  const manifest = { name: 'intern-emulator', version: '0.0.0', bin: { 'intern-emulator': 'run.sh' } };
  writeFileSync(join(own ?? '', 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(own ?? '', 'run.sh'), `#!/bin/sh\nexec node ${command} "$@"\n`, { mode: 0o755 });
  symlinkSync('../intern-emulator/run.sh', join(bin ?? '', 'intern-emulator'));
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'mine', scripts: { emulator: serveLine, judge } }),
  );
});

test.each([
  ['emulator', 'SIGTERM'],
  ['judge', 'SIGKILL'],
] as const)(
  'WEB-3: nothing is left listening when the process that started it is gone: npm run %s, by %s',
  async (script, signal) => {
    const { child, line } = await startBy('npm', ['run', script]);
    expect(await answers(line)).toBe(true);
    child.kill(signal);
    expect(await falls(line)).toBe(true);
  },
);

test('WEB-3: the same of npx, by SIGKILL', async () => {
  const { child, line } = await startBy('npx', ['--no', '--', 'intern-emulator', '--port', '0']);
  child.kill('SIGKILL');
  expect(await falls(line)).toBe(true);
});

test('WEB-3: the same of npm, by SIGKILL before the emulator looked for it', async () => {
  // The outer shell ends at once, as a killed npm does. The inner one stays, as the shell that npm started does.
  const late = `sh -c 'sleep 0.2; ${serveLine}; true' &`;
  const { line } = await startBy('sh', ['-c', late], { npm_lifecycle_event: 'npx' });
  expect(await falls(line)).toBe(true);
});

test('WEB-3: the same of a shell, by SIGKILL, with --exit-with-parent; without, it goes on', async () => {
  const { child, line } = await startBy('sh', ['-c', `${serveLine} --exit-with-parent; true`]);
  const other = await startBy('sh', ['-c', `${serveLine}; true`]);
  const recorder = `node ${command} record http://127.0.0.1:9/api/v1 --out of-shell.jsonl --port 0 --exit-with-parent`;
  const recording = await startBy('sh', ['-c', `${recorder}; true`]);
  for (const started of [child, other.child, recording.child]) started.kill('SIGKILL');
  expect(await falls(line)).toBe(true);
  expect(await falls(recording.line)).toBe(true);
  await wait(2_000);
  expect(await answers(other.line)).toBe(true);
});
