import type { Check } from '../conformance/framework/check.js';
import { publishedOf } from '../conformance/requirements/published.js';
import type { Level, Requirement } from '../conformance/requirements/requirement.js';

const LEVELS: Readonly<Record<Level, string>> = { S: 'stated', P: 'published', C: 'chosen' };

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('*', '\\*');

/** The ledger with its checks as a page of the documentation. */
export function requirementsPage(rows: readonly Requirement[], checks: readonly Check[]): string {
  const counted = (level: Level) => checks.filter((check) => check.level === level).length;
  const lines = [
    '# Requirements and their checks',
    '',
    'Written by a test from `conformance/requirements` and `conformance/checks`; `npx vitest run conformance/requirements -u` writes it anew.',
    '',
    `${rows.length} requirements, ${checks.length} checks: ${counted('S')} of what is stated (S), ${counted('P')} of what is published (P), ${counted('C')} of what is chosen (C).`,
    'A broken stated requirement fails any target. A broken published one fails a target whose profile says `published: true`, and warns elsewhere. A chosen one is looked at on an emulator only.',
  ];
  for (const row of rows) {
    const mine = checks.filter((check) => check.requirement === row.id);
    lines.push('', `## ${row.id}`, '', `- ${LEVELS[row.level]} (${row.where}): ${cell(row.sentence)}`);
    const published = publishedOf(row.id);
    if (published !== undefined) lines.push(`- “${cell(published.quote)}” (${published.where})`);
    if (row.published !== undefined) lines.push(`- published: ${cell(row.published)}`);
    if (row.chosen !== undefined) lines.push(`- chosen: ${cell(row.chosen)}`);
    if (row.excluded !== undefined) lines.push(`- not checked: ${cell(row.excluded)}`);
    if (mine.length === 0) continue;
    lines.push('', '| check | level | holds that | needs |', '|---|---|---|---|');
    for (const check of mine) {
      lines.push(`| \`${check.id}\` | ${check.level} | ${cell(check.title)} | ${check.needs.join(', ')} |`);
    }
  }
  return `${lines.join('\n')}\n`;
}
