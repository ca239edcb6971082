import type { Scope } from '../clock/scope.js';
import type { ApprovalMode } from '../contract/run.js';
import type { InternRow } from '../contract/state.js';
import type { Reader } from './reader.js';

/** Counts the turn, or throws 429; called last, once nothing else refuses. The result takes the count back. */
export type Admit = () => () => void;

/** A run, and the script it follows. */
export interface RunRef {
  readonly id: string;
  readonly script: string;
  /** The request continues it where it paused. */
  readonly resumed?: boolean;
  /** A note to the sender on the choice of its script. */
  readonly note?: string | undefined;
}

interface RunRequest {
  readonly intern: InternRow;
  readonly admit: Admit;
  /** Called with the run that the request starts, continues or is delivered into. */
  readonly onRun?: ((run: RunRef) => void) | undefined;
}

export interface PromptRequest extends RunRequest {
  readonly prompt: string;
  readonly sessionId?: string | undefined;
  readonly approvalMode?: ApprovalMode | undefined;
  /**
   * The scope of the sender, needed only if the intern does not accept at once. A sender that disconnects before that frees the
   * intern.
   */
  readonly client?: () => Scope;
}

export interface ReplyRequest extends RunRequest {
  readonly sessionId: string;
  /** The `tool_call_id`, which is the interaction id. */
  readonly interactionId: string;
  readonly content: string;
}

export interface InvokeRequest extends RunRequest, Pick<PromptRequest, 'sessionId' | 'client'> {
  readonly callerId: string;
  readonly input: string;
}

export type PromptResult = { readonly reader: Reader } | { readonly steered: string };
