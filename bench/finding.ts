// How many requests a finding costs: what a default run with every credential sends to a deployment that is wrong in one way,
// beyond what it sends to the right one, for each finding that it tells. `MUTANTS=12` says how many are drawn.

import { mutants } from '../conformance/mutants/index.js';
import { deployed } from '../conformance/mutants/live.js';
import { broke } from '../conformance/mutants/matrix.js';
import { isSeen, readMeasured } from '../conformance/mutants/seen.js';
import { groups } from '../conformance/report/groups.js';
import { runChecks } from '../conformance/run/runner.js';
import { checks } from '../conformance/scenarios/index.js';
import { report } from './lib.js';

const SEED = 'bench';
const many = Number(process.env.MUTANTS ?? 12);

/** Requests of a whole run, requests until its first finding, and findings. */
async function spent(mutation: (typeof mutants)[number]['mutation']) {
  const { driver, host, close } = await deployed({ mutation }, SEED);
  let sent = 0;
  let first: number | undefined;
  const counted = Object.assign(Object.create(driver) as typeof driver, {
    fetch: (request: Request) => {
      sent++;
      return driver.fetch(request);
    },
  });
  const events = {
    checkEnd(row: Parameters<typeof broke>[0]) {
      if (broke(row)) first ??= sent;
    },
  };
  try {
    const results = await runChecks({ driver: counted, host, checks, runs: 1, seed: SEED, rate: 0, events });
    const { requests, stopped } = results;
    return { sent: requests, first, stopped, findings: groups(results.checks.filter(broke)).length };
  } finally {
    await close();
  }
}

const { mutants: measured } = readMeasured();
const shown = mutants.filter(({ name }) => {
  const outcome = measured[name]?.all;
  return outcome !== undefined && isSeen(outcome);
});
const drawn = shown.filter(
  (_, at) => Math.floor((at * many) / shown.length) !== Math.floor(((at - 1) * many) / shown.length),
);
const right = await spent({});
console.log(`right: ${right.sent} requests, ${right.findings} findings`);
const rows = [];
for (const { name, mutation } of drawn) {
  const row = await spent(mutation);
  console.log(
    `${name}: ${row.sent - right.sent} requests more, ${row.findings} findings, the first after ${row.first}`,
  );
  rows.push(row);
}
// A run that stops for what it found has spent nothing on it.
const found = rows.filter(({ findings, stopped }) => findings > 0 && stopped === undefined);
const more = found.map(({ sent, findings }) => (sent - right.sent) / findings).sort((one, other) => one - other);
const median = Math.round(more[Math.floor(more.length / 2)] ?? 0);
const most = Math.round(more.at(-1) ?? 0);
report(
  'requests spent on one finding',
  `${median} (median of ${found.length} deployments that are wrong in one way; at most ${most})`,
  '≤ 40',
  found.length > 0 && median <= 40,
);
