import { byKey } from '../../emulator/contract/by-key.js';
import { counted } from '../../emulator/contract/counted.js';
import type { Driver } from '../drivers/driver.js';
import type { Check } from '../framework/check.js';
import type { Need } from '../framework/needs.js';
import type { Stop } from '../framework/stop.js';
import { skipWords } from '../report/words/skip.js';
import { lackText } from '../report/words/stop.js';
import { settingsOf } from '../run/options.js';
import { type asUnit, inOrder, prompts as isPrompting } from '../run/runner.js';
import measured from './costs.json' with { type: 'json' };
import type { Settings } from './settings.js';

/** Turns of a caller that a deployment takes in a minute (interface.md). */
const TURNS = 60;
const UNLIMITED = Number.POSITIVE_INFINITY;

const minutes = (ms: number) => counted(Math.max(1, Math.ceil(ms / 60_000)), 'minute');

interface PlanOptions {
  readonly settings: Settings;
  readonly driver: Driver;
  /** The checks of the run, as it selects them. */
  readonly units: readonly (ReturnType<typeof asUnit> & Required<Pick<Check, 'minRuns' | 'maxRuns'>>)[];
}

/** The requests of a check, or of several. */
interface Cost {
  readonly requests: number;
  readonly prompts: number;
  readonly interns: number;
}
const NOTHING: Cost = { requests: 0, prompts: 0, interns: 0 };
const sumOf = (one: Cost, other: Cost): Cost => ({
  requests: one.requests + other.requests,
  prompts: one.prompts + other.prompts,
  interns: one.interns + other.interns,
});

/**
 * Measured costs by check: requests, prompts and interns with one run of its property and, where that is more, with
 * {@link MANY}.
 */
const COSTS: Readonly<Record<string, readonly (readonly number[])[] | undefined>> = measured;
const MANY = 100;

/** The cost of a check with `runs` runs of its property. Rules, and checks that need more runs, cost nothing. */
function costOf({ id, minRuns, maxRuns }: PlanOptions['units'][number], runs: number): Cost {
  const [one, many = one] = COSTS[id] ?? [];
  if (one === undefined || runs < minRuns) return NOTHING;
  const share = (Math.min(runs, maxRuns) - 1) / (Math.min(MANY, maxRuns) - 1 || 1);
  const [requests = 0, prompts = 0, interns = 0] = one.map((least, at) =>
    Math.round(least + ((many?.[at] ?? least) - least) * share),
  );
  return { requests, prompts, interns };
}

/** Requests of a run, with those that delete its interns. */
const requestsOf = ({ requests, interns }: Cost): number => requests + interns;

/**
 * The plan of a run: requests, writes and skips. Its numbers were measured at an emulator, with `npx tsx scripts/measure-costs.ts`. Nothing is
 * sent to the target.
 */
export function plan({ settings, driver, units }: PlanOptions): string {
  const controlled = driver.control !== undefined;
  const lines: string[] = [];
  const { free, limits, rate, runs } = settingsOf({ ...settings, baseline: undefined, driver });
  /** ms that a run takes at the least. Turns wait for nothing where the clock can be moved. */
  const timeOf = (cost: Cost): number =>
    Math.max(rate > 0 ? (requestsOf(cost) / rate) * 1_000 : 0, controlled ? 0 : (cost.prompts / TURNS) * 60_000);
  const missing: { readonly id: string; readonly why: string }[] = [];
  const beyond: typeof missing = [];
  let total = NOTHING;
  /** The limit that a cost exceeds; undefined if there is room. */
  const over = (all: Cost, prompting: boolean): Stop | undefined => {
    if (requestsOf(all) > limits.requests.most) return limits.requests.stop;
    if (prompting && all.prompts > limits.prompts.most) return limits.prompts.stop;
    return !controlled && timeOf(all) > limits.time.most ? limits.time.stop : undefined;
  };
  for (const check of free ? units : inOrder(units, (need) => driver.lacks(need as Need) !== undefined)) {
    const lacking = check.needs.map((need) => driver.lacks(need)).find((lack) => lack !== undefined);
    if (lacking !== undefined) {
      missing.push({ id: check.id, why: `that need ${lacking.need}: ${lackText(lacking)}` });
      continue;
    }
    const cost = costOf(check, runs);
    const all = sumOf(total, cost);
    const stop = over(all, isPrompting(check));
    if (stop !== undefined && !check.watches) {
      const { why } = skipWords({ kind: 'stopped', because: { kind: 'over', stop } });
      beyond.push({ id: check.id, why: `beyond the budget: ${why}` });
      continue;
    }
    total = all;
    const writes = check.needs.some((need) => need === 'write' || need === 'running' || need === 'own_key');
    lines.push(
      `  run   ${check.id}  ${check.requirement} ${check.level}  ${check.title}  about ${cost.requests} requests${writes ? ', writes' : ''}`,
    );
  }
  for (const [why, skipped] of byKey([...missing, ...beyond], (one) => one.why))
    lines.push('', `  skip  ${skipped.length} ${why}`, ...skipped.map(({ id }) => `        ${id}`));
  const { prompts, interns } = total;
  const limited = (of: string, { most }: { readonly most: number }, shown: string) =>
    most === UNLIMITED ? [] : [`${shown} (${of})`];
  const most = [
    ...limited('--max-prompts', limits.prompts, counted(limits.prompts.most, 'prompt')),
    ...limited('--max-time', limits.time, `${limits.time.most / 1_000} s`),
    ...limited('--max-requests', limits.requests, counted(limits.requests.most, 'request')),
  ];
  const pace = rate > 0 ? ` at ${rate} requests a second` : '';
  return [
    `Plan for ${driver.target.baseUrl} (${driver.target.kind}, profile ${driver.target.profile.name})`,
    `In all about ${counted(prompts, 'prompt')}, ${minutes(timeOf(total))}, ${counted(requestsOf(total), 'request')}, ${counted(interns, 'intern')}${pace}.`,
    ...(most.length === 0 ? [] : [`It never takes more than ${most.join(', ')}.`]),
    'The interns it makes itself, and deletes them: their names begin with k, four characters and a hyphen.',
    'The numbers were measured at an emulator; boots that take longer come on top.',
    'Nothing was sent to the target.',
    '',
    ...lines,
    '',
  ].join('\n');
}
