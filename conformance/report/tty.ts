import { counted } from '../../emulator/contract/counted.js';
import { ownCommand } from '../../emulator/contract/pasted.js';
import { visible } from '../../emulator/contract/visible.js';
import type { Results, RunEvents } from '../run/results.js';
import { type FindingGroup, groups } from './groups.js';
import { heldText, neverSection, requirementsSection } from './requirements.js';
import { lineOf, marked, type ResultLine, resultLines, toneOf } from './result-line.js';
import type { Line, Said, Section, Sheet } from './sheet/sheet.js';
import { coloursFor, painted, type TerminalOptions, terminalText } from './sheet/terminal.js';
import { seconds } from './stream-text.js';
import { titleOf } from './title.js';
import {
  choices,
  headlineOf,
  headVerdict,
  idsOf,
  knownText,
  LIKELY,
  sumText,
  targetText,
  unseen,
} from './words/coverage.js';
import { failsRun, LABELS, labelOf, wordsOf } from './words/legend.js';
import { skipWords } from './words/skip.js';
import { hindranceText, incompleteText } from './words/stop.js';

/** Findings that say the same: one in full, the others by their ids. */
function groupSection(group: FindingGroup, results: Results, whole: ResultLine): Section {
  const { title, many, checks, parts } = group;
  const [first] = checks;
  const [same, ...rest] = parts;
  return {
    findings: [wrongLine(group, whole)],
    ...(checks.length > 1 && { title: `${many}: ${title}` }),
    lines: [{ ...lineOf(first), ...(failsRun(first, results) && { tone: 'bad' }) }],
    after: [
      ...(same.checks.length > 1 ? [{ text: `and so do ${idsOf(same.checks.slice(1))}`, tone: 'quiet' as const }] : []),
      ...(rest.length > 0 ? [{ text: LIKELY }] : []),
      ...rest.map((part) => ({ text: `  ${part.title}:`, beside: idsOf(part.checks) })),
    ],
  };
}

/** Most findings that are named because they follow from the first. */
const FOLLOWERS = 3;

/** The further sentences of a cause. */
function followers([, ...others]: FindingGroup['parts']): Said[] {
  const more = others.length - FOLLOWERS;
  const named = others.slice(0, FOLLOWERS).map(({ title }) => title);
  if (more > 0) named.push(`and ${more} more`);
  return others.length === 0 ? [] : [{ text: `${LIKELY}: ${named.join('; ')}` }];
}

function wrongLine({ title, many, checks, parts }: FindingGroup, whole: ResultLine): Line {
  const [first, ...others] = checks;
  const { knownAs } = first;
  return {
    ...marked(first),
    subject: others.length > 0 ? many : first.id,
    sentence: title,
    said: followers(parts),
    ...(knownAs && { beside: `(${knownText(knownAs)})` }),
    members: checks.map(whole),
  };
}

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
  const { checks, duration, incomplete, kit, options, requests, started, target, verdict } = results;
  const found = groups(checks);
  const isClean = found.length === 0;
  const headline = headlineOf(results);
  const missed = unseen(results);
  const words = wordsOf(results);
  const whole = resultLines(results);
  const held = options.requirements === undefined ? '' : `, held to the set ${options.requirements}`;
  return {
    title: words.title,
    verdict,
    word: headline.verdict,
    heading: words.verdicts?.[verdict] ?? headVerdict(results),
    sum: sumText(results),
    explained: `${started}${target.published ? ', published' : ''}${held}, kit ${kit}. ${words.proof}`,
    counts: LABELS.map((label) => ({ label, many: headline.counts[label], means: words.legend[label] })).filter(
      ({ many }) => many > 0,
    ),
    talk: words,
    notes: [
      ...[heldText(results), headline.emulatorsOnly].flatMap((text) => (text === undefined ? [] : { text })),
      { text: `${counted(requests, 'request')} in ${seconds(duration)}${choices(results)}` },
      ...cleanupNotes(results),
      ...(missed === undefined ? [] : [{ text: missed, tone: 'warn' as const }]),
      ...incomplete.map((reason) => ({ text: incompleteText(reason), tone: 'bad' as const })),
    ],
    sections: [
      ...(isClean ? requirementsSection(results, whole, 'everywhere') : []),
      ...found.map((group) => groupSection(group, results, whole)),
      neverSection(results, whole),
      { title: 'Flaky, and not failing now', lines: flakyLines(results) },
      ...(isClean ? [] : requirementsSection(results, whole, 'folded')),
    ],
  };
}

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
