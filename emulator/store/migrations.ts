import { STATE_VERSION } from '../contract/state.js';

/** A state of any version, as it was read: collections of rows, judged by no schema yet. */
export interface RawState {
  version: number;
  [collection: string]: unknown;
}

/** How the files of each version but the newest become those of the next. */
export interface Format {
  /** The newest version, the one that is written. */
  version: number;
  /** By the version that is migrated from. Each may change what it is given. */
  migrations: Readonly<Record<number, (state: RawState) => RawState>>;
}

export const FORMAT: Format = { version: STATE_VERSION, migrations: {} };

/** Brings a state up to the newest version, step by step. Throws where a step is missing from the table. */
export function migrate(state: RawState, format: Format): RawState {
  let current = state;
  while (current.version < format.version) {
    const step = format.migrations[current.version];
    if (!step) throw new Error(`there is no migration from version ${current.version}`);
    const { version } = current;
    current = { ...step(current), version: version + 1 };
  }
  return current;
}
