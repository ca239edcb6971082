// What each check costs at a deployment, and what it finds there: requests, prompts, interns made and time, with one run
// of each property and as many as a thorough run has, and the deviations that it sees. In process and in virtual time, one
// check after the other, against an emulator without its control interface whose interns do what they are asked.
// A run is put in order, and `--plan` says what it will cost, by these numbers: `write` puts them where they are found,
// and how many deviations each budget finds into docs/ci.md.
//
//   npx tsx bench/kit-requests.ts [write | found]
import { readFileSync, writeFileSync } from 'node:fs';
import { checks } from '../conformance/checks/index.js';
import { deviations } from '../conformance/deviations/index.js';
import { atDeployed, broke, needsControl } from '../conformance/deviations/live.js';
import { showsFrom } from '../conformance/deviations/outside.js';
import { BUDGET_NAMES, BUDGETS, type BudgetName, budgetOf } from '../conformance/engine/budget.js';
import { planned } from '../conformance/engine/order.js';
import { runChecks } from '../conformance/engine/runner.js';
import { type Deployment, deploy } from '../conformance/engine/testing/deployment.js';
import type { Need } from '../conformance/framework/needs.js';

type Cost = readonly [requests: number, prompts: number, interns: number, ms: number];
type Which = 'all' | 'key';

const [what = 'print'] = process.argv.slice(2);
const SEEDS = ['one', 'two', 'three'];
const possible = checks.filter((check) => !needsControl(check));
const file = (path: string) => new URL(`../${path}`, import.meta.url);

const deploymentOf = (which: Which): Deployment => ({
  name: 'obeys every prompt',
  obeys: 1,
  ...(which === 'key' ? { only: ['api_key'] } : { profile: 'openrouter', slow: what === 'print' ? 0 : 35_000 }),
});

/** What every check that can be done costs; `runs` is undefined where a run leaves out what its budget does. */
async function costs(which: Which, runs?: number): Promise<Map<string, Cost>> {
  const { driver, host, close } = await deploy(deploymentOf(which), 'costs');
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
    seed: 'costs',
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

/** The checks that see each deviation that they are named for: with every seed, and with some only. */
async function sightings(runs: number, seeds = SEEDS) {
  const seen: { always: string[]; byChance: string[] }[] = [];
  for (const deviation of OUTSIDE) {
    const named = possible.filter(({ id }) => deviation.caughtBy.includes(id));
    const often = new Map<string, number>();
    for (const seed of named.length === 0 ? [] : seeds)
      for (const row of await atDeployed(deviation, named, { runs, seed }))
        if (broke(row)) often.set(row.id, (often.get(row.id) ?? 0) + 1);
    const ids = [...often.keys()];
    const always = ids.filter((id) => often.get(id) === seeds.length);
    seen.push({ always, byChance: ids.filter((id) => !always.includes(id)) });
  }
  return seen;
}

/**
 * What each check sees, by numbers: equal where two see the same. What it sees with some draws alone, it sees for itself: no
 * other check stands for it.
 */
function numbered(seen: Awaited<ReturnType<typeof sightings>>): Map<string, number[]> {
  const numbers = new Map<string, number[]>();
  let next = 0;
  const add = (id: string, number: number) => numbers.set(id, [...(numbers.get(id) ?? []), number]);
  for (const { always, byChance } of seen) {
    if (always.length > 0) {
      for (const id of always) add(id, next);
      next++;
    } else for (const id of byChance) add(id, next++);
  }
  return numbers;
}

/** How many of the deviations the checks see that a run with a budget does. */
async function found(which: Which, budget: BudgetName, seen: Awaited<ReturnType<typeof sightings>>) {
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
  const able = plan.order.filter((unit) => !unit.needs.some(lacks) && plan.beyond(unit, 0) === undefined);
  const done = new Set(able.map(({ id }) => id));
  return seen.filter(({ always, byChance }) => [...always, ...byChance].some((id) => done.has(id))).length;
}

if (what === 'write') {
  const once = await costs('all', 1);
  const thorough = await costs('all', BUDGETS.thorough.runs);
  const numbers = numbered(await sightings(1));
  const lines = [...once]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([id, row]) => {
      const more = thorough.get(id) ?? row;
      return `  '${id}': [${[...row, ...more, ...(numbers.get(id) ?? [])].join(', ')}],`;
    });
  const path = file('conformance/engine/measured.ts');
  const [head] = readFileSync(path, 'utf8').split('= {');
  writeFileSync(path, `${head}= {\n${lines.join('\n')}\n};\n`);
} else if (what === 'found') {
  const rows = [];
  const once = await sightings(1, ['one']);
  for (const budget of BUDGET_NAMES) {
    const { runs } = BUDGETS[budget];
    const seen = runs === 1 ? once : await sightings(runs, ['one']);
    const cells = [`${await found('all', budget, seen)}`, `${await found('key', budget, seen)}`];
    rows.push(`| \`${budget}\` | ${BUDGETS[budget].requests} | ${cells.join(' | ')} |`);
  }
  const page = readFileSync(file('docs/ci.md'), 'utf8');
  const at = page.indexOf(HEAD);
  if (at < 0) throw new Error(`no table begins with ${JSON.stringify(HEAD)}`);
  const of = `Of ${OUTSIDE.length} [deviations](deviations.md) that show from outside, by one run each.`;
  const table = `${HEAD}|---|---|---|---|\n${rows.join('\n')}\n\n${of}`;
  const end = page.indexOf('\n\n', page.indexOf('\n\n', at) + 2);
  writeFileSync(file('docs/ci.md'), `${page.slice(0, at)}${table}${page.slice(end)}`);
  console.log(table);
} else {
  const all = await costs('all');
  for (const [id, row] of [...all].sort(([, [one]], [, [other]]) => other - one)) console.log(row.join('\t'), id);
  await costs('key');
}
