import { isRecord } from './record.js';
import { STATE_VERSION, stateSchema } from './state.js';
import { withZod } from './with-zod.js';

/** A state of any version, as it was read: collections of rows that no schema has validated yet. */
export interface RawState {
  version: number;
  [collection: string]: unknown;
}

/** How the states of each version but the newest become those of the next. */
export interface Format {
  /** The newest version, the one that is written. */
  version: number;
  /** Steps by the version that they migrate from. Each may change its argument. */
  migrations: Readonly<Record<number, (state: RawState) => RawState>>;
}

export const FORMAT: Format = {
  version: STATE_VERSION,
  migrations: {
    // Sessions of chat change no answer and were never written by a release; `origin` no longer meant anything.
    1: (state) => ({
      ...state,
      ...(Array.isArray(state.sessions) && {
        sessions: state.sessions
          .filter((row: unknown) => !isRecord(row) || row.origin !== 'chat')
          .map((row: unknown) => {
            if (!isRecord(row)) return row;
            const { origin: _, ...rest } = row;
            return rest;
          }),
      }),
    }),
    // Vaults had no secrets, and the mappings of SCIM were read from the seed: the reader of the state adds its own.
    2: (state) => ({ ...state, secrets: [], scim_mappings: [], scim_jobs: [] }),
    // Questions were forgotten with their runs.
    3: (state) => ({ ...state, questions: [] }),
  },
};

/** Brings a state up to the newest version, step by step. Throws where a step is missing from the table. */
export function migrate(state: RawState, format: Format = FORMAT): RawState {
  let current = state;
  while (current.version < format.version) {
    const step = format.migrations[current.version];
    if (!step) throw new Error(`there is no migration from version ${current.version}`);
    const { version } = current;
    current = { ...step(current), version: version + 1 };
  }
  return current;
}

/** A state that may be imported: of this version, or of an older one, which is migrated and completed. */
export const importedStateSchema = withZod((z) =>
  z
    .unknown()
    .transform((value) => {
      if (!isRecord(value)) return value;
      const { version } = value;
      if (typeof version !== 'number' || !(version >= 1) || version >= FORMAT.version) return value;
      return Number.isInteger(version) ? { nonces: [], ...migrate({ ...value, version }) } : value;
    })
    .pipe(stateSchema()),
);
