// Sends odd inputs to everything that is open to others, for a time, and checks a few laws: the process lives, answers
// a probe within a second, and holds bounded memory; our code never throws; a refusal says why; and nobody changes what
// belongs to another. An input that breaks a law is made smaller and printed with the command that repeats it.
//
//   npm run fuzz                                      each target for a minute
//   npm run fuzz -- requests --seed 7 --seconds 600   one of them, from a seed
//   npm run fuzz -- requests --seed 7 --path 12:0:3   one input alone
import { parseArgs } from 'node:util';
import { createValues } from '../conformance/cli/values.js';
import { hostNow } from '../emulator/clock/host.js';
import { measured } from '../emulator/contract/visible.js';
import { TARGETS } from './fuzz/targets.js';

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { seed: { type: 'string' }, seconds: { type: 'string' }, path: { type: 'string' } },
  });
  const names = positionals.length > 0 ? positionals : Object.keys(TARGETS);
  const unknown = names.find((name) => TARGETS[name] === undefined);
  if (unknown !== undefined) throw new Error(`no target ${unknown}; expected ${Object.keys(TARGETS).join(', ')}`);
  if (values.path !== undefined && names.length !== 1)
    throw new Error('--path: name the one target that it belongs to');
  const { whole } = createValues(values);
  return {
    names,
    path: values.path,
    seed: whole('seed', 0) ?? Math.floor(hostNow()) % 1_000_000_000,
    seconds: whole('seconds', 0) ?? 60,
  };
}

let called: ReturnType<typeof readArguments>;
try {
  called = readArguments();
} catch (error) {
  console.error(`fuzz: ${(error as Error).message}`);
  process.exit(2);
}
const { names, path, seed, seconds } = called;

for (const name of names) {
  const { inputs, failure } = (await TARGETS[name]?.({ seed, seconds, path })) ?? { inputs: 0 };
  if (failure === undefined) {
    console.log(`${name}: ${inputs} inputs from seed ${seed}, no law broken`);
    continue;
  }
  process.exitCode = 1;
  const input = measured(failure.input, 4_000);
  console.log(`${name}: A LAW IS BROKEN after ${inputs} inputs\n  ${failure.law}\n  by ${input}`);
  console.log(
    failure.alone
      ? `  again: npm run fuzz -- ${name} --seed ${failure.seed} --path ${failure.path}`
      : `  not by this input alone. Again, with those before it: npm run fuzz -- ${name} --seed ${failure.seed} --seconds ${seconds}`,
  );
}
