import type { Driver } from '../drivers/driver.js';
import { startEmulator } from '../drivers/emulator.js';
import { BUDGETS, budgetOf } from '../engine/budget.js';
import { type Cost, costOf, planned, requestsOf } from '../engine/order.js';
import { runChecks } from '../engine/runner.js';
import type { Check } from '../framework/check.js';
import type { Need } from '../framework/needs.js';
import type { Host } from '../probe/time.js';
import { counted } from '../reporters/counted.js';
import { lackText } from '../reporters/words/need.js';
import { skipWords } from '../reporters/words/skip.js';
import type { Settings } from './settings.js';
import { given } from './values.js';

/** Turns that a deployment takes of a caller in a minute (interface.md). */
const TURNS = 60;
interface Totals {
  readonly requests: number;
  readonly prompts: number;
  readonly interns: number;
  /** ms at the least. */
  readonly time: number;
}

/** What checks cost at a deployment, by what each was measured to cost: so many lanes are at work at once. */
export function totalsOf(ids: readonly string[], rate: number, { lanes = 4, runs = 1 } = {}): Totals {
  const rows = ids.flatMap((id) => costOf(id, runs) ?? []);
  const sum = (of: keyof Cost) => rows.reduce((all, row) => all + row[of], 0);
  const [prompts, interns] = [Math.round(sum('prompts')), Math.round(sum('interns'))];
  const requests = Math.ceil(requestsOf({ requests: sum('requests'), interns }));
  const paced = rate > 0 ? (requests / rate) * 1_000 : 0;
  return { requests, prompts, interns, time: Math.max(paced, (prompts / TURNS) * 60_000, sum('time') / lanes) };
}

const minutes = (ms: number) => counted(Math.max(1, Math.ceil(ms / 60_000)), 'minute');

export interface PlanOptions {
  readonly settings: Settings;
  readonly driver: Driver;
  readonly checks: readonly Check[];
  /** Those of every shard; without it, `checks`. */
  readonly whole?: readonly Check[];
  readonly host: Host;
}

/** A check as a run has it: what is chosen needs a control interface. */
const asUnit = (check: Check) => ({
  ...check,
  needs: check.level === 'C' ? (['control', ...check.needs] as const) : check.needs,
});

/** What a run of the checks would spend its budget on. */
function spendingOf({ settings, driver, checks, whole = checks }: PlanOptions, runs: number) {
  const units = whole.map(asUnit);
  const ids = new Set(checks.map(({ id }) => id));
  return planned(units, {
    part: units.filter(({ id }) => ids.has(id)),
    lacks: (need) => driver.lacks(need as Need) !== undefined,
    budget: budgetOf(given({ budget: settings.budget, maxRequests: settings.maxRequests })),
    runs,
    named: settings.only.length > 0,
  });
}

/** What the checks that `driver` can do cost at an emulator: as they did against one in this process. */
async function rehearsed({ settings, driver, checks, host }: PlanOptions, rate: number) {
  const rehearsal = await startEmulator({
    host,
    tag: host.tag(4),
    readOnly: settings.readOnly,
    profile: driver.target.profile,
  });
  let prompts = 0;
  const fetch: Driver['fetch'] = (request) => {
    if (request.method === 'POST' && /\/(chat\/completions|invoke)$/.test(new URL(request.url).pathname)) prompts++;
    return rehearsal.driver.fetch(request);
  };
  try {
    const { cleanup, duration, requests, ...results } = await runChecks({
      driver: { ...rehearsal.driver, fetch, lacks: (need) => driver.lacks(need) ?? rehearsal.driver.lacks(need) },
      checks,
      ...given({ runs: settings.runs, budget: settings.budget, maxRequests: settings.maxRequests }),
      rate: 0,
      readOnly: settings.readOnly,
      ...(settings.seed === undefined ? {} : { seed: settings.seed }),
      host,
    });
    const sent = new Map(results.checks.map((check) => [check.id, check.requests]));
    const time = Math.max(duration, rate > 0 ? (requests / rate) * 1_000 : 0);
    return { sent, totals: { requests, prompts, interns: cleanup.created, time } };
  } finally {
    await rehearsal.close();
  }
}

/**
 * What a run would send, write and skip. For an emulator the numbers come from a rehearsal: the same checks, with the needs
 * that the target meets, against one in this process. For a deployment they are what each check was measured to cost at
 * one. Nothing is sent to the target.
 */
export async function plan(options: PlanOptions): Promise<string> {
  const { settings, driver, checks } = options;
  const controlled = driver.control !== undefined;
  const rate = settings.rate ?? (controlled ? 0 : 5);
  const lines = [
    `Plan for ${driver.target.baseUrl} (${driver.target.kind}, profile ${driver.target.profile.name})`,
    '',
  ];
  const rehearsal = controlled ? await rehearsed(options, rate) : undefined;
  const runs = settings.runs ?? BUDGETS[settings.budget ?? 'default'].runs;
  const spending = controlled && settings.budget === undefined ? undefined : spendingOf(options, runs);
  const able: string[] = [];
  const missing = new Map<Need, { why: string; ids: string[] }>();
  const beyond = new Map<string, string[]>();
  for (const check of spending?.order ?? checks.map(asUnit)) {
    const lacking = check.needs.map((need) => driver.lacks(need)).find((lack) => lack !== undefined);
    const because = spending?.beyond(check, { sent: 0 });
    if (lacking === undefined && because !== undefined) {
      const { why } = skipWords({ kind: 'need', because });
      beyond.set(why, [...(beyond.get(why) ?? []), check.id]);
    } else if (lacking === undefined) {
      able.push(check.id);
      const cost = Math.round(
        (rehearsal === undefined ? costOf(check.id, runs)?.requests : rehearsal.sent.get(check.id)) ?? 0,
      );
      const writes = check.needs.some((need) => need === 'write' || need === 'running' || need === 'own_key');
      lines.push(
        `  run   ${check.id}  ${check.requirement} ${check.level}  about ${cost} requests${writes ? ', writes' : ''}`,
      );
    } else {
      const entry = missing.get(lacking.need) ?? { why: lackText(lacking), ids: [] };
      entry.ids.push(check.id);
      missing.set(lacking.need, entry);
    }
  }
  for (const [need, { why, ids }] of missing) {
    lines.push('', `  skip  ${ids.length} that need ${need}: ${why}`, ...ids.map((id) => `        ${id}`));
  }
  for (const [why, ids] of beyond)
    lines.push('', `  skip  ${ids.length} beyond the budget: ${why}`, ...ids.map((id) => `        ${id}`));
  const { requests, prompts, interns, time } =
    rehearsal?.totals ?? totalsOf(able, rate, { lanes: settings.concurrency, runs });
  const pace = rate > 0 ? ` at ${rate} requests a second` : '';
  lines.push(
    '',
    `In all about ${counted(requests, 'request')}, ${counted(interns, 'intern')}, ${counted(prompts, 'prompt')}, ${minutes(time)}${pace}.`,
    'The interns it makes itself, and deletes them: their names begin with k, four characters and a hyphen.',
    rehearsal === undefined
      ? 'Each check was measured at an emulator without its control interface; boots that take longer come on top.'
      : 'The numbers are of a rehearsal against an emulator in this process.',
    'Nothing was sent to the target.',
    '',
  );
  return lines.join('\n');
}
