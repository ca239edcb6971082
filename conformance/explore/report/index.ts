import { githubText } from '../../report/sheet/github.js';
import { markdownText } from '../../report/sheet/markdown.js';
import { pageText } from '../../report/sheet/page.js';
import { type TerminalOptions, terminalText } from '../../report/sheet/terminal.js';
import type { ExploreReport } from '../types.js';
import { exploreJson, exploreJunit } from './files.js';
import { sheetOf } from './sheet.js';
import type { Again } from './words.js';

export interface ReportOptions extends Again, TerminalOptions {}

/** Every kind of report of an exploration by its name, as the kit's are named. */
export const EXPLORE_REPORTERS = {
  tty: (report, options = {}) => terminalText(sheetOf(report, { ...options, timed: true }), options),
  json: exploreJson,
  junit: exploreJunit,
  html: (report, options) => pageText(sheetOf(report, options)),
  markdown: (report, options) => markdownText(sheetOf(report, options)),
  github: (report, options) => githubText(sheetOf(report, options)),
} as const satisfies Record<string, (report: ExploreReport, options?: ReportOptions) => string>;
export type ExploreReportKind = keyof typeof EXPLORE_REPORTERS;
export const EXPLORE_REPORT_KINDS = Object.keys(EXPLORE_REPORTERS) as readonly ExploreReportKind[];
