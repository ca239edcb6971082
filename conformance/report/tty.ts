import { counted } from '../../emulator/contract/counted.js';
import { visible } from '../../emulator/contract/visible.js';
import { ownCommand } from '../run/replay.js';
import type { CheckResult, Results, RunEvents } from '../run/results.js';
import { clauseOf, type Fact, factsOf, levelOf } from './clause.js';
import { type FindingGroup, groups } from './groups.js';
import { heldText, neverSection, requirementsSection } from './requirements.js';
import type { Line, Said, Section, Sheet, Tone } from './sheet/sheet.js';
import { coloursFor, fullRows, painted, type TerminalOptions, terminalText } from './sheet/terminal.js';
import { seconds } from './stream-text.js';
import { faultOf, titleOf } from './title.js';
import { choices, headlineOf, idsOf, knownText, LIKELY, sumText, targetText, unseen } from './words/coverage.js';
import { failsRun, type Label, LEVELS, labelOf, wordsOf } from './words/legend.js';
import { skipWords } from './words/skip.js';
import { hindranceText, incompleteText } from './words/stop.js';

const TONES: Readonly<Record<Label, Tone>> = {
  pass: 'good',
  'pass-alternative': 'good',
  fail: 'bad',
  warn: 'warn',
  skip: 'quiet',
  error: 'fault',
  known: 'warn',
  new: 'new',
};

export const toneOf = (check: CheckResult): Tone => TONES[labelOf(check)];
const marked = (check: CheckResult) => ({ mark: labelOf(check).padEnd(5), tone: toneOf(check) });

/** Lines of the stack of an error. */
const STACK = 3;

/** The latest exchange before an error. */
const afterText = ({ transcript }: NonNullable<CheckResult['error']>): string => {
  const last = transcript.at(-1);
  return last === undefined ? '' : ` after exchange ${last.number}`;
};

/** A check that found something, in full. */
export function lineOf(check: CheckResult): Line {
  const { clause, error, finding, knownAs, requirement, title } = check;
  const { id, sentence, where } = clauseOf(check);
  const met = id === requirement ? '' : `, met by a check of ${requirement}`;
  const stack = error?.stack?.split('\n').slice(1, STACK + 1) ?? [];
  const facts = factsOf(check);
  const again = facts.filter(([name]) => name === 'curl' || name === 'again').reverse();
  const known: Fact[] = knownAs === undefined ? [] : [['known', knownText(knownAs)]];
  return {
    ...marked(check),
    subject: check.id,
    beside: `${id}, ${LEVELS[levelOf(check)]}${met}`,
    said: [
      ...(clause === undefined ? [] : [{ text: title }]),
      { text: sentence, beside: `(${where})` },
      ...(error === undefined ? [] : [{ text: `${faultOf(check)}${afterText(error)}: ${error.message}` }]),
      ...stack.map((text): Said => ({ text, tone: 'quiet' })),
    ],
    facts: [...known, ...facts.filter((fact) => !again.includes(fact))],
    ...(finding && { finding }),
    ...((finding ?? error) && { exchanges: (finding ?? error)?.transcript ?? [] }),
    again,
  };
}

/** Findings that say the same: one in full, the others by their ids. */
function groupSection({ title, many, checks, parts: [same, ...rest] }: FindingGroup, results: Results): Section {
  const [first] = checks;
  return {
    ...(checks.length > 1 && { title: `${many}: ${title}` }),
    lines: [{ ...lineOf(first), ...(failsRun(first, results) && { tone: 'bad' }) }],
    after: [
      ...(same.checks.length > 1 ? [{ text: `and so do ${idsOf(same.checks.slice(1))}`, tone: 'quiet' as const }] : []),
      ...(rest.length > 0 ? [{ text: LIKELY }] : []),
      ...rest.map((part) => ({ text: `  ${part.title}:`, beside: idsOf(part.checks) })),
    ],
  };
}

const wrongLine = ({ title, many, checks }: FindingGroup): Line => {
  const [first, ...others] = checks;
  const { knownAs } = first;
  return {
    ...marked(first),
    subject: others.length > 0 ? many : first.id,
    sentence: title,
    ...(knownAs && { beside: `(${knownText(knownAs)})` }),
  };
};

const flakyLines = ({ checks }: Results): Line[] =>
  checks.flatMap(({ id, finding, knownAs }) =>
    knownAs?.flaky === undefined || finding !== undefined
      ? []
      : [{ mark: '', subject: id, sentence: knownText(knownAs) }],
  );

/** Most leftovers that get a line each. */
const FEW = 5;

/** The lines on leftovers: one each, or one for many. */
function leftBehind(failed: Results['cleanup']['failed']): readonly string[] {
  const one = ({ id, name, because }: (typeof failed)[number]) => `${id} ${name} (${hindranceText(because)})`;
  const [first] = failed;
  if (first === undefined || failed.length <= FEW) return failed.map((left) => `left behind: ${one(left)}`);
  return [`left behind: ${failed.length}, such as ${one(first)}; all: ${failed.map(({ id }) => id).join(', ')}`];
}

function cleanupNotes({ cleanup, run, target }: Results): Said[] {
  const { created, deleted, failed, unsearched } = cleanup;
  const again = ownCommand('intern-conformance', ['cleanup', run, '--url', target.url]);
  return [
    ...(created > 0 ? [{ text: `clean-up: deleted ${deleted} of the ${created} that it created` }] : []),
    ...(unsearched === undefined
      ? []
      : [{ text: `clean-up could not search: ${hindranceText(unsearched)}`, tone: 'warn' as const }]),
    ...leftBehind(failed).map((text) => ({ text, tone: 'bad' as const })),
    ...(failed.length > 0 ? [{ text: `try again with: ${again}` }] : []),
  ];
}

/** The report of a run: of the kit, the client lab, drift or the judge. */
export function sheetOf(results: Results): Sheet {
  const { requests, duration, incomplete, verdict } = results;
  const found = groups(results.checks);
  const isClean = found.length === 0;
  const headline = headlineOf(results);
  const missed = unseen(results);
  return {
    title: wordsOf(results).title,
    verdict,
    word: headline.verdict,
    sum: sumText(results),
    notes: [
      ...[heldText(results), headline.emulatorsOnly].flatMap((text) => (text === undefined ? [] : { text })),
      { text: `${counted(requests, 'request')} in ${seconds(duration)}${choices(results)}` },
      ...cleanupNotes(results),
      ...(missed === undefined ? [] : [{ text: missed, tone: 'warn' as const }]),
      ...incomplete.map((reason) => ({ text: incompleteText(reason), tone: 'bad' as const })),
    ],
    sections: [
      ...(isClean ? requirementsSection(results, true) : []),
      ...found.map((group) => groupSection(group, results)),
      neverSection(results),
      { title: 'Flaky, and not failing now', lines: flakyLines(results) },
      ...(isClean ? [] : requirementsSection(results, false)),
    ],
    wrong: found.map(wrongLine),
  };
}

/** One failing check in full, as text: what was asked, what came, how to repeat it. */
export const failureText = (check: CheckResult): string => fullRows(lineOf(check), coloursFor()).join('\n');

/** Why a run ended before its first check, and made nothing (KIT-5). The report says only that. */
function stoppedBefore({ checks, cleanup }: Results): string | undefined {
  const over = checks.length > 0 && checks.every(({ skip }) => skip?.kind === 'stopped') && cleanup.created === 0;
  const skip = over && cleanup.unsearched === undefined ? checks[0]?.skip : undefined;
  return skip === undefined ? undefined : skipWords(skip).why;
}

/** The verdict and its reasons, for a terminal. */
export function tty(results: Results, options: TerminalOptions = {}): string {
  const c = coloursFor(options.colour);
  const why = stoppedBefore(results);
  return why === undefined
    ? terminalText(sheetOf(results), options)
    : `${c.bold(c.yellow('incomplete'))}: no check ran, ${visible(why)}  ${visible(targetText(results.target))}\n`;
}

/** Progress while a run goes on: one line that is overwritten on a terminal, and a line per finding. */
export function progress(
  write: (text: string) => void,
  options: {
    readonly colour: boolean;
    readonly live: boolean;
    readonly width: number;
    /** Receives the lines of findings. Default: `write`. */
    readonly finding?: ((text: string) => void) | undefined;
  },
): RunEvents {
  const c = coloursFor(options.colour);
  const clear = options.live ? '\r\u001b[2K' : '';
  return {
    start({ checks, kind, target }) {
      write(`${counted(checks, kind === 'scenario' ? 'exchange' : kind)} against ${visible(targetText(target))}\n`);
    },
    checkStart({ id, index, of }) {
      if (options.live) write(`${clear}${`${index + 1}/${of} ${id}`.slice(0, options.width - 1)}`);
    },
    checkEnd(result, { index, of }) {
      if (['pass', 'pass-alternative', 'skip'].includes(result.verdict)) {
        if (!options.live && (index + 1) % 50 === 0) write(`${index + 1}/${of}\n`);
        return;
      }
      write(clear);
      (options.finding ?? write)(
        `${painted(c, toneOf(result), labelOf(result).padEnd(5))} ${result.id}  ${visible(titleOf(result))}\n`,
      );
    },
    cleanup() {
      write(clear);
    },
  };
}
