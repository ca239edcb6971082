import type { ExploreReport } from '../types.js';
import { exploreGithub, exploreJson, exploreJunit, exploreMarkdown } from './files.js';
import { exploreHtml } from './html.js';
import { exploreText, type TextOptions } from './text.js';

/** Every kind of report of an exploration by its name, as the kit's are named. */
export const EXPLORE_REPORTERS = {
  tty: exploreText,
  json: exploreJson,
  junit: exploreJunit,
  html: exploreHtml,
  markdown: exploreMarkdown,
  github: exploreGithub,
} as const satisfies Record<string, (report: ExploreReport, options?: TextOptions) => string>;
export type ExploreReportKind = keyof typeof EXPLORE_REPORTERS;
export const EXPLORE_REPORT_KINDS = Object.keys(EXPLORE_REPORTERS) as readonly ExploreReportKind[];
