import { counted } from '../../emulator/contract/counted.js';
import { visible } from '../../emulator/contract/visible.js';
import type { CheckResult, Results, RunEvents } from '../run/results.js';
import { lineOf, sheetOf, toneOf } from './results-sheet.js';
import { coloursFor, fullRows, painted, type TerminalOptions, terminalText } from './sheet/terminal.js';
import { titleOf } from './title.js';
import { labelOf } from './words/legend.js';
import { targetText } from './words/run.js';
import { skipWords } from './words/skip.js';

/** One failing check in full, as text: what was asked, what came, how to repeat it. */
export const failureText = (check: CheckResult): string => fullRows(lineOf(check), coloursFor()).join('\n');

/** Why a run ended before its first check, having made nothing (KIT-5): that is all there is to say. */
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
