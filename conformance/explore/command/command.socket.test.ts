import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { environmentOf } from '../../../emulator/cli/exec.js';
import { createEmulator } from '../../../emulator/index.js';
import { folderOfFile } from '../../../test/folders.js';
import { needs, tool } from '../../../test/tools.js';
import { systemHost } from '../../probe/time.js';
import { ProgramCrashed, ProgramFailed } from '../types.js';
import { openCommand } from './command.js';
import { NotStarted } from './process.js';

const folder = folderOfFile('explore command ');

/** Runs a script once, as `explore` does. */
async function run(source: string, signal = new AbortController().signal) {
  const file = join(folder, `${systemHost.tag(8)}.mjs`);
  writeFileSync(file, source);
  return runCommand([process.execPath, file], signal);
}
async function runCommand(command: readonly [string, ...string[]], signal = new AbortController().signal) {
  const emulator = createEmulator({ clock: 'auto' });
  const made = await openCommand(command, { env: process.env, folder, environmentOf });
  const printed: string[] = [];
  const { fetch, target } = emulator;
  try {
    await made.program({
      emulator,
      target,
      fetch: fetch as typeof globalThis.fetch,
      signal,
      print: (text) => printed.push(text),
    });
    return { printed: printed.join(''), warnings: [...made.warnings] };
  } finally {
    made.close();
    await emulator.close();
  }
}

test('a command finds its emulator, and what it prints is kept', async () => {
  const { printed, warnings } = await run(`
    const { INTERN_BASE_URL: base, INTERN_API_KEY: key } = process.env;
    const list = await fetch(base + '/interns', { headers: { authorization: 'Bearer ' + key } });
    console.log((await list.json()).data.map(({ name }) => name).join());`);
  expect(printed).toBe('first-intern\n');
  expect(warnings).toEqual([]);
});

test('a status is a failure, reported with the line that says most', async () => {
  const failed = run(`console.error('Loading'); throw new TypeError('no such thing');`);
  await expect(failed).rejects.toThrow(ProgramFailed);
  await expect(failed).rejects.toThrow('TypeError: no such thing');
  // An error may be long: its first line says most.
  const long = run(`console.error('RangeError: too far', 'x'.repeat(50_000)); process.exitCode = 1;`);
  await expect(long).rejects.toThrow('RangeError: too far');
  // Node shows a line of its own source first: Error.captureStackTrace(err), triggerUncaughtException(.
  await expect(run(`await fetch('http://127.0.0.1:1');`)).rejects.toThrow('TypeError: fetch failed');
  await expect(run(`AbortSignal.abort().throwIfAborted();`)).rejects.toThrow('AbortError');
});

test('a failing top-level await is a failure; a rejection that nobody handles is a crash', async () => {
  await expect(run(`await Promise.reject(new Error('awaited'));`)).rejects.toThrow(ProgramFailed);
  const crashed = run(`void Promise.reject(new Error('forgotten')); setTimeout(() => {}, 1_000);`);
  await expect(crashed).rejects.toThrow(ProgramCrashed);
  await expect(crashed).rejects.toThrow('forgotten');
  // Somebody listens: it is handled.
  await run(`process.on('unhandledRejection', () => {}); void Promise.reject(new Error('handled'));`);
});

test('a signal is a crash', async () => {
  await expect(run(`process.kill(process.pid, 'SIGSEGV'); setTimeout(() => {}, 1_000);`)).rejects.toThrow('SIGSEGV');
});

test('a command that does not exist is a line that says so', async () => {
  const missing = runCommand(['no-such-command-here']);
  await expect(missing).rejects.toThrow(NotStarted);
  await expect(missing).rejects.toThrow('no-such-command-here: command not found');
});

test('megabytes are cut, standard input is empty, and what is left behind is ended', async () => {
  const { printed, warnings } = await run(`
    import { spawn } from 'node:child_process';
    import { readFileSync } from 'node:fs';
    console.log(readFileSync(0).length);
    spawn('sleep', ['60'], { stdio: 'inherit' }).unref();
    process.stdout.write('x'.repeat(3_000_000));`);
  expect(printed.slice(0, 2)).toBe('0\n');
  expect(printed).toHaveLength(256 * 1024);
  expect(warnings).toEqual([
    'The command leaves processes behind; they were ended after each run.',
    'The command prints more than 256 KB; only the beginning is shown and compared.',
  ]);
});

test('a run that is given up ends the command and all that it started', async () => {
  const stop = new AbortController();
  const running = run(`import { spawnSync } from 'node:child_process'; spawnSync('sleep', ['60']);`, stop.signal);
  await systemHost.sleep(100);
  stop.abort(new Error('given up'));
  await expect(running).rejects.toThrow('given up');
});

function isThere(pid: string): boolean {
  try {
    // Where nobody waits for it, one that has ended keeps its place, as a Z.
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z');
  } catch {
    return false;
  }
}

/** Whether the process whose id a file holds is there. */
const lives = (file: string): boolean => isThere(readFileSync(file, 'utf8').trim());

test.runIf(process.platform === 'linux')(
  'on Linux, children in sessions of their own do not outlive a run, and none keeps it from ending',
  async () => {
    const [kept, cleared] = [join(folder, 'kept'), join(folder, 'cleared')];
    const child = (file: string, env: string) => `spawn(process.execPath,
      ['-e', 'require("node:fs").writeFileSync(process.argv[1], String(process.pid)); setTimeout(() => {}, 20_000)', ${JSON.stringify(file)}],
      { stdio: 'inherit', detached: true${env} }).unref();`;
    const written = `while (!existsSync(${JSON.stringify(kept)}) || !existsSync(${JSON.stringify(cleared)})) await new Promise((done) => setTimeout(done, 10));`;
    const { printed } = await run(`
      import { spawn } from 'node:child_process';
      import { existsSync } from 'node:fs';
      ${child(kept, '')}
      ${child(cleared, ', env: {}')}
      ${written}
      console.log('done');`);
    try {
      expect(printed).toBe('done\n');
      expect(lives(kept)).toBe(false);
      // Nothing tells whose it is any more: it holds the output, which is left to it.
      expect(lives(cleared)).toBe(true);
    } finally {
      process.kill(Number(readFileSync(cleared, 'utf8')));
    }
  },
);

test.runIf(process.platform === 'linux')('nor does a child of one of them whose environment was cleared', async () => {
  const file = join(folder, 'sleeps');
  await run(`
    import { spawn } from 'node:child_process';
    import { existsSync } from 'node:fs';
    spawn('sh', ['-c', 'setsid env -i sleep 20 & echo $! > begun; mv begun sleeps; wait'], { detached: true, stdio: 'ignore' }).unref();
    while (!existsSync(${JSON.stringify(file)})) await new Promise((done) => setTimeout(done, 10));`);
  const left = lives(file);
  if (left) process.kill(Number(readFileSync(file, 'utf8')));
  expect(left).toBe(false);
});

/** A child of a child that has ended, in a session of its own: the child's turn to be looked at comes when it is gone. */
const FORKS_TWICE = `import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open(sys.argv[1], 'a').write(str(os.getpid()) + '\\n')
        time.sleep(20)
os._exit(0)`;

test('no child of a child that ends at once outlives a run', needs('python', 'linux'), async () => {
  const pids = join(folder, 'forked.pids');
  for (let runs = 0; runs < 6; runs++) await runCommand([tool('python'), '-c', FORKS_TWICE, pids]);
  const left = existsSync(pids) ? readFileSync(pids, 'utf8').trim().split('\n').filter(isThere) : [];
  for (const pid of left) process.kill(Number(pid));
  expect(left).toEqual([]);
});
