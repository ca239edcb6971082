import type { Row } from '../../../emulator/contract/side-by-side.js';
import type { ShownExchange } from '../../probe/evidence.js';
import type { Level } from '../../requirements/index.js';
import type { FindingResult } from '../../run/results.js';
import type { Fact } from '../clause.js';
import type { Label, Words } from '../words/legend.js';

/** The meaning of a word, and its colour where there are colours. */
export type Tone = 'good' | 'bad' | 'warn' | 'fault' | 'new' | 'quiet';

/** A text as it came, and less important text beside it. Each kind of report makes them safe. */
export interface Said {
  readonly text: string;
  readonly beside?: string;
  readonly tone?: Tone;
}

/** One thing that a report tells, of whichever product. A line with facts, or with something said, takes several rows. */
export interface Line {
  /** The word in front: `fail`, `✗`, how many. */
  readonly mark: string;
  readonly tone?: Tone;
  /** The id of a check, the name of a law, the need that is not met. */
  readonly subject: string;
  readonly sentence?: string;
  readonly beside?: string;
  readonly said?: readonly Said[];
  readonly facts?: readonly Fact[];
  /** The requests that show it. */
  readonly exchanges?: readonly ShownExchange[];
  readonly finding?: FindingResult | undefined;
  /** The undisturbed run and the disturbed one beside each other. */
  readonly runs?: readonly Row[];
  /** A terminal has no room for its runs. */
  readonly short?: boolean;
  /** The commands that do it again. */
  readonly again?: readonly Fact[];
  /** Further ids, which a terminal has no room for. */
  readonly ids?: readonly string[];
  /** The level of a result. A page can be filtered by the word in front, this, and the words of the line. */
  readonly level?: Level;
  /** The lines that it sums up. Only a page has room for them: there the line opens to them. */
  readonly members?: readonly (() => Line)[];
}

/** A row of a table, and what it opens to on a page. */
export interface TableRow extends Pick<Line, 'members'> {
  readonly cells: readonly string[];
}

/** Rows in groups. */
export interface Table {
  readonly head: readonly string[];
  readonly groups: readonly { readonly title?: string; readonly rows: readonly TableRow[] }[];
  /** Where it stands: everywhere, in Markdown folded and on a page, or on a page alone. */
  readonly shown: 'everywhere' | 'folded' | 'page';
}

/** Lines under a title. */
export interface Section {
  /** Its findings, a line each. A terminal repeats them at its end, because the sections may fill many screens. */
  readonly findings?: readonly Line[];
  readonly title?: string;
  readonly lines: readonly Line[];
  readonly after?: readonly Said[];
  readonly table?: Table;
}

/** The content of a report: of a run, a comparison, a trend or an exploration. */
export interface Sheet {
  readonly title: string;
  readonly verdict: 'pass' | 'fail' | 'incomplete';
  /** The verdict in words. */
  readonly word: string;
  /** The verdict as the heading of a page. Default: the word. */
  readonly heading?: string;
  /** The sum of it, in one line. */
  readonly sum: string;
  /** The first thing to do. */
  readonly first?: string;
  /** The words of this report, for somebody who reads one for the first time. */
  readonly explained?: string;
  /** How many results have each label, and what it means: the bar and the filters of a page. */
  readonly counts?: readonly { readonly label: Label; readonly many: number; readonly means: string }[];
  /** The words for who sent and who answered the exchanges. */
  readonly talk?: Pick<Words, 'request' | 'answer'>;
  readonly notes: readonly Said[];
  readonly sections: readonly Section[];
}

export const TONES = { pass: 'good', fail: 'bad', incomplete: 'warn' } as const satisfies Record<
  Sheet['verdict'],
  Tone
>;
