// Runs the whole suite against our own emulator in this process, seed by seed, and counts what is held against it: each
// finding is a false one. Resumable: a state file keeps the seeds that are done.
//
//   npm run soak                                    1,000 seeds at 3 runs per property
//   npm run soak -- --from 200 --count 100          a part of them
//   npm run soak -- --state soak.json               goes on where the file ends
//   npm run soak -- --guises --count 20             servers in disguise, without control interface
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type CheckResult, runConformance } from '../conformance/index.js';
import { run } from '../conformance/run/runner.js';
import { BUFFERING, disguise, GUISES } from '../conformance/testing/guises.js';

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '0' },
    count: { type: 'string' },
    runs: { type: 'string', default: '3' },
    state: { type: 'string' },
    guises: { type: 'boolean', default: false },
    guise: { type: 'string', default: '' },
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
const count = whole(values.count ?? (values.guises ? '20' : '1000'), 'count');
const runs = whole(values.runs, 'runs');
const state: State =
  values.state !== undefined && existsSync(values.state)
    ? (JSON.parse(readFileSync(values.state, 'utf8')) as State)
    : { done: [], found: [] };

async function checksOf(seed: string, guise: string | undefined): Promise<readonly CheckResult[]> {
  if (guise === undefined) return (await runConformance({ seed, runs })).checks;
  const shape = [...GUISES, BUFFERING].find(({ name }) => name === guise);
  if (shape === undefined) throw new Error(`no guise ${guise}`);
  const { driver, host, close } = await disguise(shape, seed);
  try {
    const { checks } = await run({ driver, host, seed, rate: 0 });
    // That streams are held back is true of this one.
    return shape === BUFFERING ? checks.filter(({ id }) => id !== 'chat-stream/as-it-is-said') : checks;
  } finally {
    await close();
  }
}

const guises: (string | undefined)[] = values.guises
  ? [...GUISES, BUFFERING].map(({ name }) => name).filter((name) => name.includes(values.guise))
  : [undefined];
const began = performance.now();
let tried = 0;
for (let at = from; at < from + count; at++) {
  for (const guise of guises) {
    const seed = `soak-${at}`;
    const key = guise === undefined ? seed : `${seed}, ${guise}`;
    if (state.done.includes(key)) continue;
    const bad = (await checksOf(seed, guise)).filter(({ verdict }) => ['fail', 'warn', 'error'].includes(verdict));
    for (const { id, finding, error } of bad) {
      const row = { seed: key, id, what: finding?.what ?? error?.message ?? '', actual: finding?.actual };
      state.found.push(row);
      console.log(JSON.stringify(row));
    }
    state.done.push(key);
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
