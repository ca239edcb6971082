// Runs a script of package.json beside a command, which has the terminal: what the script says is printed when it ends. When
// one of the two fails, the other is ended, and so is this, with what failed as the last that is printed.
//
//   node scripts/beside.mjs SCRIPT -- COMMAND…

import { spawn } from 'node:child_process';

const [script, , file, ...args] = process.argv.slice(2);
const posix = process.platform !== 'win32';
/** A group of its own for the script: it starts others, which are to end with it. */
const side = spawn('npm', ['run', '-s', script], { stdio: ['ignore', 'pipe', 'pipe'], detached: posix, shell: !posix });
const main = spawn(file, args, { stdio: 'inherit', shell: !posix });

const said = [];
for (const stream of [side.stdout, side.stderr]) stream.on('data', (chunk) => said.push(chunk));
/** The status that a process ended with; a signal counts as one. */
const statusOf = (child, event) =>
  new Promise((resolve) => {
    child.once('error', () => resolve(127));
    child.once(event, (status) => resolve(status ?? 1));
  });
const endSide = () => {
  if (side.exitCode === null && side.pid !== undefined) process.kill(posix ? -side.pid : side.pid, 'SIGTERM');
};
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, endSide);

const sideEnded = statusOf(side, 'close').then((status) => {
  if (status !== 0) main.kill('SIGINT');
  else process.stderr.write(Buffer.concat(said));
  return status;
});
const mainStatus = await statusOf(main, 'exit');
if (mainStatus !== 0) endSide();
const sideStatus = await sideEnded;
const sideFailed = sideStatus !== 0 && (mainStatus === 0 || main.killed);
if (sideFailed) process.stdout.write(`${Buffer.concat(said)}FAILED  npm run ${script}\n`);
process.exitCode = sideFailed ? 1 : mainStatus;
