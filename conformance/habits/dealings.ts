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
  /** Undefined for the collection and whatever stands outside of it. */
  readonly id: string | undefined;
  /** The path after the id: `suspend`, `chat/completions`, nothing. */
  readonly rest: string;
}

/** States in which an intern can be handed out again. */
export type IdleState = 'stopped' | 'booting' | 'running';

/** The dealings of the run with an intern, and what the answers said of it. Times in ms. */
export interface Dealt {
  made: { readonly at: number } | undefined;
  /** When the run last wrote to it. */
  wrote: number;
  /** The prompts that it got since it was last provisioned, when the first left, and whether it took any. */
  prompts: Set<number>;
  prompted: number | undefined;
  took: boolean;
  /** Since when it may be at work for the run: on an invoke, on questions that nobody answered. */
  engaged: number | undefined;
  invoked: boolean;
  questions: Set<string>;
  /** Whether it was running when it was last read, and nothing was sent since that ends that. */
  ran: boolean;
  /** The status of one that ran, and was read otherwise since it was handed out, although nobody here suspended or deleted it. */
  went: { readonly status: string; readonly at: number } | undefined;
}

/** Where an intern is since when, and its last record. */
export interface Standing {
  readonly record: Intern;
  readonly state: IdleState;
  readonly since: number;
}

/** A request that may be sent again to see whether a credential still works: it changes nothing. */
export type Opened = Pick<Send, 'method' | 'path' | 'json'>;

/** The dealings of the run with a deployment: a finding may come from that and not from a breach. */
export interface Dealings {
  with(id: string): Readonly<Dealt>;
  /** When the run last wrote to any intern. */
  readonly wrote: number;
  /** The latest write that a gateway answered in the place of what is behind it. */
  readonly lostWrite: { readonly request: string; readonly status: number; readonly at: number } | undefined;
  /** Whether a proof for a route was given (SIGN-1). */
  readonly signsRoutes: boolean;
  /** Whether an intern that the run made was shown to the credential: its daemon, or a proof for it. */
  saw(name: string): boolean;
  /** The credentials whose latest answer was 401, each with a request that it opened before, where there is one. */
  shut(): readonly { readonly name: string; readonly opened: Opened | undefined }[];
}

export const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Paths of prompts, below an intern. */
export const PROMPTS = /^(chat\/completions|invoke)$/;
/** Paths of prompts and proofs, below an intern: they have it do something and leave it as it is. */
export const TURNS = /^(chat\/completions|invoke|daemon(-access)?\/sign)$/;
