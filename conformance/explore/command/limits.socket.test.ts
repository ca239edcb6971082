import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { findTool, needs } from '../../../test/tools.js';
import { systemHost } from '../../probe/time.js';
import { limitOf } from './limits.js';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** The facts of a program's limit, once it waits. */
async function known(file: string, ...args: string[]): Promise<number> {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  await systemHost.sleep(300);
  return limitOf([child.pid ?? 0]);
}

test.each([
  ['poll, with a limit', 'select.poll().poll(70_000)', 70_000],
  ['poll, without', 'select.poll().poll()', 0],
  ['select, with a limit', 'select.select([], [], [], 70.5)', 70_500],
  ['a socket, with a limit', 's.settimeout(70); s.recv(1)', 70_000],
  ['a socket, without', 's.recv(1)', 0],
])('the limit of a program that waits is known: %s', needs('linux', 'python'), async (_, waits, limit) => {
  const source = `import select, socket\ns, other = socket.socketpair()\nprint('waits', flush=True)\n${waits}`;
  expect(await known(findTool('python') ?? '', '-c', source)).toBe(limit);
});

test('the limit of a program that waits is known: the next timer of Node', needs('linux'), async () => {
  const limit = await known(process.execPath, '-e', "setTimeout(() => {}, 70_000); console.log('waits')");
  expect(limit).toBeGreaterThan(60_000);
  expect(limit).toBeLessThanOrEqual(70_000);
});

test('nothing is known of a process that is gone', () => {
  expect(limitOf([2 ** 30])).toBe(0);
});
