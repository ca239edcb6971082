// Runs the whole suite against our own emulator in this process, seed by seed, and counts what is held against it: each
// finding is a false one, and each run that does not end well for another reason is told too. Resumable: a state file keeps the seeds that are done.
//
//   npm run soak                                    1,000 seeds at 3 runs per property
//   npm run soak -- --from 200 --count 100          a part of them
//   npm run soak -- --state soak.json               goes on where the file ends
//   npm run soak -- --guises --count 20             servers in disguise, without control interface
//   npm run soak -- --mix 3 --count 300             each seed another that has three of their habits at once
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runConformance } from '../conformance/index.js';
import type { CheckResult, Results } from '../conformance/run/results.js';
import { run } from '../conformance/run/runner.js';
import { disguise } from '../conformance/testing/guises.js';
import { INGREDIENTS, type Ingredient, mixOf, undeserved } from '../conformance/testing/mixes.js';

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '0' },
    count: { type: 'string' },
    runs: { type: 'string', default: '3' },
    state: { type: 'string' },
    guises: { type: 'boolean', default: false },
    guise: { type: 'string', default: '' },
    mix: { type: 'string' },
  },
});

interface State {
  done: string[];
  found: { seed: string; id: string; what: string; actual: unknown }[];
}

const whole = (text: string, name: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new Error(`--${name}: expected a whole number, got ${text}`);
  return value;
};
const from = whole(values.from, 'from');
const mix = values.mix === undefined ? undefined : whole(values.mix, 'mix');
const count = whole(values.count ?? (values.guises ? '20' : '1000'), 'count');
const runs = whole(values.runs, 'runs');
const state: State =
  values.state !== undefined && existsSync(values.state)
    ? (JSON.parse(readFileSync(values.state, 'utf8')) as State)
    : { done: [], found: [] };

type Held = Omit<State['found'][number], 'seed'>;

/** What is held against a target, and why a run that holds nothing against it did not end well. */
const told = ({ exit, reasons }: Results, bad: readonly CheckResult[], mayEnd: readonly number[] = [0]): Held[] => {
  const held = bad.map(({ id, verdict, finding, error }) => ({
    id: `${verdict} ${id}`,
    what: finding?.what ?? error?.message ?? '',
    actual: finding?.actual as unknown,
  }));
  const badly = held.length === 0 && !mayEnd.includes(exit);
  return badly ? [{ id: `exit ${exit}`, what: reasons.join('; '), actual: undefined }] : held;
};

async function heldByDisguised(shape: Ingredient, seed: string): Promise<Held[]> {
  const { driver, host, close } = await disguise(shape, seed);
  try {
    const results = await run({ driver, host, seed, rate: 0 });
    const { incomplete, differs } = shape;
    const mayEnd = [0, ...(incomplete ? [3] : []), ...(differs?.includes('CHAT-1') ? [1] : [])];
    return told(results, undeserved(shape, results.checks), mayEnd);
  } finally {
    await close();
  }
}

/** A run by its name, and what it holds against its target. */
interface Trial {
  readonly name: string;
  held(): Promise<Held[]>;
}

function trialsOf(seed: string): Trial[] {
  if (mix !== undefined) {
    const shape = mixOf(seed, mix);
    return [{ name: `${seed}, ${shape.name}`, held: () => heldByDisguised(shape, seed) }];
  }
  if (!values.guises)
    return [
      {
        name: seed,
        async held() {
          const results = await runConformance({ seed, runs });
          return told(results, undeserved({}, results.checks));
        },
      },
    ];
  const shapes = INGREDIENTS.filter(({ name }) => name.includes(values.guise));
  return shapes.map((shape) => ({ name: `${seed}, ${shape.name}`, held: () => heldByDisguised(shape, seed) }));
}

const began = performance.now();
let tried = 0;
for (let at = from; at < from + count; at++) {
  for (const { name, held } of trialsOf(`soak-${at}`)) {
    if (state.done.includes(name)) continue;
    for (const one of await held()) {
      const row = { seed: name, ...one };
      state.found.push(row);
      console.log(JSON.stringify(row));
    }
    state.done.push(name);
    tried++;
    if (values.state !== undefined) writeFileSync(values.state, `${JSON.stringify(state)}\n`);
    if (tried % 10 === 0)
      console.log(
        `${tried} runs in ${Math.round((performance.now() - began) / 1000)} s, ${state.found.length} false findings`,
      );
  }
}
console.log(`${state.done.length} runs done, ${state.found.length} false findings`);
process.exit(state.found.length === 0 ? 0 : 1);
