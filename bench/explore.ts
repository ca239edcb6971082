// The cost of exploring a test of ten requests, in process: 1,000 schedules, pairs among them. The test waits 400 ms for
// an answer that does not come, and keeps Retry-After, so most of the time passes in waiting. And what a schedule's run of a
// command takes beyond the command itself beside an emulator that is already there.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openCommand } from '../conformance/explore/command/command.js';
import { explore } from '../conformance/explore/index.js';
import { openRejections } from '../conformance/explore/rejections.js';
import { loadedOnce, runOnce } from '../conformance/explore/run.js';
import { clientOf, wholly } from '../conformance/explore/testing.harness.js';
import type { Program } from '../conformance/explore/types.js';
import { systemHost } from '../conformance/probe/time.js';
import { environmentOf } from '../emulator/cli/exec.js';
import { JOBS } from '../emulator/cli/explore/suite.js';
import { createEmulator } from '../emulator/index.js';
import { report } from './lib.js';

const SCHEDULES = 1_000;

const tenRequests: Program = async (context) => {
  const client = clientOf(context);
  const patient = async (request: () => Promise<Response>): Promise<Response> => {
    const response = await request();
    const after = Number(response.headers.get('retry-after') ?? 0);
    if (response.ok || after === 0) return response;
    await new Promise((resolve) => setTimeout(resolve, 1_000 * after));
    return request();
  };
  const read = async (method: string, path: string, body?: unknown) => {
    const response = await patient(() => client.send(method, path, body));
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
    await response.text();
  };
  const own = `/interns/${client.id}`;
  await read('GET', '/interns?limit=5');
  await read('GET', own);
  await wholly(await patient(() => client.chat('hello')));
  const asked = await wholly(await patient(() => client.chat('script: ask-permission')));
  await wholly(await patient(() => client.answer(asked, 'allow_once')));
  await wholly(await patient(() => client.chat('and once more')));
  await read('POST', `${own}/invoke`, { input: 'work on' });
  await read('PATCH', own, { description: 'explored' });
  await read('GET', own);
  await read('GET', '/interns');
};

const before = process.cpuUsage();
const result = await explore(tenRequests, { pairs: true, maxRuns: SCHEDULES });
const { user, system } = process.cpuUsage(before);
const { counts, timing, straight } = result;
if (counts.run !== SCHEDULES || counts.breach > 0 || straight.requests !== 10) throw new Error(result.text);
const seconds = timing.ms / 1_000;
report(`${SCHEDULES} schedules of ${straight.requests} requests`, `${seconds.toFixed(1)} s`, '≤ 60 s', seconds <= 60);
console.log(`  processor time of each: ${((user + system) / 1_000 / SCHEDULES).toFixed(1)} ms`);

const SAY = `
  const { INTERN_BASE_URL: base, INTERN_INTERN_ID: id, INTERN_API_KEY: key } = process.env;
  const response = await fetch(base + '/interns/' + id + '/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + key },
    body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'hello' }] }),
  });
  if (!(await response.text()).includes('[DONE]')) throw new Error('cut');`;
const command = [process.execPath, '--input-type=module', '-e', SAY] as const;
const ROUNDS = 40;
const WARM = 5;
const median = (times: number[]): number => times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
async function took(run: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await run();
  return performance.now() - began;
}

const there = createEmulator({ clock: 'auto' });
const env = { ...process.env, ...environmentOf(there.target, await there.listen({ port: 0, daemonPort: 0 })) };
const made = await openCommand(command, { env: process.env, folder: process.cwd(), environmentOf });
const rejections = openRejections();
const settings = {
  host: systemHost,
  rejections,
  emulator: {},
  factories: loadedOnce(),
  seed: 'explore',
  patience: 10_000,
  runTimeout: 30_000,
  signal: new AbortController().signal,
};
const alone: number[] = [];
const asRun: number[] = [];
for (let round = 0; round < ROUNDS + WARM; round++) {
  // Alternately, so that what else the machine does weighs on both alike.
  const itself = await took(async () => {
    const [file, ...args] = command;
    const [status] = await once(spawn(file, args, { env, stdio: 'ignore' }), 'close');
    if (status !== 0) throw new Error(`the command ended with ${status}`);
  });
  const run = await took(async () => {
    const { outcome } = (await runOnce(made.program, undefined, settings)).seen;
    if (outcome.kind !== 'passed') throw new Error(`the run ${outcome.kind}`);
  });
  if (round < WARM) continue;
  alone.push(itself);
  asRun.push(run);
}
rejections.close();
await there.close();

// Forty-nine schedules of a command that takes half a second by itself.
const NODE_STARTS = median([...alone]);
const SLOW = `await new Promise((done) => setTimeout(done, ${Math.max(0, 500 - NODE_STARTS)}));${SAY}`;
const slow = await openCommand([process.execPath, '--input-type=module', '-e', SLOW], {
  env: process.env,
  folder: process.cwd(),
  environmentOf,
});
const all = await explore(slow.program, { jobs: JOBS });
slow.close();
made.close();
const whole = all.timing.ms / 1_000;
report(`${all.counts.run} schedules of a command of 0.5 s`, `${whole.toFixed(1)} s`, '≤ 15 s', whole <= 15);
const beyond = median(asRun) - median(alone);
report(
  `a command's run, beyond the ${median(alone).toFixed(0)} ms of the command`,
  `${beyond.toFixed(1)} ms`,
  '≤ 20 ms',
  beyond <= 20,
);
