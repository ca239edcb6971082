// How long the conformance kit takes: the whole suite against an emulator in process at 100 runs per property, and the
// smoke selection of one run. Each a process of its own, from the built package.
import { spawnSync } from 'node:child_process';
import { report } from './lib.js';

const bin = new URL('../dist/bin/intern-conformance.js', import.meta.url).pathname;

const run = (runs: number) => {
  const began = performance.now();
  const { status, stdout } = spawnSync(process.execPath, [bin, '--runs', String(runs)], { encoding: 'utf8' });
  const seconds = (performance.now() - began) / 1_000;
  const said = stdout.split('\n').find((line) => / pass, /.test(line)) ?? '';
  console.log(said);
  if (status !== 0) throw new Error(`the kit ended with ${status}`);
  const checks = Number(/(\d+) checked/.exec(said)?.[1]);
  return { seconds, each: `${((1_000 * seconds) / checks).toFixed(1)} ms for each of ${checks} checks` };
};

const smoke = run(1);
report('smoke selection', `${smoke.seconds.toFixed(1)} s, ${smoke.each}`, '≤ 3 s', smoke.seconds <= 3);
const whole = run(100);
const took = `${whole.seconds.toFixed(1)} s, ${whole.each}`;
report('whole suite, 100 runs per property', took, '≤ 30 s', whole.seconds <= 30);
