// From starting the process to its ready line: the built emulator, aimock, and bare Node, in turns in one run. Needs a
// build (npm run build) and the neighbours (npm ci --prefix bench).
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median, report } from './lib.js';

const ROUNDS = 15;
const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** Milliseconds until a process says on either output what `ready` looks for. */
function untilReady(args: readonly string[], ready: RegExp): Promise<number> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const look = (chunk: Buffer) => {
      output += chunk.toString();
      if (!ready.test(output)) return;
      resolve(performance.now() - begun);
      child.kill('SIGKILL');
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    child.once('exit', () => reject(new Error(`ended before it was ready: ${output}`)));
  });
}

function bareNode(): number {
  const begun = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return performance.now() - begun;
}

const emulator = () => untilReady([path('../dist/bin/intern-emulator.js'), '--port', '0'], /is ready at http/);
const aimock = () =>
  untilReady(
    [
      path('node_modules/@copilotkit/aimock/dist/cli.js'),
      '--port',
      '0',
      '--fixtures',
      path('node_modules/@copilotkit/aimock/fixtures/example-greeting.json'),
    ],
    /listening|http:\/\//i,
  );

const times: { emulator: number; aimock: number; bare: number }[] = [];
for (let round = 0; round <= ROUNDS; round++) {
  const each = { emulator: await emulator(), aimock: await aimock(), bare: bareNode() };
  // The first round reads everything from the disk.
  if (round > 0) times.push(each);
}
const of = (name: 'emulator' | 'aimock' | 'bare') => median(times.map((each) => each[name]));
console.log(
  `bare node ${of('bare').toFixed(0)} ms, emulator ${of('emulator').toFixed(0)} ms, aimock ${of('aimock').toFixed(0)} ms`,
);
const times3 = median(times.map((each) => each.emulator / each.bare));
const against = median(times.map((each) => each.emulator / each.aimock));
report('start, times bare node', times3.toFixed(2), '≤ 2', times3 <= 2);
report('start, of aimock', `${(against * 100).toFixed(0)} %`, '< 100 %', against < 1);
