import type { Operation } from '../../emulator/contract/operation.js';

/** A run as the control interface shows it. */
export interface ControlRun {
  readonly id: string;
  readonly intern_id: string;
  readonly session_id: string;
  readonly origin: 'chat' | 'invoke';
  readonly status: 'running' | 'waiting' | 'ended';
  readonly question?: { readonly id: string; readonly deadline: string | number };
  readonly ended?: 'stop' | 'cancelled' | 'deadline' | 'severed' | 'failed';
  readonly started_at: string;
  readonly ended_at?: string;
}

export interface ControlIntern {
  readonly intern: Record<string, unknown>;
  readonly vault: { readonly id: string } | null;
  readonly script: string | null;
  readonly api_key: string;
  readonly runs: readonly ControlRun[];
}

export interface Reveal {
  readonly intern_id: string;
  readonly caller: string;
  readonly at: string;
}

export interface Fault {
  readonly operation: Operation;
  readonly times?: number;
  readonly status?: number;
  /** ms, or `"5s"`. */
  readonly delay?: number | string;
  readonly disconnect?: true;
  readonly at?: 'vault' | 'provisioner';
}

/** A JSON script; its words are those of the contract. */
export interface Script {
  readonly turn?: readonly Record<string, unknown>[];
  readonly lifecycle?: Record<string, unknown>;
}

/** Calls of the control interface for checks. Their changes are undone after the check. */
export interface Control {
  /** Any call below `/_emulator`, for checks of the control interface itself. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  /** The time of the target, in ms since the epoch. */
  now(): Promise<number>;
  /** Moves its clock. Resolves once all effects have settled. */
  advance(ms: number): Promise<void>;
  /** ms by which the run has moved the clock so far. */
  moved(): number;
  /** Puts a script under a fresh name, and returns the name. */
  script(script: Script): Promise<string>;
  /** Assigns a script to an intern. */
  useScript(internId: string, name: string | null): Promise<void>;
  intern(id: string): Promise<ControlIntern>;
  runs(internId: string): Promise<readonly ControlRun[]>;
  reveals(): Promise<readonly Reveal[]>;
  limit(turnsPerMinute: number): Promise<void>;
  fault(fault: Fault): Promise<void>;
  /** Turns vault writes off, or has the next sync of the directory fail. */
  settings(change: { vault_writes?: 'on' | 'off'; scim_sync?: 'succeeds' | 'fails' }): Promise<void>;
  /** Resets the emulator to its seed, including scripts, faults and limits. */
  reset(): Promise<void>;
  /** Calls `listener` before every call that changes something; undefined ends that. */
  watch(listener: ((call: ControlCall) => void) | undefined): void;
  /** The journal as text, to search for secrets. */
  journal(): Promise<string>;
}

/** A call that changed something. */
export interface ControlCall {
  readonly method: string;
  /** Below `/_emulator`. */
  readonly path: string;
  readonly body?: unknown;
}
