import type { Results } from '../run/results.js';
import { ctrf } from './ctrf.js';
import { json } from './json.js';
import { junit } from './junit.js';
import { githubText } from './sheet/github.js';
import { markdownText } from './sheet/markdown.js';
import { pageText } from './sheet/page.js';
import { sheetOf, tty } from './tty.js';
import { headlineOf } from './words/coverage.js';

/** The JSON that shields.io reads from an endpoint (https://shields.io/badges/endpoint-badge). */
interface Badge {
  readonly schemaVersion: 1;
  readonly label: string;
  readonly message: string;
  readonly color: string;
  readonly isError?: true;
}

const COLOURS = { pass: 'brightgreen', fail: 'red', incomplete: 'yellow' } as const;

/** The verdict as a badge: an endpoint of shields.io (KIT-13). */
export function badge(results: Results): string {
  const { options, target, verdict } = results;
  const { checked, of, verdict: said } = headlineOf(results);
  const what = target.kind === 'client' ? 'client lab' : 'interns interface';
  const content: Badge = {
    schemaVersion: 1,
    label: options.requirements === undefined ? what : `${what} ${options.requirements}`,
    message: `${said}, ${checked} of ${of} checked`,
    color: COLOURS[verdict],
    ...(verdict === 'fail' ? { isError: true } : {}),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

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
