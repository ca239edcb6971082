import type { Check } from '../framework/check.js';
import { Finding, type Found, isProven, noAnswerOf, type Rule } from '../framework/finding.js';
import { raced, type Skip, Skipped, stoppedBy } from '../framework/skip.js';
import { type Stop, Stopped } from '../framework/stop.js';
import type { Attempt } from './attempt.js';
import { explanation } from './explain.js';
import type { CheckResult } from './results.js';
import type { RunContext } from './session.js';

/** Tries of a check alone. */
const TRIES = 3;

/** The part of a result that an outcome decides. */
export type Decided = Pick<CheckResult, 'verdict'> & Partial<CheckResult> & { lost?: boolean; stopped?: Stop };

export const skipped = (skip: Skip): Decided => ({ verdict: 'skip', skip });
export const ended = (stop: Stop): Decided => ({
  ...skipped(stoppedBy(stop)),
  stopped: stop,
});

/** Whether the target gave no answer. */
export const isLost = (error: unknown): boolean => error instanceof Finding && noAnswerOf(error.found) !== undefined;

/** Values that differ between two looks at the same thing: ids, the kit's names, times, long numbers. */
const VALUE =
  /\/interns\/[^/?\s]+|[0-9a-f]{8}-[0-9a-f-]{27}|\bk[a-z0-9]{4}-[a-z0-9]+|\d{4}-\d\d-\d\dT[\d:.]+Z|\b\d{5,}\b/gi;
const masked = (text: string): string => text.replace(VALUE, '…');

/** A rule without the values that it names: those may be drawn anew. */
const fixed = (rule: Rule): string => {
  if (rule.kind === 'form') return rule.form;
  return rule.kind === 'holds' ? rule.words : rule.kind;
};

/** The text that two looks share if they found the same. */
function likeness({ wanted, of }: Found): string {
  switch (wanted.kind) {
    case 'status':
      return JSON.stringify([wanted, masked(of)]);
    case 'value':
      return masked(JSON.stringify(['value', fixed(wanted.rule), of]));
    default:
      return masked(JSON.stringify([wanted, of]));
  }
}

/** Whether two looks of one check found the same: the same was wanted, of the same thing. The values in its place may differ. */
const isSame = (one: Found, other: Found): boolean => likeness(one) === likeness(other);

/** One look at what a check is about: the check done once, or what broke a rule asked for again. */
export interface Look {
  readonly tried: Attempt;
  /** When it was found, where that was before. */
  readonly at?: number;
  /** Nothing can be looked at once more. */
  readonly once?: boolean;
  /** The outcome rests on it. */
  counts?(): void;
}

/** A finding, and the attempt that came to it. */
interface Sighted {
  readonly error: Finding;
  readonly tried: Attempt;
}

/** The look that an outcome rests on. */
interface Looked {
  readonly tried: Attempt;
  /** The outcome, where it is another than that of the look. */
  readonly decided?: Decided | undefined;
  /** A finding of an earlier look that it did not come to. */
  readonly other?: Sighted | undefined;
}

/**
 * Looks until it is sure what there is: at a target that is not the run's own a finding counts when one look finds what
 * another found before it, and no habit of the target explains it. Never throws.
 *
 * @param look is given the finding that it is to look at again
 * @param before what was found before
 */
export async function lookTwice(
  run: RunContext,
  check: Check,
  look: (again: Finding | undefined) => Promise<Look>,
  before?: Finding,
): Promise<Looked> {
  const { driver, host, session } = run;
  const explained: Finding[] = [];
  const sighted: Sighted[] = [];
  let excuse: Skip | undefined;
  let waits: Look | undefined;
  for (let tries = 1; ; ) {
    const began = host.now();
    const other = sighted.at(-1);
    const seen: Look = waits ?? (await look(other?.error ?? before));
    const { tried, at = host.now(), once = false, counts } = seen;
    const { error } = tried;
    const { again, skip, learnt } = (await explanation(run, check, tried, { began, at, tries })) ?? {};
    const refused = session.unusable('api_key');
    if (refused !== undefined)
      return { tried, decided: ended({ kind: 'unusable', credential: 'api_key', how: refused }) };
    excuse = skip ?? excuse;
    // A habit that needs time is asked again, of the same look where there is no other.
    waits = once && again !== undefined ? seen : undefined;
    const last = tries === TRIES || (once && again === undefined);
    if (again === undefined || last) {
      const why = again === undefined ? skip : excuse;
      if (why !== undefined) return { tried, decided: { ...skipped(why), lost: isLost(error) } };
      const others = again === undefined ? [before ?? [], sighted.map((one) => one.error)].flat() : explained;
      const same = ({ found }: Finding) => error instanceof Finding && isSame(found, error.found);
      // The same finding once more is no other.
      const cameAgain = again === undefined ? others.some(same) : others.every((one) => one !== error && same(one));
      if (!(error instanceof Finding) && other !== undefined) return { tried, other, decided: gone(run, tried, other) };
      const isOne = !(error instanceof Finding) || driver.control !== undefined || isProven(error.found) || cameAgain;
      if (isOne || (again === undefined && other !== undefined)) {
        counts?.();
        return { tried, other: isOne ? undefined : other };
      }
      // A defect shows again with the same request. Findings that differ each time say nothing.
      const found = [...others, error].map((one) => one.found);
      if (last) return { tried, decided: skipped(raced({ kind: 'never-the-same', found }).skip) };
    }
    if (error instanceof Finding && again === undefined) {
      sighted.push({ error, tried });
      // An earlier check may have left the shared intern in a state that makes this one fail.
      run.pool.drop(run.lane, { foreign: false });
      session.model.dealings.doubt();
    } else if (error instanceof Finding) explained.push(error);
    await host.sleep((again ?? 0) * tries, run.signal).catch(() => {});
    if (learnt !== true) tries++;
  }
}

/** Nothing stands still on a live target: what does not come again may have been somebody else's doing. */
function gone({ signal }: RunContext, { error }: Attempt, { error: { found } }: Sighted): Decided {
  if (error instanceof Stopped || signal.aborted)
    return ended(error instanceof Stopped ? error.stop : { kind: 'interrupted' });
  // A limit leaves no room for a second look.
  if (error instanceof Skipped && error.skip.kind === 'stopped') return skipped(error.skip);
  return skipped(raced({ kind: 'not-again', found }).skip);
}
