// How many ways to be wrong a run of the kit finds, of samples that an independent reader of interface.md made without
// looking at the checks: one deployment with every credential for each way and seed, in process and in virtual time.
// Half of the last sample was never shown to those who wrote the checks that its first measurement called for.
//
//   npx tsx bench/independent/run.ts [--budget default] [--seeds a,b] [--sample hidden] [--only NAME] [--rate 20] [--part 1/2] [--json FILE]

import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { budgetNamed } from '../../conformance/run/limits.js';
import { run } from '../../conformance/run.js';
import { blind } from './blind/index.js';
import { blind27 } from './blind27/index.js';
import { blind28 } from './blind28/index.js';
import { blind29 } from './blind29/index.js';
import { blind30 } from './blind30/index.js';
import { blind31 } from './blind31/index.js';
import { blind32 } from './blind32/index.js';
import { blind33 } from './blind33/index.js';
import { blind34 } from './blind34/index.js';
import { lawful30 } from './lawful30/index.js';
import { lawful31 } from './lawful31/index.js';
import { lawful34 } from './lawful34/index.js';
import { lawful35 } from './lawful35/index.js';
import { lawful36 } from './lawful36/index.js';
import { newer } from './newer/index.js';
import { ways } from './ways/index.js';
import { deployWay, type Way } from './world.js';

const { values } = parseArgs({
  options: {
    budget: { type: 'string', default: 'default' },
    seeds: { type: 'string', default: 'a,b' },
    sample: { type: 'string' },
    only: { type: 'string' },
    rate: { type: 'string', default: '20' },
    part: { type: 'string', default: '1/1' },
    json: { type: 'string' },
  },
});
const budget = budgetNamed(values.budget);
const seeds = values.seeds.split(',');
/** The nth of so many ways each, so that several processes share a sample. */
const [part = 1, parts = 1] = values.part.split('/').map(Number);

const SAMPLES: readonly (readonly [name: string, ways: readonly Way[]])[] = [
  // The second, the fourth, and so on were shown.
  ['2026-11-23 shown', ways.filter((_, at) => at % 2 === 1)],
  ['2026-11-23 hidden', ways.filter((_, at) => at % 2 === 0)],
  ['2026-11-23b', newer],
  // By a reader of interface.md alone, after rules and rows were written; its misses are on no page.
  ['2026-11-23c', blind],
  // Likewise, before its writer saw anything of the kit.
  ['2026-11-27', blind27],
  // By another reader of interface.md alone. The misses of the first, the third, and so on were shown.
  ['2026-11-28 shown', blind28.filter((_, at) => at % 2 === 0)],
  ['2026-11-28 hidden', blind28.filter((_, at) => at % 2 === 1)],
  // By a further reader of interface.md alone, before its writer saw anything of the kit.
  ['2026-11-29', blind29],
  // By one more reader of interface.md alone, before its writer saw anything of the kit.
  ['2026-11-29b', blind30],
  // By a third reader of that day, of interface.md alone, before its writer saw anything of the kit.
  ['2026-11-29c', blind31],
  // By a reader of the next day, of interface.md alone, before its writer saw anything of the kit.
  ['2026-11-30', blind32],
  // By another reader of that day, of interface.md alone, before its writer saw anything of the kit.
  ['2026-11-30b', blind33],
  // By a reader of the day after, of interface.md alone, before its writer saw anything of the kit.
  ['2026-12-01', blind34],
  // Odd but lawful services by a reader of both texts, before its writer saw anything of the kit.
  ['2026-11-29 lawful', lawful30],
  // Further ones by another reader of both texts, before its writer saw anything of the kit.
  ['2026-11-29 lawful b', lawful31],
  // Ones that keep what is stated and differ in what is published too, by a reader who had seen nothing of the kit.
  ['2026-12-01 lawful', lawful34],
  // Gateways, replicas, limits and combinations, by a further reader of both texts who had seen nothing of the kit.
  ['2026-12-01b lawful', lawful35],
  // Production-grade gateways, databases, models and administrators, by one more such reader.
  ['2026-12-01c lawful36', lawful36],
];

/** Checks that failed until the first did, with one seed, and how often the way showed. */
async function measured(way: Way, seed: string) {
  const { deployed, hits } = await deployWay(way, seed);
  try {
    const { driver, host } = deployed;
    // A finding stays, whatever comes after it.
    const over = new AbortController();
    const checkEnd = ({ verdict }: { readonly verdict: string }) => (verdict === 'fail' ? over.abort() : undefined);
    const { checks } = await run({
      driver,
      host,
      seed,
      rate: Number(values.rate),
      budget,
      events: { checkEnd },
      signal: over.signal,
    });
    return { hits: hits(), failed: checks.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id) };
  } finally {
    await deployed.close();
  }
}

/** Whether a sample has the name, or, if none has, the name in its own. */
const chosen = (sample: string, name: string): boolean =>
  SAMPLES.some(([one]) => one === name) ? sample === name : sample.includes(name);

const totals: string[] = [];
let known = false;
for (const [sample, all] of SAMPLES) {
  if (values.sample !== undefined && !chosen(sample, values.sample)) continue;
  const counted: string[] = [];
  const always: string[] = [];
  const once: string[] = [];
  const quiet: string[] = [];
  const blamed: string[] = [];
  for (const [at, way] of all.entries()) {
    if (at % parts !== part - 1) continue;
    const { name, unseen, lawful } = way;
    if (values.only !== undefined && name !== values.only) continue;
    known = true;
    if (unseen !== undefined) {
      console.log(`${sample}: ${name}: not counted, ${unseen}`);
      continue;
    }
    const runs = [];
    for (const seed of seeds) runs.push({ seed, ...(await measured(way, seed)) });
    const found = runs.filter(({ failed }) => failed.length > 0);
    const hits = runs.reduce((sum, one) => sum + one.hits, 0);
    if (lawful === true) {
      if (found.length > 0) blamed.push(name);
    } else {
      counted.push(name);
      if (found.length === seeds.length) always.push(name);
      if (found.length > 0) once.push(name);
      else if (hits === 0) quiet.push(name);
    }
    const verdict =
      found.length > 0 ? `found with ${found.length} of ${seeds.length}` : hits > 0 ? 'missed' : 'not triggered';
    const by = [...new Set(found.flatMap(({ failed }) => failed))].slice(0, 3).join(', ');
    console.log(`${sample}: ${name}: ${verdict}${lawful === true ? ' (lawful)' : ''}, shown ${hits} times ${by}`);
    if (values.json !== undefined)
      appendFileSync(values.json, `${JSON.stringify({ sample, way: name, lawful, budget, runs })}\n`);
  }
  const share = (some: readonly string[]) => `${some.length} (${Math.round((100 * some.length) / counted.length)} %)`;
  if (counted.length > 0)
    totals.push(
      `${sample}: of ${counted.length} ways ${share(always)} found with each of ${seeds.length} seeds, ${share(once)} with one; ` +
        `${quiet.length} of the others never showed. Lawful ones blamed: ${blamed.join(', ') || 'none'}`,
    );
}
if (!known) throw new Error(`no such way: ${values.only ?? values.sample ?? ''}`);
console.log(totals.join('\n'));
process.exit(0);
