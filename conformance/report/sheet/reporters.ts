import { visibleJson } from '../../../emulator/contract/visible.js';
import { markdownText } from './markdown.js';
import { pageText } from './page.js';
import type { Sheet } from './sheet.js';
import { type TerminalOptions, terminalText } from './terminal.js';

/** The kinds of report of a comparison. */
export const SHEET_KINDS = ['tty', 'markdown', 'json', 'html'] as const;

/** Every kind of report of a comparison by its name, from its sheet and from its data. */
export const sheetReporters = <Compared>(
  sheetOf: (compared: Compared) => Sheet,
  dataOf: (compared: Compared) => object,
) => ({
  tty: (compared: Compared, looks?: TerminalOptions) => terminalText(sheetOf(compared), looks),
  markdown: (compared: Compared) => markdownText(sheetOf(compared)),
  // No text of a target is a command to a runner of GitHub Actions.
  json: (compared: Compared) => `${visibleJson(dataOf(compared), 2)}\n`,
  html: (compared: Compared) => pageText(sheetOf(compared)),
});
