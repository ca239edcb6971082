import type { Results } from '../run/results.js';
import { badge } from './badge.js';
import { ctrf } from './ctrf.js';
import { json } from './json.js';
import { junit } from './junit.js';
import { githubText } from './sheet/github.js';
import { markdownText } from './sheet/markdown.js';
import { pageText } from './sheet/page.js';
import { sheetOf, tty } from './tty.js';

/** Turns results into text. */
export type Reporter = (results: Results, options?: { readonly colour?: boolean }) => string;

/** Every kind of report by its name. */
export const REPORTERS = {
  tty,
  json,
  junit,
  html: (results) => pageText(sheetOf(results)),
  markdown: (results) => markdownText(sheetOf(results)),
  github: (results) => githubText(sheetOf(results)),
  ctrf,
  badge,
} as const satisfies Record<string, Reporter>;
type ReportKind = keyof typeof REPORTERS;

export const REPORT_KINDS = Object.keys(REPORTERS) as readonly ReportKind[];
