import { counted } from '../../../emulator/contract/counted.js';
import { ownCommand } from '../../../emulator/contract/pasted.js';
import type { DisturbanceClass, ExploreReport, Finding, LawName, Surfaced } from '../types.js';

/** The sentence of each law, for somebody who has never read of them. */
const LAW_TEXTS: Readonly<Record<LawName | 'transient-passes', string>> = {
  settles: 'A program ends, whatever happens. It does not wait for what will not come.',
  'harmless-passes': 'A program passes where the service only did what it may do at any time.',
  'transient-passes': 'A program passes where what went wrong was over when it was tried again (--require transient).',
  once: 'Nothing takes effect more often because something went wrong: no prompt, answer, create, delete or run.',
  unnoticed: 'A program that lacks a reply or a change that it asked for fails, or says something else than with it.',
  polite:
    'A program waits as long as Retry-After says, sends again only what may be sent again, and stops when its key is refused.',
  tidy: 'A program that passes leaves no more interns behind than when nothing goes wrong.',
  quiet: 'A program handles its own errors: no unhandled rejection, no crash.',
};

/** The sentence of a law; one of the user's own says it by its name. */
export const lawText = (law: string): string =>
  (LAW_TEXTS as Readonly<Record<string, string>>)[law] ?? 'A law of your own.';

/** The meaning of each class of disturbances. */
export const CLASS_TEXTS: Readonly<Record<DisturbanceClass, string>> = {
  harmless: 'what a service may do at any time',
  transient: 'over when it is tried again',
  final: 'only the user can decide what now',
};

/** The verdicts on a schedule, for somebody who has never read of them. */
export const TRIED_TEXTS = {
  survived: 'Survived: it passed all the same.',
  surfaced: 'Surfaced: it failed with an error, as it may.',
  unnoticed: 'Unnoticed: it passed as if nothing were missing.',
} as const;

/** How a failure came to light, and what follows from that. */
export const SURFACED_TEXTS = {
  app: 'It failed in an orderly way, as it may, with an error of its own',
  test: 'Only an assertion of the test noticed: without a test nobody would have',
} as const satisfies Readonly<Record<Surfaced['by'], string>>;

/** The usual mend of programs that break a law: the headline says it of the first finding. */
const FIRST: Readonly<Record<string, string>> = {
  settles: 'Give each wait a limit, longer than the 30 s between keepalives.',
  'harmless-passes': 'Take what a service may do at any time as what it is.',
  'transient-passes': 'Try again what is over when it is tried again.',
  once: 'Do not send again what may have been acted on.',
  unnoticed: 'Look at the status of each answer, and at the finish reason of each reply.',
  polite: 'Wait as long as Retry-After says, and send nothing again that cannot succeed.',
  tidy: 'Delete what was made, and see that it is gone.',
  quiet: 'Handle each error where it is thrown.',
};

/** The first thing to do, in one line. */
export function headlineOf(report: Pick<ExploreReport, 'findings' | 'unnoticed' | 'counts' | 'incomplete'>): string {
  const [first] = [...report.findings, ...report.unnoticed];
  const verdict = VERDICT_WORDS[verdictOf(report)];
  return first === undefined ? verdict : (FIRST[first.law] ?? `Keep the law ${first.law}.`);
}

export const VERDICT_WORDS = {
  clean: 'nothing found',
  unnoticed: 'no law broken, but some of it went unnoticed',
  broken: 'laws broken',
  incomplete: 'incomplete',
} as const;
export type ReportVerdict = keyof typeof VERDICT_WORDS;

export const verdictOf = ({ counts, incomplete }: Pick<ExploreReport, 'counts' | 'incomplete'>): ReportVerdict => {
  if (counts.breach > 0) return 'broken';
  if (incomplete.length > 0) return 'incomplete';
  return counts.unnoticed > 0 ? 'unnoticed' : 'clean';
};

const INCOMPLETE: Readonly<Record<string, string>> = {
  'max-runs': 'not all was tried: --max-runs was reached',
  'max-time': 'not all was tried: --max-time was reached',
  interrupted: 'not all was tried: it was interrupted',
  'not-reached':
    'more than a tenth of the schedules were not reached: the program does not do the same in each run; make it start afresh, or try --jobs 1',
  crossed:
    'a run passed without a request of its own, served by another run or by what one left; give each run a port and files of its own, or try --jobs 1',
  'not-alone': 'tests that pass with the others fail alone, and were not tried',
  'not-theirs': 'more than a tenth of the requests of all tests are of none that is known, and were not tried',
};
export const incompleteText = (why: string): string => INCOMPLETE[why] ?? why;

/** The trial and its result, in one line. */
export function summaryText({ counts, findings }: Omit<ExploreReport, 'text'>): string {
  const { run, schedules, survived, unnoticed, surfaced, byTest, breach, notReached } = counts;
  const tried = run === schedules ? counted(run, 'schedule') : `${run} of ${counted(schedules, 'schedule')}`;
  const parts = [
    `${survived} survived`,
    byTest === 0 ? `${surfaced} surfaced` : `${surfaced} surfaced (${byTest} by the test alone)`,
  ];
  if (unnoticed > 0) parts.push(`${unnoticed} unnoticed`);
  if (breach > 0) parts.push(`${breach} broke a law (${counted(findings.length, 'finding')})`);
  if (notReached > 0) parts.push(`${notReached} not reached`);
  return `${tried}: ${parts.join(', ')}`;
}

/** The causes of a finding, where there are more than the shown one: `12 schedules: cut, lost of chat; stall of create`. */
export function broughtAbout({ disturbances, count }: Finding): string | undefined {
  if (count < 2) return undefined;
  const operations = [...new Set(disturbances.map(({ operation }) => operation))];
  const lists = operations.map((operation) => {
    const kinds = disturbances.filter((one) => one.operation === operation).map(({ kind }) => kind);
    return `${kinds.join(', ')} of ${operation}`;
  });
  return `${count} schedules bring it about: ${lists.join('; ')}. The smallest is shown.`;
}

/** How a finding is done again. */
export interface Again {
  /** The file of a finding's schedule, where it was saved. */
  fileOf?(finding: Finding): string | undefined;
  /** The command that was explored. */
  readonly command?: readonly string[];
  /** Flags that the schedule's file cannot hold: those that name code. */
  readonly flags?: readonly string[];
  /** Flags of the emulators, for one that is served to a debugger. */
  readonly emulatorFlags?: readonly string[];
}

/** The lines that do a finding again: explored alone, and served to a debugger. */
export function againLines(finding: Finding, { fileOf, command, flags = [], emulatorFlags = [] }: Again): string[] {
  const file = fileOf?.(finding);
  if (file === undefined) return [`explore(program, { schedule: ${JSON.stringify(finding.schedule)} })`];
  const its = finding.test?.command ?? command;
  const again =
    its === undefined ? [] : [ownCommand('intern-emulator', ['explore', '--schedule', file, ...flags, '--', ...its])];
  return [...again, ownCommand('intern-emulator', ['--clock', 'auto', ...emulatorFlags, '--chaos', file])];
}
