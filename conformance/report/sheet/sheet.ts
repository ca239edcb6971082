import type { Row } from '../../../emulator/console/page/side-by-side.js';
import type { ShownExchange } from '../../probe/evidence.js';
import type { FindingResult } from '../../run/results.js';
import type { Fact } from '../clause.js';

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
}

/** Rows in groups. */
export interface Table {
  readonly head: readonly string[];
  readonly groups: readonly { readonly title?: string; readonly rows: readonly (readonly string[])[] }[];
  /** Whether a terminal shows it, and Markdown unfolded. */
  readonly open?: boolean;
}

/** Lines under a title. */
export interface Section {
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
  /** The sum of it, in one line. */
  readonly sum: string;
  /** The first thing to do. */
  readonly first?: string;
  /** The words of this report, for somebody who reads one for the first time. */
  readonly explained?: string;
  readonly notes: readonly Said[];
  readonly sections: readonly Section[];
  /** The findings, a line each. A terminal repeats them at its end, because the sections may fill many screens. */
  readonly wrong: readonly Line[];
}

export const TONES = { pass: 'good', fail: 'bad', incomplete: 'warn' } as const satisfies Record<
  Sheet['verdict'],
  Tone
>;
