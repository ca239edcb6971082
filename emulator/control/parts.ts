import type { ClockControl } from '../clock/clock.js';
import type { Scope } from '../clock/scope.js';
import type { ExchangeExplanation } from '../contract/explanation.js';
import type { JournalEntry } from '../contract/journal-entry.js';
import type { Profile } from '../contract/profile.js';
import type { Settings } from '../contract/settings.js';
import type { InternRow, RevealRow, State } from '../contract/state.js';
import type { Target } from '../contract/target.js';
import type { Runs } from '../domain/runs.js';
import type { Transcripts } from '../domain/transcripts.js';
import type { Faults } from '../http/faults.js';
import type { Journal } from '../http/journal.js';
import type { Matches } from '../scripts/matches.js';
import type { Scripts } from '../scripts/registry.js';
import type { Events } from './events.js';
import type { Readers } from './readers.js';
import type { ControlRow } from './router.js';
import type { SnapshotsPart } from './snapshots.js';
import type { SpacesPart } from './spaces.js';

export interface ControlParts {
  readonly version: string;
  readonly clock: ClockControl;
  /** The scope of the present state. */
  scope(): Scope;
  readonly faults: Faults;
  readonly journal: Journal;
  recordingOf(entries: readonly JournalEntry[]): Promise<string>;
  /** A requirement of the ledger, with its sentence. */
  requirementOf(id: string | null | undefined): Promise<ExchangeExplanation['requirement']>;
  readonly token: string | undefined;
  /** The host of the public URL, if there is one: it leads to the interface alone. */
  readonly publicHost: string | undefined;
  /** Whether a listener can be reached from other machines, by any of its names. */
  beyondLoopback(): boolean;
  target(): Target;
  readonly profile: Pick<Profile, 'tool_name' | 'idempotency_header'>;
  settings(): Settings;
  /** Changes the turn limit and clears the counts (CHAT-17). */
  setTurnsPerMinute(turns: number): void;
  changeSettings(change: Partial<Settings>): void;
  /** All of them, newest first. */
  interns(): InternRow[];
  setScript(intern: InternRow, name: string | null): void;
  /** Resolves once the puts are durable. */
  commit(): Promise<void>;
  readonly runs: Pick<Runs, 'list' | 'find'>;
  readonly readers: Readers;
  readonly transcripts: Pick<Transcripts, 'of'>;
  readonly events: Pick<Events, 'subscribe' | 'reset'>;
  reveals(): RevealRow[];
  readonly scripts: Pick<Scripts, 'names' | 'view' | 'list' | 'check' | 'put' | 'delete'>;
  readonly matches: Pick<Matches, 'put' | 'clear'>;
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
