import { type FindMatch, findMatch, type Match, type Prompted } from '../contract/match.js';
import { suggestion } from '../contract/nearest.js';
import type { MetaRow } from '../contract/state.js';
import type { Collection } from '../store/store.js';
import { ScriptInvalid } from './problems.js';

/** The row of the state that holds what was put. */
const ROW = 'matches';

export interface MatchesDeps {
  readonly rows: Collection<MetaRow>;
  /** The rows of the options and the seed. */
  readonly initial: readonly Match[];
  readonly changed?: () => void;
}

/**
 * Checks that the scripts exist.
 *
 * @throws ScriptInvalid that names the place of one that does not
 */
export function needScripts(matches: readonly Match[], known: readonly string[]): void {
  if (matches.length === 0) return;
  const names = new Set(known);
  const at = matches.findIndex(({ script }) => !names.has(script));
  const name = matches[at]?.script;
  if (name === undefined) return;
  const problem = `unknown script ${JSON.stringify(name)}${suggestion(name, known)}; known are ${known.join(', ')}`;
  throw new ScriptInvalid('matches', [`[${at}].script: ${problem}`]);
}

/** Matches are part of the state: reset, snapshots and imports exchange the row that was put. */
export function createMatches({ rows, initial, changed = () => {} }: MatchesDeps) {
  /** Made from the list when it is first searched; a list is never changed, only replaced. */
  const searches = new WeakMap<readonly Match[], FindMatch>();
  // The row is validated wherever a state comes in.
  const list = () => (rows.get(ROW)?.value as Match[] | undefined) ?? initial;
  return {
    /** The rows that apply: those that were put, or else those of the start. */
    list,
    /** Replaces them all. The caller validates the list, and commits the store. */
    put(matches: readonly Match[]): void {
      rows.put({ id: ROW, value: [...matches] as MetaRow['value'] });
      changed();
    },
    clear(): void {
      rows.delete(ROW);
      changed();
    },
    find(given: Prompted): ReturnType<FindMatch> {
      const matches = list();
      if (matches.length === 0) return undefined;
      const search = searches.get(matches) ?? findMatch(matches);
      searches.set(matches, search);
      return search(given);
    },
  };
}

export type Matches = ReturnType<typeof createMatches>;
