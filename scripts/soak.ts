// Runs the whole suite against our own emulator in this process, seed by seed, and counts wrong results: undeserved
// findings, missed findings, and runs that end badly for another reason. A check that gets no verdict for a reason that
// the run gives and the server has is reported and not counted. Resumable: a state file keeps the seeds that are done.
//
//   npm run soak                                    1,000 seeds at 3 runs per property
//   npm run soak -- --from 200 --count 100          a part of them
//   npm run soak -- --state soak.json               goes on where the file ends
//   npm run soak -- --each --count 20               each of the lawful deployments, without control interface
//   npm run soak -- --mix 3 --count 300             each seed another that has three of their habits at once
//   npm run soak -- --mix 3 --key                   the same, with an API key alone
//   npm run soak -- --mix 3 --published             the same, at a service that is held to the published API
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createValues } from '../conformance/cli/values.js';
import { runConformance } from '../conformance/index.js';
import { run } from '../conformance/run.js';
import { deploy } from '../test/targets/deployment.js';
import type { Known } from '../test/targets/deployments.js';
import { INGREDIENTS, type MixResult, mixOf, resultsOf } from '../test/targets/mixes.js';

const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    count: { type: 'string' },
    runs: { type: 'string' },
    state: { type: 'string' },
    each: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    mix: { type: 'string' },
    key: { type: 'boolean', default: false },
    published: { type: 'boolean', default: false },
  },
});

interface State {
  done: string[];
  found: (MixResult & { seed: string })[];
}

const { whole } = createValues(values);
const from = whole('from', 0) ?? 0;
const mix = whole('mix', 0);
const count = whole('count', 0) ?? (values.each ? 20 : 1000);
const runs = whole('runs', 0) ?? 3;
const state: State =
  values.state !== undefined && existsSync(values.state)
    ? (JSON.parse(readFileSync(values.state, 'utf8')) as State)
    : { done: [], found: [] };

async function ofDeployed(known: Known, seed: string): Promise<MixResult[]> {
  const shape: Known = values.published ? { ...known, profile: 'openrouter' } : known;
  const { driver, host, close } = await deploy(values.key ? { ...shape, only: ['api_key'] } : shape, seed);
  try {
    return resultsOf(shape, await run({ driver, host, seed, rate: 0 }));
  } finally {
    await close();
  }
}

/** A run by its name, and what to look at in it. */
interface Trial {
  readonly name: string;
  results(): Promise<MixResult[]>;
}

function trialsOf(seed: string): Trial[] {
  if (mix !== undefined) {
    const shape = mixOf(seed, mix);
    return [{ name: `${seed}, ${shape.name}`, results: () => ofDeployed(shape, seed) }];
  }
  if (!values.each)
    return [
      {
        name: seed,
        results: async () => resultsOf({}, await runConformance({ seed, runs })),
      },
    ];
  const shapes = INGREDIENTS.filter(({ name }) => name.includes(values.only));
  return shapes.map((shape) => ({ name: `${seed}, ${shape.name}`, results: () => ofDeployed(shape, seed) }));
}

const counted = (): string => {
  const wrong = state.found.filter(({ expected }) => expected !== true).length;
  return `${wrong} reported wrongly, ${state.found.length - wrong} rightly without a verdict`;
};

const began = performance.now();
let tried = 0;
for (let at = from; at < from + count; at++) {
  for (const { name, results } of trialsOf(`soak-${at}`)) {
    if (state.done.includes(name)) continue;
    for (const one of await results()) {
      const row = { seed: name, ...one };
      state.found.push(row);
      console.log(JSON.stringify(row));
    }
    state.done.push(name);
    tried++;
    if (values.state !== undefined) writeFileSync(values.state, `${JSON.stringify(state)}\n`);
    if (tried % 10 === 0)
      console.log(`${tried} runs in ${Math.round((performance.now() - began) / 1000)} s, ${counted()}`);
  }
}
console.log(`${state.done.length} runs done, ${counted()}`);
process.exit(state.found.every(({ expected }) => expected) ? 0 : 1);
