import type { Intern } from '../../emulator/contract/intern.js';
import type { CredentialName, Send } from '../probe/request.js';

export interface Made {
  readonly id: string;
  readonly name: string;
  readonly as: CredentialName;
  /** Its delete was accepted. */
  readonly deleting?: true;
}

/** A request to an intern, as the run remembers it. */
export interface Addressed {
  readonly send: Send;
  /** Undefined for the collection, and for paths outside of it. */
  readonly id: string | undefined;
  /** The path after the id: `suspend`, `chat/completions`, nothing. */
  readonly rest: string;
}

/** States of an intern that can be handed out again. */
export type IdleState = 'stopped' | 'booting' | 'running';

/** The requests of the run to an intern, and the facts from their answers. Times in ms. */
export interface Dealt {
  made: { readonly at: number } | undefined;
  /** When the run last wrote to it. */
  wrote: number;
  /** The prompts since its last provision. */
  prompts: Set<number>;
  prompted: number | undefined;
  took: boolean;
  /** When the work began (an invoke, open questions) that may keep it busy. */
  engaged: number | undefined;
  invoked: boolean;
  questions: Set<string>;
  /** When its latest turn began or ended. `session`: that of a begun turn. The end concerns all sessions. */
  turned: { readonly at: number; readonly session?: unknown } | undefined;
  /** Whether it ran at its last read, and no later request stops it. */
  ran: boolean;
  /** The status of an intern that stopped running although the run did not stop it. `before`: before a check took it. */
  went: { readonly status: string; readonly at: number; readonly before?: true } | undefined;
}

/** The state of an intern, the time since when, and its last record. */
export interface Standing {
  readonly record: Intern;
  readonly state: IdleState;
  readonly since: number;
}

/** A request without effect, which succeeded before. It can show whether a credential still works. */
export type Opened = Pick<Send, 'method' | 'path' | 'json'>;

/** The requests of the run to a deployment that may explain a finding. */
export interface Dealings {
  with(id: string): Readonly<Dealt>;
  /** When the run last wrote to any intern. */
  readonly wrote: number;
  /** The latest write that a gateway answered itself. */
  readonly lostWrite: { readonly request: string; readonly status: number; readonly at: number } | undefined;
  /** Whether the service gave a proof for a route (SIGN-1). */
  readonly signsRoutes: boolean;
  /** Whether a credential got the daemon access of, or a proof for, an intern of the run. */
  saw(name: string): boolean;
  /** The credentials whose latest answer was 401, each with an earlier request that succeeded. */
  shut(): readonly { readonly name: string; readonly opened: Opened | undefined }[];
}

export const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Paths of prompts, below an intern. */
export const PROMPTS = /^(chat\/completions|invoke)$/;
/** ms for which a turn of chat may begin or end. */
export const TURNING = 2_000;
/** Paths of prompts and proofs, below an intern: they change no settings and no state. */
export const TURNS = /^(chat\/completions|invoke|daemon(-access)?\/sign)$/;
