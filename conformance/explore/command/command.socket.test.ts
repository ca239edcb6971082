import { expect, test } from 'vitest';
import { folderOfFile } from '../../../test/folders.js';
import { systemHost } from '../../probe/time.js';
import { ProgramCrashed, ProgramFailed } from '../types.js';
import { runningIn } from './command.harness.js';
import { NotStarted } from './process.js';

const { run, runCommand } = runningIn(folderOfFile('explore command '));

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
  const running = run(`import { spawnSync } from 'node:child_process'; spawnSync('sleep', ['60']);`, stop);
  await systemHost.sleep(100);
  stop.abort(new Error('given up'));
  await expect(running).rejects.toThrow('given up');
});
