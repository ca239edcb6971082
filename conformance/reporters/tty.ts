import pc from 'picocolors';
import { counted } from '../../emulator/contract/counted.js';
import { visible } from '../../emulator/contract/visible.js';
import { isFailure } from '../engine/baseline.js';
import { ownCommand } from '../engine/replay.js';
import type { CheckResult, Results, RunEvents } from '../engine/results.js';
import { clauseOf, levelOf } from './clause.js';
import { type Fact, factsOf } from './facts.js';
import { groups, skips } from './groups.js';
import { LEVELS, labelOf } from './label.js';
import { exchangeLines, seconds, shortExchange } from './stream-text.js';
import { faultOf, titleOf } from './title.js';
import { knownText } from './words/baseline.js';
import { hindranceText } from './words/cleanup.js';
import { headlineOf, neverCameUp, shownOf } from './words/coverage.js';
import { skipWords } from './words/skip.js';
import { incompleteText } from './words/stop.js';

/** The colours that a report uses; written out, so that its types need no package of their own. */
type Colours = Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'magenta', (text: string) => string>;

const mark = (c: Colours, check: CheckResult): string => {
  const label = labelOf(check);
  const paint = {
    pass: c.green,
    'pass-alternative': c.green,
    fail: c.red,
    warn: c.yellow,
    skip: c.dim,
    error: c.magenta,
    known: c.yellow,
    new: c.cyan,
  }[label];
  return paint(label.padEnd(5));
};

/** The line above findings that say something else, and follow from the first one as far as the kit can know. */
export const LIKELY = 'likely the same cause';

/** The ids of checks in one line. */
export const idsOf = (checks: readonly CheckResult[]): string => checks.map(({ id }) => id).join(', ');

/** A fact in lines, its name in front of the first. */
function block([name, text]: Fact, c: Colours): string[] {
  const paint = { expected: c.green, actual: c.red }[name] ?? String;
  const [first = '', ...rest] = visible(text).split('\n').map(paint);
  return [`  ${name.padEnd(9)} ${first}`, ...rest.map((line) => `            ${line}`)];
}

/** One failing check in full: what was asked, what came, how to repeat it. */
export function failure(check: CheckResult, c: Colours, most = 12): string[] {
  const { id, sentence, where } = clauseOf(check);
  const met = id === check.requirement ? '' : `, met by a check of ${check.requirement}`;
  const lines = [
    `${mark(c, check)} ${c.bold(check.id)}  ${c.dim(`${id}, ${LEVELS[levelOf(check)]}${met}`)}`,
    ...(check.clause === undefined ? [] : [`  ${visible(check.title)}`]),
    `  ${sentence} ${c.dim(`(${where})`)}`,
    ...(check.knownAs === undefined ? [] : block(['known', knownText(check.knownAs)], c)),
  ];
  const { finding, error } = check;
  if (error !== undefined) {
    lines.push(`  ${faultOf(check)}: ${visible(error.message)}`);
    if (error.stack !== undefined)
      lines.push(
        ...error.stack
          .split('\n')
          .slice(1, 4)
          .map((line) => c.dim(`  ${visible(line)}`)),
      );
    return lines;
  }
  if (finding === undefined) return lines;
  const facts = factsOf(check);
  const last = facts.filter(([name]) => name === 'curl' || name === 'again').reverse();
  lines.push(...facts.filter((fact) => !last.includes(fact)).flatMap((fact) => block(fact, c)));
  const shown = finding.transcript.slice(-3);
  if (shown.length < finding.transcript.length)
    lines.push(c.dim(`  … ${finding.transcript.length - shown.length} requests before`));
  for (const exchange of shown) {
    lines.push(...shortExchange(exchangeLines(exchange, 400, finding), most).map((line) => c.dim(`  ${line}`)));
  }
  return [...lines, ...last.flatMap((fact) => block(fact, c))];
}

/** The same as text without colours. */
export const failureText = (check: CheckResult): string => failure(check, pc.createColors(false)).join('\n');

/** A note on a run in which the intern asked nothing, or no permission; undefined if it asked both. */
export function unseen({ coverage }: Results): string | undefined {
  const own = 'A prompt of your own may lead it there: prompts in a config file.';
  if (coverage.noQuestionSeen)
    return `The intern asked nothing in this run: how questions are asked and answered was not seen, nor whether approval_mode manual makes it ask (CHAT-8). ${own}`;
  if (coverage.noPermissionSeen === true)
    return `The intern asked for no permission in this run, although prompts under approval_mode manual named its shell: whether manual makes it ask (CHAT-8) was not judged. ${own}`;
  return undefined;
}

/** Why a run ended before its first check, having made nothing (KIT-5): that is all there is to say. */
function stoppedBefore({ checks, cleanup }: Results): string | undefined {
  const over = checks.length > 0 && checks.every(({ skip }) => skip?.kind === 'stopped') && cleanup.created === 0;
  const skip = over && cleanup.unsearched === undefined ? checks[0]?.skip : undefined;
  return skip === undefined ? undefined : skipWords(skip).why;
}

/** The inputs of a run, if they decide anything: recordings have neither seed nor properties. */
export function choices({ options, target }: Results): string {
  if (options.seed === '') return '';
  return `, seed ${options.seed}${target.kind === 'client' ? '' : `, ${counted(options.runs, 'run')} per property`}`;
}

/** The verdict and its reasons, for a terminal. */
export function tty(results: Results, options: { readonly colour?: boolean } = {}): string {
  const c = pc.createColors(options.colour === true);
  const why = stoppedBefore(results);
  if (why !== undefined)
    return `${c.bold(c.yellow('incomplete'))}: no check ran, ${visible(why)}  ${targetText(results.target)}\n`;
  const lines: string[] = [];
  const found = groups(results.checks);
  for (const { title, many, checks, parts } of found) {
    const [first, ...others] = checks;
    if (others.length > 0) lines.push('', c.bold(`${many}: ${visible(title)}`));
    lines.push('', ...failure(first, c));
    const [same, ...rest] = parts;
    if (same.checks.length > 1) lines.push(c.dim(`  and so do ${idsOf(same.checks.slice(1))}`));
    if (rest.length > 0) lines.push(`  ${LIKELY}`);
    for (const part of rest) lines.push(`    ${visible(part.title)}: ${c.dim(idsOf(part.checks))}`);
  }
  const skipped = skips(shownOf(results));
  if (skipped.length > 0) lines.push('', c.bold('Skipped'));
  for (const { kind, need, why, ids } of skipped) {
    // Skips that the intern, or the moment, decided differ from check to check.
    const one = kind === 'intern' || kind === 'race' ? c.dim(`${ids[0]}: `) : '';
    const needs = kind === 'need' ? 'needs ' : '';
    lines.push(`  ${String(ids.length).padStart(4)}  ${needs}${c.cyan(visible(need))}: ${one}${visible(why)}`);
  }
  const flaky = results.checks.filter(({ finding, knownAs }) => knownAs?.flaky !== undefined && finding === undefined);
  if (flaky.length > 0) lines.push('', c.bold('Flaky, and not failing now'));
  for (const { id, knownAs = {} } of flaky) lines.push(`  ${id}: ${visible(knownText(knownAs))}`);
  // Repeated at the end, because what is above may fill many screens.
  if (found.length > 0) lines.push('', c.bold('What is wrong'));
  for (const { title, many, checks } of found) {
    const [first, ...others] = checks;
    const known = first.knownAs === undefined ? '' : c.dim(` (${visible(knownText(first.knownAs))})`);
    lines.push(`  ${mark(c, first)}  ${others.length > 0 ? many : first.id}: ${visible(title)}${known}`);
  }
  const kept = results.requirements.filter((row) => row.verdict === 'pass').length;
  const evaluated = results.requirements.filter((row) => !['none', 'excluded', 'skip'].includes(row.verdict)).length;
  lines.push('', summary(results, c));
  if (results.requirements.length > 0) {
    const judged = results.requirements.reduce((sum, row) => sum + (row.judged ?? 0), 0);
    const never = neverCameUp(results);
    lines.push(
      `  requirements: ${kept} of ${evaluated} checked are kept, ${results.requirements.length} in the ledger; rules were held against exchanges ${judged} times`,
    );
    if (evaluated > never.length && never.length > 0) lines.push(c.dim(`  never came up: ${never.join(', ')}`));
  }
  const { requirements, emulatorsOnly } = headlineOf(results);
  if (requirements !== undefined) lines.push(`  ${requirements}`);
  if (emulatorsOnly !== undefined) lines.push(c.dim(`  ${emulatorsOnly}`));
  lines.push(`  ${counted(results.requests, 'request')} in ${seconds(results.duration)}${choices(results)}`);
  const { cleanup } = results;
  if (cleanup.created > 0)
    lines.push(`  clean-up: deleted ${cleanup.deleted} of the ${cleanup.created} that it created`);
  if (cleanup.unsearched !== undefined)
    lines.push(c.yellow(`  clean-up could not search: ${visible(hindranceText(cleanup.unsearched))}`));
  for (const left of cleanup.failed)
    lines.push(
      c.red(`  left behind: ${visible(left.id)} ${visible(left.name)} (${visible(hindranceText(left.because))})`),
    );
  if (cleanup.failed.length > 0)
    lines.push(
      `  try again with: ${ownCommand('intern-conformance', ['cleanup', results.run, '--url', results.target.url])}`,
    );
  const missed = unseen(results);
  if (missed !== undefined) lines.push(c.yellow(`  ${missed}`));
  for (const reason of results.incomplete) lines.push(`  ${visible(incompleteText(reason))}`);
  return `${lines.join('\n')}\n`;
}

const sum = <Row>(rows: readonly Row[], of: (row: Row) => number): number =>
  rows.reduce((total, row) => total + of(row), 0);

/** The name of the target; an emulator in this process has no address that anybody could reach. */
export const addressText = ({ url, inProcess }: Results['target']): string =>
  inProcess === true ? 'an emulator in this process' : url;

const targetText = (target: Results['target']): string => {
  const { kind, profile } = target;
  return `${visible(addressText(target))} (${kind}${kind === 'client' ? '' : `, profile ${profile}`})`;
};

/** One line: the verdict and the counts. */
export function summary(results: Results, c: Colours = pc.createColors(false)): string {
  const paint = { pass: c.green, fail: c.red, incomplete: c.yellow }[results.verdict];
  const { checked, counts, of, not, verdict } = headlineOf(results);
  const { pass, fail, warn, skip, error, known, 'pass-alternative': alternative } = counts;
  const reasons = not.map(({ count, why }) => `${count} ${visible(why)}`).join(', ');
  const covered =
    checked === of ? `all ${of} checked` : `${checked} of ${of} checked, ${of - checked} not (${reasons})`;
  const parts = [`${pass} pass`];
  if (alternative > 0) parts.push(`${alternative} pass-alternative`);
  parts.push(`${fail} fail`, `${warn} warn`, `${skip} skip`, `${error} error`);
  if (known > 0) parts.push(`${known} known`);
  const flaky = results.checks.flatMap(({ knownAs }) => knownAs?.flaky ?? []);
  if (flaky.length > 0)
    parts.push(`flaky: failed ${sum(flaky, ({ failed }) => failed)} of ${sum(flaky, ({ of: tried }) => tried)}`);
  const fresh = results.checks.filter((check) => check.new === true);
  const failing = fresh.filter((check) => isFailure(check, results.options.failOn)).length;
  if (fresh.length > 0) parts.push(`${fresh.length} new${failing === 0 ? '' : ` (${failing} failing)`}`);
  return `${c.bold(paint(visible(verdict)))}: ${covered}  ${parts.join(', ')}  ${targetText(results.target)}`;
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
  const c = pc.createColors(options.colour);
  const clear = options.live ? '\r\u001b[2K' : '';
  return {
    start({ checks, kind, target }) {
      write(`${counted(checks, kind === 'scenario' ? 'exchange' : kind)} against ${targetText(target)}\n`);
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
      (options.finding ?? write)(`${mark(c, result)} ${result.id}  ${visible(titleOf(result))}\n`);
    },
    cleanup() {
      write(clear);
    },
  };
}
