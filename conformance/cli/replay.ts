import { byKey } from '../../emulator/contract/by-key.js';
import { counted } from '../../emulator/contract/counted.js';
import { given } from '../../emulator/contract/given.js';
import { UsageError } from '../../emulator/contract/problem.js';
import { cases } from '../clients/index.js';
import { runClient } from '../clients/run-client.js';
import { skipText } from '../report/clause.js';
import type { Report } from '../report/json.js';
import { joinLines } from '../report/stream-text.js';
import { titleOf } from '../report/title.js';
import { ruleOf } from '../run/check.js';
import { UNLIMITED } from '../run/limits.js';
import type { CheckResult, Results } from '../run/results.js';
import { type RunnerOptions, runChecks } from '../run/runner.js';
import { sliceCheck } from '../run/slice.js';
import { checks } from '../scenarios/index.js';
import { atTarget } from './engine.js';
import { readReport } from './files.js';
import type { Io } from './io.js';
import type { Settings } from './settings.js';

type Fate = 'FIXED' | 'STILL' | 'NOT REACHED';

/** The outcome of a finding. */
interface Replayed {
  readonly id: string;
  readonly outcome: Fate;
  /** The remaining mistake, or why it was not reached. */
  readonly why?: string;
}

/** The outcome of a finding, by its repeated checks. A monitor judges nothing unless the check that asked runs, too. */
export function outcomeOf(
  { id, finding }: Pick<CheckResult, 'id' | 'finding'>,
  done: ReadonlyMap<string, CheckResult>,
): Replayed {
  const result = done.get(id);
  if (result === undefined) return { id, outcome: 'NOT REACHED', why: 'this kit has no such check' };
  const asked = finding?.askedBy === undefined ? undefined : done.get(finding.askedBy);
  const { error, skip = result.finding === undefined ? asked?.skip : undefined } = result;
  if (skip !== undefined) return { id, outcome: 'NOT REACHED', why: skipText(skip) };
  if (error !== undefined) return { id, outcome: 'NOT REACHED', why: titleOf(result) };
  return result.finding === undefined ? { id, outcome: 'FIXED' } : { id, outcome: 'STILL', why: titleOf(result) };
}

/** The checks to repeat for these rows. For a finding of a monitor they include the check that sent the request. */
export const checksFor = (rows: readonly Pick<CheckResult, 'id' | 'finding'>[]): string[] => [
  ...new Set(rows.flatMap(({ id, finding }) => [finding?.askedBy ?? id, id])),
];

/** Findings with the same seed, which one run repeats. */
function byDraw({ options }: Report, found: readonly CheckResult[]) {
  const drawn = found.map((check) => {
    const { seed = options.seed, runs = options.runs } = check.finding ?? {};
    return { check, seed, runs };
  });
  return [...byKey(drawn, ({ seed, runs }) => `${seed} ${runs}`).values()].map((alike) => ({
    ...alike[0],
    checks: alike.map(({ check }) => check),
  }));
}

/** Does checks again at the target. */
type Again = (more: Pick<RunnerOptions, 'checks' | 'only' | 'seed' | 'runs' | 'paths'>) => Promise<Results>;

/**
 * Sends the requests of the findings of rules again, all in one run. `shown` is what they show again, by the id of the rule, and
 * `unshown` has the rules whose requests were all sent and do not show it.
 */
async function slicesAgain(found: readonly CheckResult[], seed: string, again: Again) {
  const shown = new Map<string, Replayed>();
  const unshown = new Set<string>();
  const slices = found.flatMap((row) => {
    const rule = checks.find((check) => check.id === row.id && ruleOf(check) !== undefined);
    const slice = rule === undefined ? undefined : sliceCheck(row);
    return rule === undefined || slice === undefined ? [] : [{ rule, ...slice }];
  });
  if (slices.length === 0) return { shown, unshown };
  const both = [...slices.map(({ check }) => check), ...slices.map(({ rule }) => rule)];
  const { checks: rows } = await again({ checks: both, only: [], seed, runs: 1 });
  for (const { check, requests, rule } of slices) {
    const { id } = rule;
    const row = rows.find((one) => one.id === id);
    const isShown = row?.finding !== undefined && row.finding.askedBy === check.id;
    const why = isShown ? `${titleOf(row)} (shown again by ${counted(requests, 'request')})` : '';
    if (isShown) shown.set(id, { id, outcome: 'STILL', why });
    else if (rows.some((one) => one.id === check.id && one.verdict === 'pass')) unshown.add(id);
  }
  return { shown, unshown };
}

async function againOnTarget(
  report: Report,
  found: readonly CheckResult[],
  settings: Settings,
  io: Io,
): Promise<Replayed[]> {
  // The limits of a whole run do not apply to a few repeated checks.
  const { failOn, maxPrompts, maxRequests, maxTime } = settings;
  const limits = { ...UNLIMITED, ...given({ maxPrompts, maxRequests, maxTime }) };
  const again: Again = (more) =>
    atTarget(settings, io, (target) => runChecks({ ...target, failOn, ...more, ...limits }));
  const known = new Set(checks.map(({ id }) => id));
  const { shown, unshown } = await slicesAgain(found, report.options.seed, again);
  const done = new Map<string, CheckResult>();
  for (const { seed, runs, checks: rows } of byDraw(
    report,
    found.filter(({ id }) => known.has(id) && !shown.has(id)),
  )) {
    const paths = rows.flatMap(({ id, finding }) =>
      finding?.property === undefined
        ? []
        : [[id, { name: finding.property.name, path: finding.property.path }] as const],
    );
    const only = checksFor(rows);
    const results = await again({ checks, only, seed, runs, paths: Object.fromEntries(paths) });
    for (const check of results.checks) done.set(check.id, check);
  }
  return found.map((check) => {
    const outcome = shown.get(check.id) ?? outcomeOf(check, done);
    const alone = outcome.outcome === 'STILL' && unshown.has(check.id);
    return alone ? { ...outcome, why: `${outcome.why} (by its check: its requests alone do not show it)` } : outcome;
  });
}

async function againOnClient(
  report: Report,
  found: readonly CheckResult[],
  adapter: readonly [string, ...string[]],
  io: Io,
): Promise<Replayed[]> {
  const ids = new Set(found.map(({ id }) => id));
  const results: Results = await runClient({
    command: adapter,
    cases: cases.filter(({ id }) => ids.has(id)),
    cuts: 'few',
    seed: report.options.seed,
    host: io.host,
    signal: io.signal,
    err: io.err,
  });
  const done = new Map(results.checks.map((check) => [check.id, check]));
  return found.map((check) => outcomeOf(check, done));
}

/** The target of a report; undefined for an emulator within the process that wrote it. */
export const targetOf = ({ target }: Report): string | undefined =>
  target.inProcess === true || target.kind === 'client' ? undefined : target.url;

export function replayable(file: string, adapter: readonly string[]): Report {
  const report = readReport(file);
  if (report.target.kind === 'client' && adapter.length === 0)
    throw new UsageError(`replay: ${file} is of a client: name its adapter, as in: replay ${file} -- COMMAND`);
  if (report.checks[0]?.requirement === 'REC-3')
    throw new UsageError(`replay: ${file} compares recordings: run drift with them again`);
  return report;
}

/**
 * Repeats every finding of a report, with its seed and path (KIT-12). Exits 0 where all are fixed, 1 where one still
 * fails, else 3.
 */
export async function replayCommand(
  report: Report,
  settings: Settings,
  adapter: readonly string[],
  io: Io,
): Promise<number> {
  const found = report.checks.filter(({ finding }) => finding !== undefined);
  if (found.length === 0) {
    io.out('no findings in that report: nothing to do again\n');
    return 0;
  }
  const [program, ...args] = adapter;
  const all =
    report.target.kind === 'client' && program !== undefined
      ? await againOnClient(report, found, [program, ...args], io)
      : await againOnTarget(report, found, settings, io);
  for (const { id, outcome, why } of all)
    io.out(`${outcome.padEnd(11)}  ${id}${why === undefined ? '' : `: ${joinLines(why)}`}\n`);
  const many = (outcome: Fate) => all.filter((one) => one.outcome === outcome).length;
  io.out(
    `${counted(all.length, 'finding')}: ${many('FIXED')} fixed, ${many('STILL')} still there, ${many('NOT REACHED')} not reached\n`,
  );
  if (many('STILL') > 0) return 1;
  return many('NOT REACHED') > 0 ? 3 : 0;
}
