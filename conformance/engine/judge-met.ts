import type { Check } from '../framework/check.js';
import { type Found, isProven } from '../framework/finding.js';
import type { Need } from '../framework/needs.js';
import { lacking, raced, type Skip, stoppedBy } from '../framework/skip.js';
import { Stopped } from '../framework/stop.js';
import { READS } from '../habits/visit.js';
import type { Exchange } from '../probe/exchange.js';
import { internPath, type Send } from '../probe/request.js';
import { ruleOf } from '../rules/check.js';
import { needOf } from '../rules/needs.js';
import { attempt } from './attempt.js';
import { explain } from './explain.js';
import { reported } from './finding.js';
import { concluding, severity } from './judge.js';
import { type Breaches, LOOKS, type Monitor } from './monitors.js';
import type { CheckResult, FindingResult, Verdict } from './results.js';
import type { RunContext } from './run-context.js';
import type { Done } from './unit.js';

/** Whether a check has reported the same thing of one of these exchanges itself. A warning stands for no failure. */
function isReported(
  { exchanges, shown: [first] }: Breaches,
  rows: readonly CheckResult[],
  verdictOf: (found: Found) => Verdict,
): boolean {
  if (first === undefined) return false;
  const { found } = first.finding;
  const place = ({ wanted }: Pick<FindingResult, 'wanted'>) => (wanted.kind === 'value' ? wanted.path : wanted.kind);
  return rows.some(
    ({ finding, verdict }) =>
      finding !== undefined &&
      (verdict === 'fail' || verdictOf(found) === 'warn') &&
      place(finding) === place(found) &&
      finding.transcript.some(({ number }) => exchanges.has(number)),
  );
}

/** Statuses of refusals that changed nothing, and come again for the same request. */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403, 404, 413, 415]);

/** ms after which a read must show what was written. */
const LATE = 10_000;

/** Before the first monitor is judged: sees once more what has to settle. */
async function look({ ending, host, session, signal }: RunContext): Promise<void> {
  const { monitors, own, running } = session;
  if (monitors.owed === 0) return;
  monitors.lookBegins();
  const ask = (send: Send) => running.send(send).catch(() => {});
  const list = { path: '/interns' };
  if (own.count() > 0) await ask(list);
  monitors.looks = true;
  const unread = [...monitors.unread].slice(2 - LOOKS);
  // Reads may be late.
  if (unread.length > 0 && ending.near === undefined) await host.sleep(LATE, signal);
  for (const id of unread) await ask({ path: internPath(id), as: own.makerOf(id) ?? 'api_key' });
  if (unread.length > 0) await ask(list);
}

/** Makes a finding of the exchanges that show the same breach. */
type Standing =
  | { readonly kind: 'counts' | 'reported'; readonly skip?: undefined }
  | { readonly kind: 'excused'; readonly skip: Skip };

/** The checks of a run by their ids. */
export type CheckOf = (id: string) => Check | undefined;

/**
 * Whether it is seen again. A request is sent again where that does nothing. Where it would do something, one exchange is
 * enough for a rule that needs no other; for any other rule the scenario is done again that has sent it.
 *
 * @throws Stopped where the run is over
 */
async function comesAgain(
  run: RunContext,
  breaches: Breaches,
  { settles, alone, checkOf }: { readonly settles: boolean; readonly alone: boolean; readonly checkOf: CheckOf },
): Promise<boolean> {
  const { session } = run;
  const { exchanges, shown } = breaches;
  const before = exchanges.size;
  const { by, send, status } = shown.at(-1) ?? {};
  const reads = READS.has(send?.method ?? 'GET');
  if (send === undefined) return false;
  // Reads may be late.
  if (before > 1 && (breaches.stays || !(settles && reads))) return true;
  if (!reads && !REFUSED.has(status ?? 0)) {
    const scenario = alone || by === undefined ? undefined : checkOf(by.id);
    // Rows send again by themselves.
    if (scenario === undefined || scenario.sweeps === true) return alone;
    const { monitors } = session;
    monitors.looks = false;
    await attempt(run, scenario);
    monitors.looks = true;
    return exchanges.size > before;
  }
  await session.running.send(send).catch((error: unknown) => {
    if (error instanceof Stopped) throw error;
  });
  return exchanges.size > before;
}

/** The exchanges that show a breach, and those that it rests on, in their order. */
function sliceOf({ shown }: Breaches): readonly Exchange[] {
  const records = new Set(shown.flatMap(({ because, record }) => [...because, record]));
  return [...records].sort((one, other) => one.number - other.number).map((record) => record.snapshot());
}

/** A breach counts when two exchanges show the same, no habit of the target explains it, and no check has reported it. */
async function standingOf(
  run: RunContext,
  check: Check,
  breaches: Breaches,
  monitor: Monitor,
  checkOf: CheckOf,
): Promise<Standing> {
  const { driver, pool } = run;
  if (isReported(breaches, pool.reported, (found) => severity(check, driver, found))) return { kind: 'reported' };
  // On an emulator one exchange is enough.
  if (driver.control !== undefined || breaches.shown.some(({ finding }) => isProven(finding.found)))
    return { kind: 'counts' };
  const skip = await excuseOf(run, check, breaches, monitor, checkOf).catch((error: unknown) => {
    if (!(error instanceof Stopped)) throw error;
    // No habit can be asked any more. A rule that needs no other exchange, or has waited, stands by itself where two show it.
    const { alone, patient } = ruleOf(check) ?? {};
    return (alone ?? patient) === true && breaches.exchanges.size > 1 ? undefined : stoppedBy(error.stop);
  });
  return skip === undefined ? { kind: 'counts' } : { kind: 'excused', skip };
}

/** Why a breach is not reported; undefined where nothing does. */
async function excuseOf(
  run: RunContext,
  check: Check,
  breaches: Breaches,
  { settles }: Monitor,
  checkOf: CheckOf,
): Promise<Skip | undefined> {
  const again = await comesAgain(run, breaches, { settles, alone: ruleOf(check)?.alone === true, checkOf });
  const last = breaches.shown.at(-1);
  if (last === undefined) return undefined;
  const { finding } = last;
  const transcript = breaches.shown.map(({ record }) => record.snapshot());
  return again
    ? await explained(run, check, finding, transcript)
    : raced({ kind: 'not-again', found: finding.found }).skip;
}

/** Judges what a rule has seen in the whole run. Never throws. */
export async function judgeMet(run: RunContext, check: Check, checkOf: CheckOf): Promise<Done> {
  const { driver, session } = run;
  const conclude = concluding(run, check);
  if (driver.control === undefined) await look(run);
  const monitor = session.monitors.of(check.id);
  const met = { judged: monitor.judged, situations: [...monitor.situations].toSorted() };
  const counted: { readonly verdict: Verdict; readonly finding: FindingResult }[] = [];
  const brokenIn = new Set<string>();
  let excuse: Skip | undefined;
  for (const breaches of monitor.breaches) {
    const { kind, skip } = await standingOf(run, check, breaches, monitor, checkOf);
    excuse ??= skip;
    const last = breaches.shown.at(-1);
    if (kind !== 'counts' || last === undefined) continue;
    const transcript = sliceOf(breaches);
    for (const situation of breaches.situations) brokenIn.add(situation);
    counted.push({
      verdict: severity(check, driver, last.finding.found),
      finding: reported(run, check, last.finding, { transcript, control: [] }, last.by?.id),
    });
  }
  const [first, ...others] = counted.sort((one, other) => one.verdict.localeCompare(other.verdict));
  if (first !== undefined) {
    const more = others.map(({ finding: { transcript: _, curl: __, replay: ___, ...found } }) => found);
    const finding = more.length === 0 ? first.finding : { ...first.finding, others: more };
    return conclude({ verdict: first.verdict, finding, brokenIn: [...brokenIn].toSorted(), ...met });
  }
  if (excuse !== undefined) return conclude({ verdict: 'skip', skip: excuse, ...met });
  if (met.judged > 0) return conclude({ verdict: 'pass', ...met });
  const need = needOf(check);
  const lack = need === undefined ? undefined : driver.lacks(need as Need);
  return conclude({
    verdict: 'skip',
    skip: lacking(lack ?? { kind: 'met', need: 'an answer to judge', note: 'the run met none' }).skip,
  });
}

/**
 * Why a habit of the target may be behind it.
 *
 * @throws Stopped where the run is over
 */
async function explained(
  run: RunContext,
  check: Check,
  finding: Parameters<typeof explain>[3],
  transcript: Parameters<typeof explain>[2]['transcript'],
): Promise<Skip | undefined> {
  const tried = { transcript, leftAgo: new Map(), control: [], properties: [], led: new Set<never>() };
  const explanation = await explain(run, check, tried, finding, run.host.now()).catch((error: unknown) => {
    if (error instanceof Stopped) throw error;
    return { skip: undefined };
  });
  if (explanation === undefined) return undefined;
  return explanation.skip ?? raced({ kind: 'never-the-same', found: [finding.found] }).skip;
}
