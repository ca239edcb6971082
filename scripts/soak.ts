// Runs the whole suite against our own emulator in this process, seed by seed, and counts what is held against it: each
// finding is a false one, and each run that does not end well for another reason is told too. Resumable: a state file keeps the seeds that are done.
//
//   npm run soak                                    1,000 seeds at 3 runs per property
//   npm run soak -- --from 200 --count 100          a part of them
//   npm run soak -- --state soak.json               goes on where the file ends
//   npm run soak -- --guises --count 20             servers in disguise, without control interface
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runConformance } from '../conformance/index.js';
import type { Results } from '../conformance/run/results.js';
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

const told = ({ checks, exit, reasons }: Results) => {
  const bad = checks.filter(({ verdict }) => ['fail', 'warn', 'error'].includes(verdict));
  const held = bad.map(({ id, finding, error }) => ({
    id,
    what: finding?.what ?? error?.message ?? '',
    actual: finding?.actual as unknown,
  }));
  return exit !== 0 && held.length === 0 ? [{ id: `exit ${exit}`, what: reasons.join('; '), actual: undefined }] : held;
};

/** What is held against the target, and why a run that holds nothing against it did not end well. */
async function heldBy(seed: string, guise: string | undefined): Promise<Omit<State['found'][number], 'seed'>[]> {
  if (guise === undefined) return told(await runConformance({ seed, runs }));
  const shape = [...GUISES, BUFFERING].find(({ name }) => name === guise);
  if (shape === undefined) throw new Error(`no guise ${guise}`);
  const { driver, host, close } = await disguise(shape, seed);
  try {
    const held = told(await run({ driver, host, seed, rate: 0 }));
    // That streams are held back is true of this one.
    return shape === BUFFERING ? held.filter(({ id }) => id !== 'chat-stream/as-it-is-said') : held;
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
    for (const held of await heldBy(seed, guise)) {
      const row = { seed: key, ...held };
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
