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

export interface PromptRequest {
  readonly intern: InternRow;
  readonly prompt: string;
  readonly sessionId?: string | undefined;
  readonly approvalMode?: ApprovalMode | undefined;
  readonly admit: Admit;
  /** Called with the run that the request starts, continues or is delivered into. */
  readonly onRun?: ((run: RunRef) => void) | undefined;
  /**
   * The scope of the sender, needed only if the intern takes its time: a sender that disconnects before that releases
   * the intern.
   */
  readonly client?: () => Scope;
}

export interface ReplyRequest {
  readonly intern: InternRow;
  readonly sessionId: string;
  /** The `tool_call_id`, which is the interaction id. */
  readonly interactionId: string;
  readonly content: string;
  readonly admit: Admit;
  /** Called with the run that the request starts, continues or is delivered into. */
  readonly onRun?: ((run: RunRef) => void) | undefined;
}

export interface InvokeRequest {
  readonly intern: InternRow;
  readonly callerId: string;
  readonly input: string;
  readonly sessionId?: string | undefined;
  readonly admit: Admit;
  /** Called with the run that the request starts, continues or is delivered into. */
  readonly onRun?: ((run: RunRef) => void) | undefined;
  readonly client?: () => Scope;
}

export type PromptResult = { readonly reader: Reader } | { readonly steered: string };
