import type { Check } from '../framework/check.js';
import { Finding, type Found, isProven } from '../framework/finding.js';
import type { Need } from '../framework/needs.js';
import { lacking, raced, type Skip, stoppedBy } from '../framework/skip.js';
import { Stopped } from '../framework/stop.js';
import { READS } from '../habits/dealings.js';
import type { Answer } from '../probe/answer.js';
import type { ShownExchange } from '../probe/evidence.js';
import { internIn, internPath, type Send } from '../probe/request.js';
import type { Rule } from '../rules/index.js';
import { needOf } from '../rules/needs.js';
import { ASIDE, REFUSALS } from '../rules/refusals/index.js';
import { type Attempt, attempt } from './attempt.js';
import { LATE_READ } from './create-context.js';
import { reported } from './finding.js';
import { concluding, severity } from './judge.js';
import { type Breaches, LAST_LOOK } from './monitors.js';
import type { CheckResult, FindingResult, Verdict } from './results.js';
import type { RunContext } from './session.js';
import { type Look, lookTwice } from './twice.js';
import type { Done } from './units.js';

/** Whether a check has reported the same about one of these exchanges. A warning does not replace a failure. */
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

/** Statuses of refusals that changed nothing and repeat for the same request. */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403, 404, 413, 415]);

/** A read of the intern that a request names, by its caller. */
const readOf = ({ as }: Send, id: string): Send => ({
  path: internPath(id),
  ...(as === undefined ? {} : { as }),
});

const isRead = ({ method = 'GET' }: Send): boolean => READS.has(method);

/** The parts of an attempt that an exchange lacks. */
const NOTHING_ELSE: Omit<Attempt, 'error' | 'transcript'> = {
  control: [],
  properties: [],
  leftAgo: new Map(),
  led: new Set(),
};

/** The checks of a run by their ids. */
type CheckOf = (id: string) => Check | undefined;

/** The look at the end, before the first monitor is judged: reads the interns that broke a rule. */
async function lookOnce({ ending, host, session, signal }: RunContext): Promise<void> {
  const { monitors, own, running } = session;
  if (monitors.owed === 0) return;
  monitors.lookBegins();
  const ask = (send: Send) => running.send(send).catch(() => {});
  const list = { path: '/interns' };
  if (own.count() > 0) await ask(list);
  monitors.looks = true;
  const unread = [...monitors.unread].slice(2 - LAST_LOOK);
  // Reads may be late.
  if (unread.length > 0 && ending.near === undefined) await host.sleep(LATE_READ, signal);
  for (const id of unread) await ask({ path: internPath(id), as: own.makerOf(id) ?? 'api_key' });
  if (unread.length > 0) await ask(list);
}

/** The exchanges that show a breach, and those that it rests on, in their order. */
function sliceOf({ shown }: Breaches): readonly ShownExchange[] {
  const records = new Set(shown.flatMap(({ because, record }) => [...because.map((one) => one.record), record]));
  return [...records].sort((one, other) => one.number - other.number).map((record) => record.snapshot());
}

/**
 * Why a breach does not count. It counts if two exchanges show the same and no habit of the target explains it. Undefined
 * where it counts. A request is sent again where that does nothing, after the reads that it rests on. Where it would do
 * something, one exchange is enough for a rule that needs no other; for any other rule the scenario is done again that has
 * sent it, or its intern is read.
 */
async function excuseOf(
  run: RunContext,
  check: Check,
  rule: Rule,
  breaches: Breaches,
  checkOf: CheckOf,
): Promise<Skip | undefined> {
  const { alone = false, settles } = rule;
  const { driver, session } = run;
  const { monitors } = session;
  const { exchanges, shown } = breaches;
  const last = shown.at(-1);
  // On an emulator one exchange is enough.
  const isEnough = driver.control !== undefined || shown.some(({ finding }) => isProven(finding.found));
  if (isEnough || last === undefined) return undefined;
  const { because, by, finding, send, status } = last;
  const isShown = exchanges.size > 1;
  const hasWaited = settles === 'by itself' && isShown;
  const reads = isRead(send);
  const repeats = reads || REFUSED.has(status);
  // Where a refusal is due, a request that got another one may be sent again, whatever its status.
  const isRefusal = status >= 400 && status < 500 && REFUSALS.some((one) => one.id === rule.id);
  const changesNothing = repeats || isRefusal;
  const id = internIn(send.path ?? '');
  /** A request that can show the breach again and changes nothing: the same request, or a read of its intern. */
  const shows: Send | undefined = changesNothing ? send : id === undefined ? undefined : readOf(send, id);
  let comes = isShown && (breaches.stays || settles === undefined || !reads);
  let looks = 0;
  const look = async (): Promise<Look> => {
    const before = exchanges.size;
    const scenario = alone || by === undefined ? undefined : checkOf(by.id);
    const { judged } = monitors.of(check.id);
    let error: unknown;
    // Reads may be late.
    if (looks++ === 0 && comes) error = finding;
    else if (!repeats && scenario !== undefined && scenario.sweeps !== true) {
      monitors.looks = false;
      await attempt(run, scenario);
      monitors.looks = true;
      comes = exchanges.size > before;
    } else if (shows !== undefined && (changesNothing || !alone)) {
      // The reads that established the expectation are sent again, too.
      let answer: Answer | undefined;
      for (const one of [...because.flatMap(({ send }) => (isRead(send) ? send : [])), shows])
        answer = await session.running.send(one).catch((reason: unknown) => {
          if (reason instanceof Stopped) error = reason;
          return undefined;
        });
      // Two exchanges that showed it stand, where the service answers and the rule has nothing to say of that.
      const isUnjudged =
        answer !== undefined &&
        answer.status < 500 &&
        !ASIDE.has(answer.status) &&
        monitors.of(check.id).judged === judged;
      comes = exchanges.size > before || (comes && isUnjudged);
    } else comes = alone;
    // After the run, two exchanges are enough for a rule that needs no other exchange, or has waited.
    const isOver = error instanceof Stopped && (hasWaited || (alone && isShown));
    // Two exchanges that late reads could explain count if reads are never late.
    const isDoubtful = !comes && settles === 'between writes' && isShown && error === undefined;
    comes ||= isOver;
    const latest = shown.at(-1) ?? last;
    if (comes || isDoubtful) error = latest.finding;
    const transcript = shown.map(({ record }) => record.snapshot());
    return {
      tried: { ...NOTHING_ELSE, error, transcript },
      at: latest.at,
      about: latest.about,
      once: !changesNothing || isOver || isDoubtful,
    };
  };
  const { decided, tried } = await lookTwice(run, check, look, finding);
  const stop = tried.error instanceof Stopped ? stoppedBy(tried.error.stop) : undefined;
  const { list, read, measured } = session.learnt.lag;
  const counts = tried.error instanceof Finding && (comes || (measured > 0 && list === 0 && read === 0));
  const skip = decided?.skip ?? stop ?? (counts ? undefined : raced({ kind: 'not-again', found: finding.found }).skip);
  // No habit can be asked any more. Habits only give a service time, which the rule has given, too.
  return hasWaited && skip?.kind === 'stopped' ? undefined : skip;
}

/** The result of a rule over the whole run. Never throws. */
export async function judgeRule(run: RunContext, check: Check, rule: Rule, checkOf: CheckOf): Promise<Done> {
  const { driver, session } = run;
  const conclude = concluding(run, check);
  if (driver.control === undefined) await lookOnce(run);
  const monitor = session.monitors.of(check.id);
  const met = { judged: monitor.judged, situations: [...monitor.situations].toSorted() };
  const verdictOf = (found: Found) => severity(check, driver, found);
  const counted: { readonly verdict: Verdict; readonly finding: FindingResult }[] = [];
  const brokenIn = new Set<string>();
  let excuse: Skip | undefined;
  for (const breaches of [...monitor.kinds.values()]) {
    if (isReported(breaches, run.pool.reported, verdictOf)) continue;
    const skip = await excuseOf(run, check, rule, breaches, checkOf);
    excuse ??= skip;
    const last = breaches.shown.at(-1);
    if (skip !== undefined || last === undefined) continue;
    const transcript = sliceOf(breaches);
    for (const situation of breaches.situations) brokenIn.add(situation);
    counted.push({
      verdict: verdictOf(last.finding.found),
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
