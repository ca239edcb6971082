import { visible } from '../../../emulator/contract/visible.js';
import { factLines } from '../clause.js';
import type { Sheet, Tone } from './sheet.js';

/** Text within a workflow command; newlines and percent signs would end it or be read as something else. */
const data = (text: string) => visible(text).replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
const property = (text: string) => data(text).replace(/:/g, '%3A').replace(/,/g, '%2C');

/** Facts that an annotation has no room for, and characters of the others. */
const LONG: readonly string[] = ['values', 'curl'];
const MOST = 500;

const kindOf = (tone: Tone | undefined) => (tone === 'bad' || tone === 'fault' ? 'error' : 'warning');

/** The workflow commands of GitHub Actions that annotate a run: one for each finding, one for each note that matters. */
export function githubText({ title, word, sum, notes, sections }: Sheet): string {
  const command = (kind: string, about: string, lines: readonly string[]) =>
    `::${kind} title=${property(about)}::${data(lines.join('\n'))}\n`;
  const found = sections.flatMap(({ title: shared, lines, after = [] }) =>
    lines.flatMap(({ tone, subject, sentence, said = [], facts = [], again }) => {
      if (again === undefined) return [];
      const short = [...facts, ...again].flatMap(([name, text]) =>
        LONG.includes(name) ? [] : ([[name, text.slice(0, MOST)]] as const),
      );
      return command(kindOf(tone), `${title}: ${shared ?? subject}`, [
        ...(sentence === undefined ? [] : [sentence]),
        ...said.map(({ text }) => text),
        ...factLines(short),
        ...after.map(({ text, beside = '' }) => `${text} ${beside}`.trim()),
      ]);
    }),
  );
  const noted = notes.flatMap(({ text, tone }) =>
    tone === 'bad' || tone === 'warn' ? command(kindOf(tone), title, [text]) : [],
  );
  return [...found, ...noted, command('notice', title, [`${word}: ${sum}`])].join('');
}
