import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOfFile } from '../../../test/folders.js';
import { needs, tool } from '../../../test/tools.js';
import { runningIn } from './command.harness.js';

const folder = folderOfFile('explore command ');
const { run, runCommand } = runningIn(folder);

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
  for (let runs = 0; runs < 2; runs++) await runCommand([tool('python'), '-c', FORKS_TWICE, pids]);
  const left = existsSync(pids) ? readFileSync(pids, 'utf8').trim().split('\n').filter(isThere) : [];
  for (const pid of left) process.kill(Number(pid));
  expect(left).toEqual([]);
});
