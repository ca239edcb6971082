import { byKey } from '../../emulator/contract/by-key.js';
import { counted } from '../../emulator/contract/counted.js';
import type { Driver } from '../drivers/driver.js';
import { startEmulator } from '../drivers/emulator.js';
import type { Check } from '../framework/check.js';
import type { Need } from '../framework/needs.js';
import type { Stop } from '../framework/stop.js';
import type { Host } from '../probe/time.js';
import { skipWords } from '../report/words/skip.js';
import { lackText } from '../report/words/stop.js';
import { settingsOf } from '../run/options.js';
import { asUnit, inOrder, prompts as isPrompting, runChecks } from '../run/runner.js';
import type { Settings } from './settings.js';

/** Turns of a caller that an emulator takes in a minute (CHAT-17). No limit of a deployment is stated. */
const TURNS = 60;
const UNLIMITED = Number.POSITIVE_INFINITY;

const minutes = (ms: number) => counted(Math.max(1, Math.ceil(ms / 60_000)), 'minute');

interface PlanOptions {
  readonly settings: Settings;
  readonly driver: Driver;
  /** The checks of the run, as it selects them. */
  readonly checks: readonly Check[];
  readonly host: Host;
  /** Ends the rehearsal early. */
  readonly signal: AbortSignal;
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

/** The cost of each check that `driver` can do, and of the requests around them, measured against an emulator in this process. */
async function rehearsed({ settings, driver, checks, host, signal }: PlanOptions, runs: number) {
  const rehearsal = await startEmulator({
    host,
    tag: host.tag(4),
    readOnly: settings.readOnly,
    profile: driver.target.profile,
  });
  let [prompts, interns] = [0, 0];
  const fetch: Driver['fetch'] = async (request) => {
    const answer = await rehearsal.driver.fetch(request);
    const { pathname } = new URL(request.url);
    if (request.method === 'POST' && answer.ok) {
      if (/\/interns\/[^/]+\/(chat\/completions|invoke)$/.test(pathname)) prompts++;
      if (/\/interns$/.test(pathname)) interns++;
    }
    return answer;
  };
  const costs = new Map<string, Cost>();
  let before = { prompts, interns };
  // Nothing goes the quick way: that is not counted.
  const { plainFetch: _, ...slowly } = rehearsal.driver;
  try {
    const { duration, requests } = await runChecks({
      driver: { ...slowly, fetch, lacks: (need) => driver.lacks(need) ?? rehearsal.driver.lacks(need) },
      checks,
      runs,
      rate: 0,
      readOnly: settings.readOnly,
      seed: settings.seed,
      host,
      signal,
      events: {
        checkEnd({ id, requests }) {
          costs.set(id, { requests, prompts: prompts - before.prompts, interns: interns - before.interns });
          before = { prompts, interns };
        },
      },
    });
    const { requests: ofChecks } = [...costs.values()].reduce(sumOf, NOTHING);
    return { costs, around: requests - ofChecks, duration };
  } finally {
    await rehearsal.close();
  }
}

/**
 * The plan of a run: requests, writes and skips. The numbers come from a rehearsal: the same checks, with the needs that the target
 * meets, against an emulator in this process. Nothing is sent to the target.
 */
export async function plan(options: PlanOptions): Promise<string> {
  const { settings, driver, checks } = options;
  const controlled = driver.control !== undefined;
  const lines: string[] = [];
  const { free, limits, rate, runs } = settingsOf({ ...settings, baseline: undefined, driver });
  const { costs, around, duration } = await rehearsed(options, runs);
  /** ms that a run takes at the least. Turns wait for nothing where the clock can be moved. */
  const timeOf = ({ requests, prompts }: Cost): number =>
    Math.max(controlled ? duration : (prompts / TURNS) * 60_000, rate > 0 ? (requests / rate) * 1_000 : 0);
  const missing: { readonly id: string; readonly why: string }[] = [];
  const beyond: typeof missing = [];
  let total: Cost = { ...NOTHING, requests: around };
  /** The limit that a cost exceeds; undefined if there is room. */
  const over = (all: Cost, prompting: boolean): Stop | undefined => {
    if (all.requests > limits.requests.most) return limits.requests.stop;
    if (prompting && all.prompts > limits.prompts.most) return limits.prompts.stop;
    return !controlled && timeOf(all) > limits.time.most ? limits.time.stop : undefined;
  };
  const units = checks.map(asUnit);
  for (const check of free ? units : inOrder(units, (need) => driver.lacks(need as Need) !== undefined)) {
    const lacking = check.needs.map((need) => driver.lacks(need)).find((lack) => lack !== undefined);
    if (lacking !== undefined) {
      missing.push({ id: check.id, why: `that need ${lacking.need}: ${lackText(lacking)}` });
      continue;
    }
    const cost = costs.get(check.id) ?? NOTHING;
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
  const { requests, prompts, interns } = total;
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
    `In all about ${counted(prompts, 'prompt')}, ${minutes(timeOf(total))}, ${counted(requests, 'request')}, ${counted(interns, 'intern')}${pace}.`,
    ...(most.length === 0 ? [] : [`It never takes more than ${most.join(', ')}.`]),
    'The interns it makes itself, and deletes them: their names begin with k, four characters and a hyphen.',
    'The numbers are of a rehearsal against an emulator in this process; boots that take longer come on top.',
    'Nothing was sent to the target.',
    '',
    ...lines,
    '',
  ].join('\n');
}
