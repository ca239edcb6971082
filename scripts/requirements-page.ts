import { LEVELS } from '../conformance/report/words/legend.js';
import { publishedOf } from '../conformance/requirements/published.js';
import type { Level, Requirement } from '../conformance/requirements/requirement.js';
import type { Check } from '../conformance/run/check.js';
import { cell } from './page-parts.js';

/** The ledger as a page of the documentation. */
export function requirementsPage(rows: readonly Requirement[], checks: readonly Check[]): string {
  const counted = (level: Level) => checks.filter((check) => check.level === level).length;
  const lines = [
    '# Requirements',
    '',
    'The checks of a requirement, and what each holds, needs and sends:',
    '',
    '```sh',
    'npx intern-conformance --plan --only LIST-2',
    '```',
    '',
    '| level | checks | a breach |',
    '|---|---|---|',
    `| stated (S) | ${counted('S')} | fails any target |`,
    `| published (P) | ${counted('P')} | fails a target whose profile says \`published: true\`, and warns elsewhere |`,
    `| chosen (C) | ${counted('C')} | is looked for on an emulator only |`,
    '',
    `${rows.length} requirements. \`npx vitest run conformance/requirements -u\` writes this page.`,
  ];
  for (const row of rows) {
    const published = publishedOf(row.id);
    const where = published?.where ?? (row.level === 'S' ? row.where : undefined);
    const place = where === undefined ? '' : ` (${where})`;
    lines.push('', `## ${row.id}`, '', `- ${LEVELS[row.level]}${place}: ${cell(row.sentence)}`);
    if (row.published !== undefined) lines.push(`- published: ${cell(row.published)}`);
    if (row.chosen !== undefined) lines.push(`- chosen: ${cell(row.chosen)}`);
    if (row.excluded !== undefined) lines.push(`- not checked: ${cell(row.excluded)}`);
  }
  return `${lines.join('\n')}\n`;
}
