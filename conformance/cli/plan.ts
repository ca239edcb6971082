import { byKey } from '../../emulator/contract/by-key.js';
import { counted } from '../../emulator/contract/counted.js';
import { about, isPrompt } from '../../emulator/wire/request.js';
import type { Driver } from '../drivers/driver.js';
import { startRehearsal } from '../drivers/rehearsal.js';
import type { Host } from '../probe/time.js';
import { skipWords } from '../report/words/skip.js';
import { lackText } from '../report/words/stop.js';
import type { Check } from '../run/check.js';
import { settingsOf } from '../run/options.js';
import type { CheckResult } from '../run/results.js';
import { runChecks } from '../run/runner.js';
import type { Settings } from './settings.js';

/** Needs of checks that change the target. */
const WRITING: ReadonlySet<string> = new Set(['write', 'running', 'own_key']);

const UNLIMITED = Number.POSITIVE_INFINITY;

interface PlanOptions {
  readonly settings: Settings;
  readonly driver: Driver;
  /** The checks of the run, as it selects them. */
  readonly checks: readonly Check[];
  readonly host: Host;
  /** Ends the rehearsal early. */
  readonly signal: AbortSignal;
}

/** The run against a target in this process, and the prompts and interns of it. */
async function rehearsed({ settings, driver: real, checks, host, signal }: PlanOptions) {
  const { bootTimeout, budget, concurrency, maxPrompts, maxRequests, maxTime, rate, readOnly, runs, timeout } =
    settings;
  const seed = settings.seed ?? host.tag(8);
  const { driver, close, ...rehearsal } = await startRehearsal(real, { seed, readOnly, host });
  const made = { prompts: 0, interns: 0 };
  const fetch: Driver['fetch'] = async (request) => {
    const answer = await driver.fetch(request);
    const { operation } = about(request);
    if (answer.ok && isPrompt(operation)) made.prompts++;
    if (answer.ok && operation === 'create') made.interns++;
    return answer;
  };
  const limits = { budget, maxPrompts, maxRequests, maxTime };
  // At an emulator nothing waits: the pace is added up.
  const pace = { bootTimeout, concurrency, rate: real.control === undefined ? rate : 0, timeout };
  const how = { ...limits, ...pace, readOnly, runs, seed, signal, host: rehearsal.host };
  try {
    const results = await runChecks({ driver: { ...driver, fetch }, checks, ...how });
    return { results, ...made };
  } finally {
    await close();
  }
}

/** Why a check is left out, where the run has no room for it or the target no means. */
function leftOut({ skip }: CheckResult): string | undefined {
  if (skip?.because.kind === 'lacks') return `that need ${skip.because.need}: ${lackText(skip.because)}`;
  return skip?.kind === 'stopped' ? `beyond the budget: ${skipWords(skip).why}` : undefined;
}

/**
 * The plan of a run: requests, writes and skips. The numbers come from a rehearsal: the same checks, with the needs and limits of
 * the run, against a target in this process. Nothing is sent to the target itself.
 */
export async function plan(options: PlanOptions): Promise<string> {
  const { settings, driver } = options;
  const { limits, rate } = settingsOf({ ...settings, baseline: undefined, driver });
  const { interns, prompts, results } = await rehearsed(options);
  const needsOf = new Map(options.checks.map(({ id, needs }) => [id, needs]));
  const out: { readonly id: string; readonly why: string }[] = [];
  const lines: string[] = [];
  for (const row of results.checks) {
    const { id, level, requests, requirement, title } = row;
    const why = leftOut(row);
    if (why !== undefined) {
      out.push({ id, why });
      continue;
    }
    const writes = needsOf.get(id)?.some((need) => WRITING.has(need)) === true ? ', writes' : '';
    lines.push(`  run   ${id}  ${requirement} ${level}  ${title}  about ${requests} requests${writes}`);
  }
  for (const [why, skipped] of byKey(out, (one) => one.why))
    lines.push('', `  skip  ${skipped.length} ${why}`, ...skipped.map(({ id }) => `        ${id}`));
  const limited = (of: string, { most }: { readonly most: number }, shown: string) =>
    most === UNLIMITED ? [] : [`${shown} (${of})`];
  const most = [
    ...limited('--max-prompts', limits.prompts, counted(limits.prompts.most, 'prompt')),
    ...limited('--max-time', limits.time, `${limits.time.most / 1_000} s`),
    ...limited('--max-requests', limits.requests, counted(limits.requests.most, 'request')),
  ];
  const pace = rate > 0 ? ` at ${rate} requests a second` : '';
  const ms = Math.max(results.duration, rate > 0 ? (results.requests / rate) * 1_000 : 0);
  const minutes = counted(Math.max(1, Math.round(ms / 60_000)), 'minute');
  return [
    `Plan for ${driver.target.baseUrl} (${driver.target.kind}, profile ${driver.target.profile.name})`,
    `In all about ${counted(prompts, 'prompt')}, ${minutes}, ${counted(results.requests, 'request')}, ${counted(interns, 'intern')}${pace}.`,
    ...(most.length === 0 ? [] : [`It never takes more than ${most.join(', ')}.`]),
    'The interns it makes itself, and deletes them: their names begin with k, four characters and a hyphen.',
    'The numbers are of a rehearsal against an emulator in this process; boots that take longer come on top.',
    'Nothing was sent to the target.',
    '',
    ...lines,
    '',
  ].join('\n');
}
