import { visible } from '../../emulator/contract/visible.js';
import type { Results } from '../engine/results.js';
import { clauseOf } from './clause.js';
import { groups } from './groups.js';
import { failsRun } from './label.js';
import { value } from './stream-text.js';
import { faultOf } from './title.js';
import { idsOf, LIKELY, summary } from './tty.js';
import { knownText } from './words/baseline.js';
import { hindranceText } from './words/cleanup.js';
import { findingText } from './words/finding.js';
import { incompleteText } from './words/stop.js';

/** Text within a workflow command; newlines and percent signs would end it or be read as something else. */
export const data = (text: string) => visible(text).replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
export const property = (text: string) => data(text).replace(/:/g, '%3A').replace(/,/g, '%2C');

/** GitHub Actions workflow commands: an annotation for each group of findings. The job summary is Markdown, written apart. */
export function github(results: Results): string {
  const lines: string[] = [];
  for (const { title, many: count, checks, parts } of groups(results.checks)) {
    const [check] = checks;
    const { finding, error } = check;
    const kind = check.verdict === 'error' || failsRun(check, results) ? 'error' : 'warning';
    const many = checks.length > 1 ? `${count}: ` : '';
    const { id, quote } = clauseOf(check);
    const heading = property(`${many}${checks.length > 1 ? title : check.id} (${id})`);
    const quoted = quote === undefined ? '' : `the interface: ${quote}\n`;
    const { what, expected, actual } = finding === undefined ? {} : findingText(finding);
    const text =
      finding === undefined
        ? `${faultOf(check)}: ${error?.message}`
        : `${check.title}\n${quoted}${what}\nexpected: ${value(expected, 500)}\nactual: ${value(actual, 500)}\nagain: ${finding.replay}`;
    const [same, ...rest] = parts;
    const known = check.knownAs === undefined ? '' : `\nknown: ${knownText(check.knownAs)}`;
    const ids = same.checks.length > 1 ? `\nchecks: ${idsOf(same.checks)}` : '';
    const others = rest.map((part) => `\n${LIKELY}: ${part.title}: ${idsOf(part.checks)}`).join('');
    lines.push(`::${kind} title=${heading}::${data(text + known + ids + others)}`);
  }
  for (const reason of results.incomplete) lines.push(`::error title=Conformance::${data(incompleteText(reason))}`);
  for (const left of results.cleanup.failed) {
    lines.push(
      `::warning title=Clean-up::${data(`left behind: ${left.id} ${left.name} (${hindranceText(left.because)})`)}`,
    );
  }
  lines.push(`::notice title=Conformance::${data(summary(results))}`);
  return `${lines.join('\n')}\n`;
}
