// Writes conformance/cli/costs.json, from which `intern-conformance --plan` tells what a run sends: requests, prompts and
// interns of each check with one run of its property and, where that is more, with a hundred. `npx tsx scripts/measure-costs.ts`.
import { writeFileSync } from 'node:fs';
import type { Driver } from '../conformance/drivers/driver.js';
import { startEmulator } from '../conformance/drivers/emulator.js';
import { systemHost as host } from '../conformance/probe/time.js';
import { ruleOf } from '../conformance/rules/check.js';
import { runChecks } from '../conformance/run/runner.js';
import { checks } from '../conformance/scenarios/index.js';

const FILE = 'conformance/cli/costs.json';

/** Requests, prompts and interns. */
type Cost = [requests: number, prompts: number, interns: number];

/** The costs of checks at an emulator in this process, in runs of one seed. */
async function measured(runs: number): Promise<Map<string, Cost>> {
  const { driver, close } = await startEmulator({ host, tag: 'cost' });
  let [prompts, interns] = [0, 0];
  const fetch: Driver['fetch'] = async (request) => {
    const answer = await driver.fetch(request);
    const { pathname } = new URL(request.url);
    if (request.method === 'POST' && answer.ok) {
      if (/\/interns\/[^/]+\/(chat\/completions|invoke)$/.test(pathname)) prompts++;
      if (/\/interns$/.test(pathname)) interns++;
    }
    return answer;
  };
  const costs = new Map<string, Cost>();
  // Nothing goes the quick way: that is not counted.
  const { plainFetch: _, ...slowly } = driver;
  await runChecks({
    driver: { ...slowly, fetch },
    checks: checks.filter((check) => ruleOf(check) === undefined),
    runs,
    seed: 'costs',
    host,
    events: {
      checkEnd({ id, requests }) {
        costs.set(id, [requests, prompts, interns]);
        [prompts, interns] = [0, 0];
      },
    },
  });
  await close();
  return costs;
}

const dear = new Set(checks.flatMap(({ id, minRuns }) => (minRuns === undefined ? [] : [id])));
const [one, many] = [await measured(1), await measured(100)];
const rows = [...many]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([id, cost]) => {
    // One that is left out where there are fewer runs costs the same as soon as it is done.
    const least = dear.has(id) ? cost : (one.get(id) ?? cost);
    const row = String(least) === String(cost) ? [cost] : [least, cost];
    return `  ${JSON.stringify(id)}: ${JSON.stringify(row).replaceAll(',', ', ')}`;
  });
writeFileSync(FILE, `{\n${rows.join(',\n')}\n}\n`);
console.log(FILE);
