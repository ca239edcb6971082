import type { CheckResult, Results, Verdict } from '../../run/results.js';
import { countsAgainst, isFailure } from '../../run/verdict.js';

/** The words for verdicts and levels. */
export const VERDICTS = { pass: 'conforms', fail: 'does not conform', incomplete: 'incomplete' } as const;
export const LEVELS = { S: 'stated', P: 'published', C: 'chosen' } as const;

/** The label of a result in a report: its verdict, or why a failure does not count. */
export type Label = Verdict | 'known' | 'new';

/** The labels in the order of a legend. */
export const LABELS: readonly Label[] = ['fail', 'error', 'warn', 'new', 'known', 'skip', 'pass-alternative', 'pass'];

/** Known failures, and those of checks that are newer than the set a target is held to, do not count against it. */
export const labelOf = (check: CheckResult): Label => {
  if (check.known === true) return 'known';
  return check.new === true && (isFailure(check) || check.verdict === 'warn') ? 'new' : check.verdict;
};

export const failsRun = (check: CheckResult, { options }: Pick<Results, 'options'>): boolean =>
  countsAgainst(check, options.failOn);

export function labels(checks: readonly CheckResult[]): Readonly<Record<Label, number>> {
  const counts = { pass: 0, 'pass-alternative': 0, fail: 0, warn: 0, skip: 0, error: 0, known: 0, new: 0 };
  for (const check of checks) counts[labelOf(check)]++;
  return counts;
}

/** The words of a report: a kit's, a lab's and a drift's are of different things. */
export interface Words {
  /** The heading of the page. */
  readonly title: string;
  /** The word for the units. */
  readonly one: string;
  /** The verdicts as headings, where they are of their own. */
  readonly verdicts?: Readonly<Record<Results['verdict'], string>>;
  /** The meaning of each verdict. */
  readonly legend: Readonly<Record<Label, string>>;
  /** The sender and the answerer of the exchanges of a finding. */
  readonly request: string;
  readonly answer: string;
  /** Why the verdicts can be trusted. */
  readonly proof: string;
}

const SHARED = {
  skip: 'no verdict, and why',
  known: 'fails, and is in the baseline',
  new: 'newer than the set of checks that the target is held to; does not count',
} as const;

const CHECKS: Words = {
  title: 'Conformance',
  one: 'check',
  legend: {
    ...SHARED,
    fail: 'breaks what the interface states',
    warn: 'differs from the published API, which this target need not follow',
    error: "the kit's own fault",
    pass: 'holds',
    'pass-alternative': 'holds in another way',
  },
  request: 'The kit sent',
  answer: 'The target answered',
  proof:
    'Each check of this kit is known to fail where it should: it catches at least one emulator that was made wrong on purpose.',
};

const CASES: Words = {
  title: 'Client lab',
  one: 'case',
  verdicts: {
    pass: 'The client did right',
    fail: 'The client did wrong',
    incomplete: 'Incomplete',
  },
  legend: {
    ...SHARED,
    fail: 'the client did what no reading of the rules allows',
    warn: 'does not count',
    error: 'the adapter broke its protocol: no verdict on the client',
    skip: 'the adapter does not offer what the case needs',
    pass: 'the client did what the case expects',
    'pass-alternative': 'the client did what is right too',
  },
  request: 'The client sent',
  answer: 'The lab answered',
  proof: 'Each case is known to catch at least one client that was made wrong in that one way.',
};

const RECORDINGS: Words = {
  title: 'Drift',
  one: 'recorded request',
  verdicts: { pass: 'Answers as recorded', fail: 'Answers differently from the recording', incomplete: 'Incomplete' },
  legend: {
    ...SHARED,
    fail: 'answered differently from the recording, in what matters',
    warn: 'answered with something that the recording does not have',
    error: "the kit's own fault",
    skip: 'could not be compared: the conversation went another way, or was not reached',
    pass: 'answered as recorded',
    'pass-alternative': 'answered as recorded',
  },
  request: 'The kit sent',
  answer: 'The target answered',
  proof: 'What matters is the table in docs/recordings.md: status, reason, keys and their types, events, headers.',
};

/** The subject of the rows of a report. */
export const nounOf = ({ clause, requirement }: CheckResult): string => {
  if (clause === undefined) return CHECKS.one;
  return requirement === 'REC-3' ? RECORDINGS.one : CASES.one;
};

export function wordsOf({ checks, target }: Pick<Results, 'checks' | 'target'>): Words {
  if (target.kind === 'client') return CASES;
  const [first] = checks;
  return first?.requirement === 'REC-3' && first.clause !== undefined ? RECORDINGS : CHECKS;
}
