import type { Check } from '../framework/check.js';
import type { Found } from '../framework/finding.js';
import type { Need } from '../framework/needs.js';
import { lacking, type Skip } from '../framework/skip.js';
import type { ShownExchange } from '../probe/evidence.js';
import { internPath, type Send } from '../probe/request.js';
import { needOf } from '../rules/check.js';
import type { Rule } from '../rules/index.js';
import { LATE_READ } from './create-context.js';
import { reported } from './finding.js';
import { concluding, severity } from './judge.js';
import { type Breaches, LAST_LOOK } from './monitors.js';
import type { CheckResult, FindingResult, Verdict } from './results.js';
import type { RunContext } from './session.js';
import { type CheckOf, excuseOf } from './shown-again.js';
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
