import { READS } from '../habits/dealings.js';
import { Finding, type Found, isProven } from '../model/finding.js';
import { lacking, raced, type Skip, Stopped, stoppedBy } from '../model/skip.js';
import type { Need } from '../model/target.js';
import type { Answer } from '../probe/answer.js';
import type { ShownExchange } from '../probe/evidence.js';
import { internIn, internPath, type Send } from '../probe/request.js';
import type { Rule } from '../rules/index.js';
import { ASIDE } from '../rules/mistakes.js';
import { REFUSALS } from '../rules/refusals.js';
import { type Attempt, attempt } from './attempt.js';
import { type Check, needOf } from './check.js';
import { LATE_READ } from './create-context.js';
import { reported } from './finding.js';
import { concluding, severity } from './judge.js';
import { type Breaches, type JudgedExchange, LAST_LOOK } from './monitors.js';
import type { CheckResult, FindingResult, Verdict } from './results.js';
import type { RunContext } from './session.js';
import { type Look, lookTwice } from './twice.js';
import type { Done } from './units.js';

/** Statuses of refusals that changed nothing and repeat for the same request. */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403, 404, 413, 415]);

/** A read of the intern that a request names, by its caller. */
const readOf = ({ as }: Send, id: string): Send => ({
  path: internPath(id),
  ...(as === undefined ? {} : { as }),
});

/** Paths of signing. */
const SIGNS = /\/sign$/;

const isRead = ({ method = 'GET' }: Send): boolean => READS.has(method);

/** Whether a request changes nothing and gets the same answer again. */
const repeats = (send: Send, status: number): boolean => isRead(send) || REFUSED.has(status);

/** The parts of an attempt that an exchange lacks. */
const NOTHING_ELSE: Omit<Attempt, 'error' | 'transcript'> = {
  control: [],
  properties: [],
  leftAgo: new Map(),
  led: new Set(),
};

export type CheckOf = (id: string) => Check | undefined;

/** Whether a request that changes nothing failed with a 500, which interface.md calls retryable: it counts if it fails again. */
const mayPass = ({ send, status }: JudgedExchange): boolean =>
  status === 500 && (isRead(send) || SIGNS.test(send.path ?? ''));

/** Whether a request may be sent again: it reads, or was refused, or a refusal is due and it got another one. */
const isRepeatable = ({ id }: Rule, exchange: JudgedExchange): boolean =>
  repeats(exchange.send, exchange.status) ||
  mayPass(exchange) ||
  (exchange.status >= 400 && exchange.status < 500 && REFUSALS.some((one) => one.id === id));

/** A way to show a breach again: the scenario that sent the request, or a request that changes nothing. */
type Again =
  | { readonly by: 'scenario'; readonly scenario: Check }
  | { readonly by: 'request'; readonly send: Send }
  | { readonly by: 'nothing' };

/** The way to show an exchange again. A rule that needs no other exchange has no use for a read of the intern. */
function againFor(rule: Rule, exchange: JudgedExchange, checkOf: CheckOf): Again {
  const { by, send, status } = exchange;
  const { alone = false } = rule;
  const scenario = alone || by === undefined ? undefined : checkOf(by.id);
  if (!repeats(send, status) && scenario !== undefined && scenario.sweeps !== true) return { by: 'scenario', scenario };
  if (isRepeatable(rule, exchange)) return { by: 'request', send };
  const intern = internIn(send.path ?? '');
  return alone || intern === undefined ? { by: 'nothing' } : { by: 'request', send: readOf(send, intern) };
}

/**
 * Why a breach does not count. It counts if two exchanges show the same and no habit of the target explains it. Undefined
 * where it counts. One exchange is enough for a rule that needs no other, where the request cannot be sent again.
 */
export async function excuseOf(
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
  const again = againFor(rule, last, checkOf);
  const isShown = exchanges.size > 1;
  const hasWaited = settles === 'by itself' && isShown;
  /** Whether enough exchanges show the breach. */
  let comes = isShown && !mayPass(last) && (breaches.stays || settles === undefined || !isRead(last.send));

  /** Sends the reads that established the expectation, then the request. */
  const askAgain = async (send: Send): Promise<{ readonly stopped?: Stopped; readonly isUnjudged: boolean }> => {
    const { judged } = monitors.of(check.id);
    let answer: Answer | undefined;
    let stopped: Stopped | undefined;
    for (const one of [...last.because.map((because) => because.send).filter(isRead), send])
      answer = await session.running.send(one).catch((reason: unknown) => {
        if (reason instanceof Stopped) stopped = reason;
        return undefined;
      });
    // The service answers, and the rule has nothing to say of that.
    const isUnjudged =
      answer !== undefined &&
      answer.status < 500 &&
      !ASIDE.has(answer.status) &&
      monitors.of(check.id).judged === judged;
    return { isUnjudged, ...(stopped === undefined ? {} : { stopped }) };
  };

  /** Shows the breach again. Stopped: the run is over. */
  const showAgain = async (): Promise<Stopped | undefined> => {
    const before = exchanges.size;
    switch (again.by) {
      case 'scenario':
        monitors.looks = false;
        await attempt(run, again.scenario);
        monitors.looks = true;
        comes = exchanges.size > before;
        return undefined;
      case 'request': {
        const { stopped, isUnjudged } = await askAgain(again.send);
        // Two exchanges that showed it stand if the rule does not judge the new answer.
        comes = exchanges.size > before || (comes && isUnjudged);
        return stopped;
      }
      case 'nothing':
        comes = alone;
        return undefined;
    }
  };

  let looks = 0;
  const look = async (): Promise<Look> => {
    // The first look needs no request where enough exchanges show the breach.
    const stopped = looks++ === 0 && comes ? undefined : await showAgain();
    // After the run, two exchanges are enough for a rule that needs no other exchange, or has waited.
    const isOver = stopped !== undefined && (hasWaited || (alone && isShown));
    // Two exchanges that late reads could explain count if reads are never late.
    const isDoubtful = !comes && settles === 'between writes' && isShown && stopped === undefined;
    comes ||= isOver;
    const latest = shown.at(-1) ?? last;
    return {
      ...NOTHING_ELSE,
      error: comes || isDoubtful ? latest.finding : stopped,
      transcript: shown.map(({ record }) => record.snapshot()),
      at: latest.at,
      about: latest.about,
      once: !isRepeatable(rule, last) || isOver || isDoubtful,
    };
  };
  const { decided, tried } = await lookTwice(run, check, look, last.finding);
  const stop = tried.error instanceof Stopped ? stoppedBy(tried.error.stop) : undefined;
  const { list, read, measured } = session.learnt.lag;
  const counts = tried.error instanceof Finding && (comes || (measured > 0 && list === 0 && read === 0));
  const skip =
    decided?.skip ?? stop ?? (counts ? undefined : raced({ kind: 'not-again', found: last.finding.found }).skip);
  // No habit can be asked any more. Habits only give a service time, which the rule has given, too.
  return hasWaited && skip?.kind === 'stopped' ? undefined : skip;
}

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
  const brokenBy = new Set<number>();
  let excuse: Skip | undefined;
  for (const breaches of [...monitor.kinds.values()]) {
    if (isReported(breaches, run.pool.reported, verdictOf)) continue;
    const skip = await excuseOf(run, check, rule, breaches, checkOf);
    excuse ??= skip;
    const last = breaches.shown.at(-1);
    if (skip !== undefined || last === undefined) continue;
    const transcript = sliceOf(breaches);
    for (const situation of breaches.situations) brokenIn.add(situation);
    for (const number of breaches.exchanges) brokenBy.add(number);
    const restsOn = [...new Set(last.because.map(({ record }) => record.number))];
    counted.push({
      verdict: verdictOf(last.finding.found),
      finding: {
        ...reported(run, check, last.finding, { transcript, control: [] }, last.by?.id),
        ...(restsOn.length === 0 ? {} : { restsOn }),
      },
    });
  }
  const [first, ...others] = counted.sort((one, other) => one.verdict.localeCompare(other.verdict));
  if (first !== undefined) {
    const more = others.map(({ finding: { transcript: _, curl: __, replay: ___, ...found } }) => found);
    const finding = more.length === 0 ? first.finding : { ...first.finding, others: more };
    const shownBy = { brokenBy: brokenBy.size, brokenIn: [...brokenIn].toSorted() };
    return conclude({ verdict: first.verdict, finding, ...shownBy, ...met });
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
