import type { Clock } from '../clock/clock.js';
import type { Fault } from '../contract/fault.js';
import type { Match } from '../contract/match.js';
import type { RunView } from '../contract/run.js';
import type { InternRow } from '../contract/state.js';
import type { ClockView, ScriptView } from '../contract/views.js';
import type { Interns } from '../domain/interns.js';
import type { Runs } from '../domain/runs.js';
import type { Faults } from '../http/faults.js';
import type { LazyLab } from '../lab/lazy.js';
import type { Matches } from '../scripts/matches.js';
import type { Scripts } from '../scripts/registry.js';
import type { Readable } from './events.js';

/** An intern as `GET /_emulator/interns/{id}` shows it, without its key. */
export interface InternView {
  intern: InternRow['record'];
  vault: { id: string | null };
  script: string | null;
  runs: RunView[];
}

/** The present state of each thing, for its read and its event alike; undefined if it does not exist. */
export interface Readers extends Record<Readable, (id: string, within?: string) => unknown> {
  /** A thing, or several, as they are shown: without credentials and values of secrets, whatever field they were sent in. */
  shown<T>(value: T): T;
  intern(id: string): InternView | undefined;
  /** The row behind it, with what only the service knows. */
  internRow(id: string): InternRow | undefined;
  run(id: string, internId?: string): RunView | undefined;
  clock(): ClockView;
  fault(): { data: Fault[] };
  script(name: string): ScriptView | undefined;
  match(): { data: readonly Match[] };
}

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

export function createReaders(deps: ReadersDeps): Readers {
  const { clock, interns, runs, faults, scripts, matches, lab, redact } = deps;
  const shown = <T>(value: T): T => {
    const text = JSON.stringify(value);
    const clean = redact(text);
    return clean === text ? value : (JSON.parse(clean) as T);
  };
  return {
    shown,
    intern(id) {
      const row = interns.get(id);
      if (!row) return undefined;
      const { record, script } = row;
      return shown({ intern: record, vault: { id: record.vault_id }, script, runs: runs.list(row.id) });
    },
    internRow: (id) => interns.get(id),
    run(id, internId) {
      const run = runs.find(id, internId);
      return run && shown(run.view);
    },
    clock: () => ({ now: new Date(clock.now()).toISOString(), mode: clock.mode }),
    fault: () => ({ data: faults.listed() }),
    script: (name) => scripts.view(name),
    match: () => ({ data: matches.list() }),
    lab: (id) => lab.read(id),
  };
}
