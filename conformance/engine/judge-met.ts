import type { Check } from '../framework/check.js';
import { lacking, raced, type Skip } from '../framework/skip.js';
import { READS } from '../habits/visit.js';
import { internPath } from '../probe/request.js';
import { attempt } from './attempt.js';
import { explain } from './explain.js';
import { reported } from './finding.js';
import { concluding, outcomeOf, severity } from './judge.js';
import type { Breaches, Monitor } from './monitors.js';
import type { FindingResult } from './results.js';
import type { RunContext } from './run-context.js';
import type { Session } from './session.js';
import type { Done } from './unit.js';

/** Whether a check has reported the same thing of one of these exchanges itself. */
function isReported({ exchanges, shown }: Breaches, findings: readonly FindingResult[]): boolean {
  const [first] = shown;
  const place = ({ wanted }: Pick<FindingResult, 'wanted'>) => (wanted.kind === 'value' ? wanted.path : wanted.kind);
  return findings.some(
    (finding) =>
      first !== undefined &&
      place(finding) === place(first.finding.found) &&
      finding.transcript.some(({ number }) => exchanges.has(number)),
  );
}

/** Statuses of refusals that changed nothing, and come again for the same request. */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403, 404, 413, 415]);

/**
 * Whether two exchanges show it. What was seen once is asked for again, where that does nothing: all that a monitor sends. So is
 * a read that shows what lasts.
 */
async function isTwice({ session }: RunContext, { exchanges, shown }: Breaches, lasts: boolean): Promise<boolean> {
  const before = exchanges.size;
  const { send, status } = shown.at(-1) ?? {};
  const reads = READS.has(send?.method ?? 'GET');
  if (send === undefined || (before > 1 && !(lasts && reads))) return before > 1;
  if (reads || REFUSED.has(status ?? 0)) await session.running.send(send).catch(() => {});
  return exchanges.size > before;
}

/** Interns that are read once more, a request each: the latest of them. */
const LOOKS = 6;

/** How many requests a look at the end takes. */
export const requestsOfLook = ({ monitors }: Pick<Session, 'monitors'>): number =>
  Math.min(LOOKS, monitors.unread.size);

/** Reads once more what the monitor has to see before it judges. */
async function look({ session, settings }: RunContext, { unread }: Monitor): Promise<void> {
  const { running, own } = session;
  for (const id of [...unread].slice(-LOOKS)) {
    // That number is for the checks: used up, it would end the run.
    if (running.sent + 1 >= (settings.maxRequests ?? Number.POSITIVE_INFINITY)) return;
    await running.send({ path: internPath(id), as: own.madeBy(id)?.as ?? 'api_key' }).catch(() => {});
  }
}

/**
 * Judges what a monitor has seen in the whole run. A breach counts when two exchanges show the same, no habit of the target
 * explains it, and no check has reported it. On an emulator one is enough, and the monitor has more to see there. Never throws.
 */
export async function judgeMet(run: RunContext, check: Check): Promise<Done> {
  const { driver, pool, session } = run;
  const conclude = concluding(run, check);
  const ours = driver.control !== undefined;
  const tried = ours ? await attempt(run, check) : undefined;
  if (tried !== undefined && 'error' in tried) return conclude(await outcomeOf(run, check, tried), tried);
  if (!ours) await look(run, session.monitors.of(check.id));
  const { breaches, judged, lasts } = session.monitors.of(check.id);
  const counted: FindingResult[] = [];
  let excuse: Skip | undefined;
  for (const breach of breaches) {
    if (isReported(breach, pool.reported)) continue;
    const twice = ours || (await isTwice(run, breach, lasts));
    const last = breach.shown.at(-1);
    if (last === undefined) continue;
    const { finding, by } = last;
    const transcript = breach.shown.map(({ record }) => record.snapshot());
    const again = { transcript, control: [] };
    const why = ours
      ? undefined
      : !twice
        ? raced({ kind: 'not-again', found: finding.found }).skip
        : await explained(run, check, finding, transcript);
    if (why !== undefined) excuse ??= why;
    else counted.push(reported(run, check, finding, again, by?.id));
  }
  const [first, ...others] = counted;
  if (first !== undefined) {
    const more = others.map(({ transcript: _, curl: __, replay: ___, ...found }) => found);
    const finding = more.length === 0 ? first : { ...first, others: more };
    return conclude({ verdict: severity(check, driver), finding });
  }
  if (excuse !== undefined) return conclude({ verdict: 'skip', skip: excuse });
  if (judged || ours) return conclude({ verdict: 'pass' });
  return conclude({
    verdict: 'skip',
    skip: lacking({ kind: 'met', need: 'an answer to judge', note: 'the run met none' }).skip,
  });
}

/** Why a habit of the target may be behind it. */
async function explained(
  run: RunContext,
  check: Check,
  finding: Parameters<typeof explain>[3],
  transcript: Parameters<typeof explain>[2]['transcript'],
): Promise<Skip | undefined> {
  const tried = { transcript, leftAgo: new Map(), control: [], properties: [], led: new Set<never>() };
  const explanation = await explain(run, check, tried, finding, run.host.now()).catch(() => ({ skip: undefined }));
  if (explanation === undefined) return undefined;
  return explanation.skip ?? raced({ kind: 'never-the-same', found: [finding.found] }).skip;
}
