// What each check costs at a deployment, and what it finds there: requests, prompts, interns made and time, with one run
// of each property and as many as a thorough run has, and how often it sees each deviation. In process and in virtual time,
// one check after the other, against an emulator without its control interface whose interns do what they are asked. Costs
// are the mean of all seeds. A run is put in order, and `--plan` says what it will cost, by these numbers: `write` puts them
// into conformance/engine/measured.json, and `found` how many deviations each budget finds into docs/ci.md.
//
//   npx tsx bench/kit-requests.ts [write | found]
import { readFileSync, writeFileSync } from 'node:fs';
import { checks } from '../conformance/checks/index.js';
import { deviations } from '../conformance/deviations/index.js';
import { atDeployed, broke, needsControl } from '../conformance/deviations/live.js';
import { showsFrom } from '../conformance/deviations/outside.js';
import { isSeen, readMeasured } from '../conformance/deviations/seen.js';
import { BUDGET_NAMES, BUDGETS, type BudgetName, budgetOf } from '../conformance/engine/budget.js';
import { planned, sightings } from '../conformance/engine/order.js';
import { runChecks } from '../conformance/engine/runner.js';
import { type Deployment, deploy } from '../conformance/engine/testing/deployment.js';
import type { Need } from '../conformance/framework/needs.js';

type Cost = readonly [requests: number, prompts: number, interns: number, ms: number];
type Which = 'all' | 'key';

const [what = 'print'] = process.argv.slice(2);
const SEEDS = ['one', 'two', 'three', 'four', 'five'];
const possible = checks.filter((check) => !needsControl(check));
const file = (path: string) => new URL(`../${path}`, import.meta.url);

const deploymentOf = (which: Which): Deployment => ({
  name: 'obeys every prompt',
  obeys: 1,
  ...(which === 'key' ? { only: ['api_key'] } : { profile: 'openrouter', slow: what === 'print' ? 0 : 35_000 }),
});

/** What every check that can be done costs; `runs` is undefined where a run leaves out what its budget does. */
async function costs(which: Which, runs?: number, seed = 'costs'): Promise<Map<string, Cost>> {
  const { driver, host, close } = await deploy(deploymentOf(which), seed);
  let [prompts, interns] = [0, 0];
  const fetch: typeof driver.fetch = async (request) => {
    const answer = await driver.fetch(request);
    const { pathname } = new URL(request.url);
    if (request.method === 'POST' && /\/(chat\/completions|invoke)$/.test(pathname) && answer.ok) prompts++;
    if (request.method === 'POST' && /\/interns$/.test(pathname) && answer.status === 201) interns++;
    return answer;
  };
  const found = new Map<string, Cost>();
  let before = [0, 0];
  const results = await runChecks({
    driver: { ...driver, fetch },
    host,
    checks,
    seed,
    rate: 0,
    concurrency: 1,
    blocking: false,
    ...(runs === undefined ? {} : runs === 1 ? { maxRequests: 1_000_000 } : { budget: 'thorough' }),
    events: {
      checkEnd({ id, requests, duration }) {
        const [p = 0, i = 0] = before;
        if (requests > 0) found.set(id, [requests, prompts - p, interns - i, duration]);
        before = [prompts, interns];
      },
    },
  });
  await close();
  console.log(
    `${which}${runs === undefined ? '' : `, ${runs} of each property`}: ${results.requests} requests, ${prompts} prompts, ${results.cleanup.created} interns, ${JSON.stringify(results.counts)}`,
  );
  return found;
}

/** How the table of budgets begins. */
const HEAD = '| `--budget` | requests | found with every credential | found with an API key alone |\n';

const OUTSIDE = deviations.filter((one) => showsFrom(one, checks).kind === 'outside');

/**
 * With how many of the seeds each check sees each deviation that it is named for, or that a whole run found by it: by
 * deviation, then by check.
 */
async function seenWith(runs: number, seeds: readonly string[]) {
  const seen = new Map<string, Map<string, number>>();
  const lately = readMeasured().deviations;
  for (const deviation of OUTSIDE) {
    const row = lately[deviation.name]?.all;
    const first = row !== undefined && isSeen(row) ? [row.seen] : [];
    const named = possible.filter(({ id }) => [...deviation.caughtBy, ...first].includes(id));
    const often = new Map<string, number>();
    for (const seed of named.length === 0 ? [] : seeds)
      for (const row of await atDeployed(deviation, named, { runs, seed }))
        if (broke(row)) often.set(row.id, (often.get(row.id) ?? 0) + 1);
    seen.set(deviation.name, often);
  }
  return seen;
}

/** The mean of what each check cost with each seed, to a tenth. */
function mean(all: readonly ReadonlyMap<string, Cost>[]): Map<string, number[]> {
  const ids = new Set(all.flatMap((costs) => [...costs.keys()]));
  return new Map(
    [...ids].map((id) => {
      const rows = all.flatMap((costs) => [costs.get(id) ?? []]).filter((row) => row.length > 0);
      const of = (at: number) => rows.reduce((sum, row) => sum + (row[at] ?? 0), 0) / rows.length;
      return [id, [0, 1, 2, 3].map((at) => Math.round(of(at) * (at === 3 ? 1 : 10)) / (at === 3 ? 1 : 10))];
    }),
  );
}

/** How many deviations the checks are expected to see that a run with a budget does. */
async function found(which: Which, budget: BudgetName): Promise<number> {
  const { driver, close } = await deploy(deploymentOf(which), 'costs');
  const units = checks.map((check) => ({
    ...check,
    heads: [],
    needs: needsControl(check) ? ['control'] : check.needs,
  }));
  const lacks = (need: string) => driver.lacks(need as Need) !== undefined;
  const { runs } = BUDGETS[budget];
  const plan = planned(units, { part: units, lacks, budget: budgetOf({ budget }), runs, named: false });
  await close();
  const done = plan.order.filter((unit) => !unit.needs.some(lacks) && plan.beyond(unit, { sent: 0 }) === undefined);
  const missed = new Map<string, number>();
  for (const [name, chance] of done.flatMap(({ id }) => sightings(id) ?? []))
    missed.set(name, (missed.get(name) ?? 1) * (1 - chance) ** runs);
  return Math.round([...missed.values()].reduce((sum, chance) => sum + 1 - chance, 0));
}

if (what === 'write') {
  const all: Map<string, Cost>[] = [];
  for (const seed of SEEDS) all.push(await costs('all', 1, seed));
  const once = mean(all);
  const thorough = await costs('all', BUDGETS.thorough.runs);
  const seen = await seenWith(1, SEEDS);
  const lines = [...once]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([id, row]) => {
      const sees = [...seen].flatMap(([name, often]) => (often.has(id) ? [[name, often.get(id)]] : []));
      const found = sees.length === 0 ? {} : { sees: Object.fromEntries(sees) };
      return `    ${JSON.stringify(id)}: ${JSON.stringify({ once: row, thorough: thorough.get(id) ?? row, ...found })}`;
    });
  const path = file('conformance/engine/measured.json');
  writeFileSync(path, `{\n  "seeds": ${SEEDS.length},\n  "checks": {\n${lines.join(',\n')}\n  }\n}\n`);
} else if (what === 'found') {
  const rows = [];
  for (const budget of BUDGET_NAMES)
    rows.push(
      `| \`${budget}\` | ${BUDGETS[budget].requests} | ${await found('all', budget)} | ${await found('key', budget)} |`,
    );
  const page = readFileSync(file('docs/ci.md'), 'utf8');
  const at = page.indexOf(HEAD);
  if (at < 0) throw new Error(`no table begins with ${JSON.stringify(HEAD)}`);
  const of = `Of ${OUTSIDE.length} [deviations](deviations.md) that show from outside, as the checks that name them, or that a whole run found them by, saw them with ${SEEDS.length} seeds.`;
  const table = `${HEAD}|---|---|---|---|\n${rows.join('\n')}\n\n${of}`;
  const end = page.indexOf('\n\n', page.indexOf('\n\n', at) + 2);
  writeFileSync(file('docs/ci.md'), `${page.slice(0, at)}${table}${page.slice(end)}`);
  console.log(table);
} else {
  const all = await costs('all');
  for (const [id, row] of [...all].sort(([, [one]], [, [other]]) => other - one)) console.log(row.join('\t'), id);
  await costs('key');
}
