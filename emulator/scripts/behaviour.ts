import type { Clock } from '../clock/clock.js';
import type { Random } from '../clock/random.js';
import type { Ask, AskResult } from '../contract/interaction.js';
import type { ApprovalMode, RunOrigin, Usage } from '../contract/run.js';
import type { ReleaseVerdict } from '../contract/vault.js';

/** How a run can end. `deadline` and `cancelled` are endings the intern confirms (CHAT-12), `severed` is not (CHAT-13). */
export type Ending =
  | { end: 'stop' }
  | { end: 'cancelled' }
  | { end: 'deadline' }
  | { end: 'severed' }
  | { end: 'failed'; retryable?: boolean; message?: string };

/**
 * The events that a behaviour yields. `yield` of an ask evaluates to its {@link AskResult}. Returning ends with
 * `stop`, throwing as `failed`.
 */
export type BehaviourEvent =
  /** One text, or several at once, each in a chunk of its own. */
  /** A text, said at the emulator's pace if it has one, or in exactly these pieces. */
  | { say: string | readonly string[] }
  | { reason: string }
  | { ask: Ask }
  | { usage: Usage }
  | { model: string }
  | Ending;

/** The context of a turn. */
export interface Turn {
  readonly prompt: string;
  readonly intern: { readonly id: string; readonly name: string; readonly model: string | null };
  readonly session: { readonly id: string };
  readonly origin: RunOrigin;
  readonly approvalMode: ApprovalMode;
}

/** The only time, cancellation and randomness a behaviour may use. */
export interface TurnContext {
  /** `sleep` always ends with the run; `sleep(Infinity)` waits only for that. */
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** Aborted when the run is ended from outside (disconnect, suspend, delete, a deadline). */
  readonly signal: AbortSignal;
  readonly random: Random;
  /**
   * Asks the vault of the intern, then the one that it borrows, with `workspace` that of its workspace, whether a
   * secret would be released to a host (VAULT-9).
   */
  readonly release: (name: string, to: string, vault?: 'workspace') => ReleaseVerdict;
}

export type TurnGenerator = AsyncGenerator<BehaviourEvent, void, AskResult | undefined>;

/** How a boot goes (PROV-1). `after` is its whole length in ms; the steps share it evenly. */
export interface BootPlan {
  after: number;
  steps: string[];
  ends: 'running' | 'failed' | 'hangs';
  /** The text of `last_failure_message`. A lifecycle in code must give it if the boot ends as `failed`. */
  message?: string;
}
/** How a teardown goes (DELETE-1, DELETE-3). `after` in ms. */
export interface TeardownPlan {
  after: number;
  ends: 'gone' | 'workspace_archive_failed' | 'hangs';
}

export interface LifecyclePlan {
  boot: BootPlan;
  teardown: TeardownPlan;
  vault: 'ok' | 'fails_once';
  provisioner: 'ok' | 'fails_once';
  daemon: 'reachable' | 'unreachable';
}

/** The lifecycle of an intern whose script has none. */
export const DEFAULT_LIFECYCLE: LifecyclePlan = {
  boot: { after: 1_000, steps: ['Creating disk', 'Starting runtime'], ends: 'running' },
  teardown: { after: 1_000, ends: 'gone' },
  vault: 'ok',
  provisioner: 'ok',
  daemon: 'reachable',
};

/** How an emulated intern behaves. Write one in code, or as a JSON script that compiles to one. */
export interface Behaviour {
  readonly name: string;
  /** A line of what it does, for people. */
  readonly description?: string;
  turn(turn: Turn, context: TurnContext): TurnGenerator;
  readonly lifecycle?: Partial<LifecyclePlan>;
  /** How a prompt appears that was steered into a run of this behaviour (CHAT-14). Default: `(steered: TEXT)`. */
  steered?(text: string): string;
  /** The JSON that it was compiled from, for people to read; missing if it was written in code. */
  readonly source?: unknown;
}

/**
 * A JSON script in code, such as an imported file: `schemas/script.schema.json` says what it holds. It is validated when
 * an emulator is made.
 */
export interface ScriptSource {
  readonly name: string;
  readonly description?: string;
  readonly turn?: readonly object[];
  readonly lifecycle?: object;
}

/** The behaviours an emulator knows, by name. */
export interface ScriptRegistry {
  get(name: string): Behaviour | undefined;
  names(): string[];
}
