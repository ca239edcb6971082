import type { Clock } from '../clock/clock.js';
import type { Random } from '../clock/random.js';

/** What an intern reports of its use of a model; sent on the final chunk (CHAT-4). */
export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details?: { cached_tokens?: number };
  cost?: number;
}

export const PERMISSION_OPTIONS = ['allow_once', 'allow_always', 'reject_once', 'reject_always'] as const;
export type PermissionOption = (typeof PERMISSION_OPTIONS)[number];

/** Asks for leave to use an approval-bearing tool: asked under `manual`, consented to by itself otherwise (CHAT-8). */
export interface PermissionAsk {
  kind: 'permission';
  operation: string;
  options: PermissionOption[];
}

export interface QuestionField {
  name: string;
  type?: 'string' | 'number' | 'integer' | 'boolean';
  required?: boolean;
  options?: (string | number | boolean)[];
  label?: string;
}

/** Asks the caller something: always asked in chat, answered by `fallback` under invoke (INVOKE-4). */
export interface QuestionAsk {
  kind: 'elicitation';
  message: string;
  fields: QuestionField[];
  fallback?: QuestionAnswer;
}

export type Ask = PermissionAsk | QuestionAsk;

export interface QuestionAnswer {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, unknown>;
}
/** What comes back from an ask: the chosen option or `cancel`, or the answer to a question. */
export type Answer = PermissionOption | 'cancel' | QuestionAnswer;

/** How a run can end. `deadline` and `cancelled` are endings the intern confirms (CHAT-12), `severed` is not (CHAT-13). */
export type Ending =
  | { end: 'stop' }
  | { end: 'cancelled' }
  | { end: 'deadline' }
  | { end: 'severed' }
  | { end: 'failed'; retryable?: boolean; message?: string };

/**
 * What a behaviour yields. `yield` of an ask evaluates to its {@link Answer}, of anything else to undefined. Returning is
 * ending with `stop`; throwing ends the run as `failed`.
 */
export type BehaviourEvent =
  | { say: string }
  | { reason: string }
  | { ask: Ask }
  | { usage: Usage }
  | { model: string }
  | Ending;

/** What a turn is given to work with. */
export interface Turn {
  readonly prompt: string;
  readonly intern: { readonly id: string; readonly name: string; readonly model: string | null };
  readonly session: { readonly id: string };
  readonly origin: 'chat' | 'invoke';
  readonly approvalMode: 'manual' | 'self-drive';
}

/** The only time, cancellation and randomness a behaviour may use. */
export interface TurnContext {
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** Aborted when the run is ended from outside (disconnect, suspend, delete, a deadline). */
  readonly signal: AbortSignal;
  readonly random: Random;
}

export type TurnGenerator = AsyncGenerator<BehaviourEvent, void, Answer | undefined>;

/** How a boot goes (PROV-1). `after` is its whole length in ms; the steps share it evenly. */
export interface BootPlan {
  after: number;
  steps: string[];
  ends: 'running' | 'failed' | 'hangs';
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

/** What an intern does when its script says nothing of its lifecycle. */
export const DEFAULT_LIFECYCLE: LifecyclePlan = {
  boot: { after: 1_000, steps: ['Creating disk', 'Starting runtime'], ends: 'running' },
  teardown: { after: 1_000, ends: 'gone' },
  vault: 'ok',
  provisioner: 'ok',
  daemon: 'reachable',
};

/** How a fake intern behaves. Write one in code, or as a JSON script that compiles to one. */
export interface Behaviour {
  readonly name: string;
  turn(turn: Turn, context: TurnContext): TurnGenerator;
  readonly lifecycle?: Partial<LifecyclePlan>;
}

/** The behaviours an emulator knows, by name. */
export interface ScriptRegistry {
  get(name: string): Behaviour | undefined;
  names(): string[];
}
