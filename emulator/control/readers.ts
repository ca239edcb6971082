import type { Clock } from '../clock/clock.js';
import type { Interns } from '../domain/interns.js';
import type { Runs } from '../domain/runs.js';
import type { Faults } from '../http/faults.js';
import type { LazyLab } from '../lab/lazy.js';
import type { Matches } from '../scripts/matches.js';
import type { Scripts } from '../scripts/registry.js';
import type { Readable } from './events.js';

export interface ReadersDeps {
  readonly clock: Pick<Clock, 'now' | 'mode'>;
  readonly interns: Pick<Interns, 'get'>;
  readonly runs: Pick<Runs, 'list' | 'find'>;
  readonly faults: Pick<Faults, 'listed'>;
  readonly scripts: Pick<Scripts, 'view'>;
  readonly matches: Pick<Matches, 'list'>;
  readonly lab: Pick<LazyLab, 'read'>;
  /** Takes credentials and values of secrets out of a text. */
  readonly redact: (text: string) => string;
}

/** The present state of each thing, for its read and its event alike; undefined if it does not exist. */
export function createReaders(deps: ReadersDeps) {
  const { clock, interns, runs, faults, scripts, matches, lab, redact } = deps;
  /** A thing, or several, as they are shown: without credentials and values of secrets, whatever field they were sent in. */
  const shown = <T>(value: T): T => {
    const text = JSON.stringify(value);
    const clean = redact(text);
    return clean === text ? value : (JSON.parse(clean) as T);
  };
  return {
    shown,
    /** An intern as `GET /_emulator/interns/{id}` shows it, without its key. */
    intern(id: string) {
      const row = interns.get(id);
      if (!row) return undefined;
      const { record, script } = row;
      return shown({ intern: record, vault: { id: record.vault_id }, script, runs: runs.list(row.id) });
    },
    /** The row behind it, with what only the service knows. */
    internRow: (id: string) => interns.get(id),
    run(id: string, internId?: string) {
      const run = runs.find(id, internId);
      return run && shown(run.view);
    },
    clock: () => ({ now: new Date(clock.now()).toISOString(), mode: clock.mode }),
    fault: () => ({ data: faults.listed() }),
    script: (name: string) => scripts.view(name),
    match: () => ({ data: matches.list() }),
    lab: (id: string) => lab.read(id),
  } satisfies Record<Readable, (id: string, within?: string) => unknown> & Record<string, unknown>;
}

export type Readers = ReturnType<typeof createReaders>;
