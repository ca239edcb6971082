// How long the conformance kit takes: the whole suite against an emulator in process at 100 runs per property, and the
// smoke selection of one run. Each a process of its own, from the built package.
import { cpuOf, report } from './lib.js';

const bin = new URL('../dist/bin/intern-conformance.js', import.meta.url).pathname;

const run = (runs: number) => {
  const began = performance.now();
  const { ms, stdout } = cpuOf([bin, '--runs', String(runs)]);
  const seconds = (performance.now() - began) / 1_000;
  const said = stdout.split('\n').find((line) => / pass, /.test(line)) ?? '';
  console.log(said);
  if (!said.startsWith('conforms')) throw new Error('the emulator does not conform');
  const checks = Number(/(\d+) checked/.exec(said)?.[1]);
  return {
    seconds,
    each: `${((1_000 * seconds) / checks).toFixed(1)} ms for each of ${checks} checks, ${(ms / 1_000).toFixed(1)} s CPU`,
  };
};

const smoke = run(1);
report('smoke selection', `${smoke.seconds.toFixed(1)} s, ${smoke.each}`, '≤ 3 s', smoke.seconds <= 3);
const whole = run(100);
const took = `${whole.seconds.toFixed(1)} s, ${whole.each}`;
report('whole suite, 100 runs per property', took, '≤ 4 s', whole.seconds <= 4);
