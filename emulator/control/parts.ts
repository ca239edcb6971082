import type { ClockControl } from '../clock/clock.js';
import type { Scope } from '../clock/scope.js';
import type { Settings } from '../contract/settings.js';
import type { InternRow, RevealRow, State } from '../contract/state.js';
import type { Runs } from '../domain/runs.js';
import type { Transcripts } from '../domain/transcripts.js';
import type { Faults } from '../http/faults.js';
import type { Journal } from '../http/journal.js';
import type { Scripts } from '../scripts/registry.js';
import type { Events } from './events.js';
import type { Readers } from './readers.js';
import type { ControlRow } from './router.js';
import type { SnapshotsPart } from './snapshots.js';
import type { SpacesPart } from './spaces.js';
import type { Target } from './target.js';

/** What the control interface reaches of an emulator. */
export interface ControlParts {
  readonly version: string;
  readonly clock: ClockControl;
  /** The scope of the present state. */
  scope(): Scope;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly token: string | undefined;
  /** The host of the public URL, where there is one: it leads to the interface alone. */
  readonly publicHost: string | undefined;
  /** Whether a listener can be reached from other machines, under whatever name they have for it. */
  beyondLoopback(): boolean;
  target(): Target;
  settings(): Settings;
  /** Changes the turn limit and clears what was counted (CHAT-17). */
  setTurnsPerMinute(turns: number): void;
  /** Changes some settings, and leaves the others. */
  changeSettings(change: Partial<Settings>): void;
  /** All of them, newest first. */
  interns(): InternRow[];
  /** Puts a script on an intern, or takes it off. */
  setScript(intern: InternRow, name: string | null): void;
  /** Resolves once what was put is durable. */
  commit(): Promise<void>;
  readonly runs: Pick<Runs, 'list' | 'find'>;
  readonly readers: Readers;
  readonly transcripts: Pick<Transcripts, 'of'>;
  readonly events: Pick<Events, 'subscribe' | 'reset'>;
  reveals(): RevealRow[];
  readonly scripts: Pick<Scripts, 'names' | 'view' | 'list' | 'check' | 'put' | 'delete'>;
  reset(): Promise<void>;
  exportState(credentials: boolean): State;
  importState(state: State): Promise<void>;
  readonly snapshots: SnapshotsPart;
  /** Undefined in a space. */
  readonly spaces: SpacesPart | undefined;
  /** Further rows: the signing lab, the client lab. */
  readonly extra: readonly ControlRow[];
  log(record: Record<string, unknown>): void;
}
