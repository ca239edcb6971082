import { visible } from '../../emulator/contract/visible.js';
import type { Results } from '../engine/results.js';
import { clauseOf } from './clause.js';
import { factLines, factsOf } from './facts.js';
import { groups } from './groups.js';
import { failsRun } from './label.js';
import { faultOf } from './title.js';
import { idsOf, LIKELY, summary } from './tty.js';
import { knownText } from './words/baseline.js';
import { hindranceText } from './words/cleanup.js';
import { incompleteText } from './words/stop.js';

/** Something that GitHub Actions shows beside the code. */
export interface Annotation {
  readonly kind: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly lines: readonly string[];
}

/** Text within a workflow command; newlines and percent signs would end it or be read as something else. */
const data = (text: string) => visible(text).replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
const property = (text: string) => data(text).replace(/:/g, '%3A').replace(/,/g, '%2C');

/** Annotations as GitHub Actions workflow commands. */
export const annotated = (all: readonly Annotation[]): string =>
  all.map(({ kind, title, lines }) => `::${kind} title=${property(title)}::${data(lines.join('\n'))}\n`).join('');

/** Facts that an annotation has no room for. */
const LONG: readonly string[] = ['values', 'curl'];

/** An annotation for each group of findings. The job summary is Markdown, written apart. */
export function github(results: Results): string {
  const all = groups(results.checks).map(({ title, many, checks, parts }): Annotation => {
    const [check, ...alike] = checks;
    const [same, ...rest] = parts;
    const facts = factLines(factsOf(check, 500).filter(([name]) => !LONG.includes(name)));
    return {
      kind: check.verdict === 'error' || failsRun(check, results) ? 'error' : 'warning',
      title: `${alike.length > 0 ? `${many}: ${title}` : check.id} (${clauseOf(check).id})`,
      lines: [
        ...(check.finding === undefined ? [`${faultOf(check)}: ${check.error?.message}`] : [check.title, ...facts]),
        ...(check.knownAs === undefined ? [] : [`known: ${knownText(check.knownAs)}`]),
        ...(same.checks.length > 1 ? [`checks: ${idsOf(same.checks)}`] : []),
        ...rest.map((part) => `${LIKELY}: ${part.title}: ${idsOf(part.checks)}`),
      ],
    };
  });
  for (const reason of results.incomplete)
    all.push({ kind: 'error', title: 'Conformance', lines: [incompleteText(reason)] });
  for (const { id, name, because } of results.cleanup.failed)
    all.push({ kind: 'warning', title: 'Clean-up', lines: [`left behind: ${id} ${name} (${hindranceText(because)})`] });
  return annotated([...all, { kind: 'notice', title: 'Conformance', lines: [summary(results)] }]);
}
