import type { Driver } from '../drivers/driver.js';
import { startEmulator } from '../drivers/emulator.js';
import { runChecks } from '../engine/runner.js';
import type { Check } from '../framework/check.js';
import type { Need } from '../framework/needs.js';
import type { Host } from '../probe/time.js';
import { counted } from '../reporters/counted.js';
import { lackText } from '../reporters/words/need.js';
import { COSTS } from './costs.js';
import type { Settings } from './settings.js';

/** Turns that a deployment takes of a caller in a minute (interface.md). */
const TURNS = 60;
/** Requests of the clean-up, and of looking whether interns are gone, for each intern. */
const CLEANED = 1.3;

interface Totals {
  readonly requests: number;
  readonly prompts: number;
  readonly interns: number;
  /** ms at the least. */
  readonly time: number;
}

/** What checks cost at a deployment, by what each was measured to cost: so many lanes are at work at once. */
export function totalsOf(ids: readonly string[], rate: number, lanes = 4): Totals {
  const rows = ids.flatMap((id) => (COSTS[id] === undefined ? [] : [COSTS[id]]));
  const sum = (at: 0 | 1 | 2 | 3) => rows.reduce((all, row) => all + row[at], 0);
  const interns = sum(2);
  const requests = Math.ceil(sum(0) + CLEANED * interns);
  const paced = rate > 0 ? (requests / rate) * 1_000 : 0;
  return {
    requests,
    prompts: sum(1),
    interns,
    time: Math.max(paced, (sum(1) / TURNS) * 60_000, sum(3) / lanes),
  };
}

const minutes = (ms: number) => counted(Math.max(1, Math.ceil(ms / 60_000)), 'minute');

export interface PlanOptions {
  readonly settings: Settings;
  readonly driver: Driver;
  readonly checks: readonly Check[];
  readonly host: Host;
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
      runs: settings.runs ?? 100,
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
  const able: string[] = [];
  const missing = new Map<Need, { why: string; ids: string[] }>();
  for (const check of checks) {
    const needs = check.level === 'C' ? (['control', ...check.needs] as const) : check.needs;
    const lacking = needs.map((need) => driver.lacks(need)).find((lack) => lack !== undefined);
    if (lacking === undefined) {
      able.push(check.id);
      const cost = (rehearsal === undefined ? COSTS[check.id]?.[0] : rehearsal.sent.get(check.id)) ?? 0;
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
  const { requests, prompts, interns, time } = rehearsal?.totals ?? totalsOf(able, rate, settings.concurrency);
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
