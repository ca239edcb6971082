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
  /** What follows the id: `suspend`, `chat/completions`, nothing. */
  readonly rest: string;
}

/** What the run has done to a deployment: a finding may come from that and not from a breach. */
export interface History {
  /** ms since the run made the intern. */
  age(id: string): number;
  /** Whether the run itself has deleted the intern. */
  deleted(id: string): boolean;
  /** Whether this is the one prompt that the intern got since it was last provisioned. */
  firstPrompt(id: string, send: Send): boolean;
  /** Whether it has taken none since then, and the first was sent a few seconds ago: it may still be getting ready. */
  mayGetReady(id: string): boolean;
  /** Since when the intern may be at work for the run, as far as it knows: on an invoke, on a question nobody answered. */
  engagedSince(id: string): number | undefined;
  /** Whether a proof for a route was given (SIGN-1). */
  signsRoutes(): boolean;
  /** Whether all that it may be at work on is one question, which waits to be answered. */
  onlyAsked(id: string): boolean;
  /** When the run last wrote to the intern, or to any. */
  wrote(id?: string): number;
  /** Whether an intern that the run made was shown to the credential: its daemon, or a proof for it. */
  saw(name: CredentialName): boolean;
  /** The credentials whose latest answer was 401, each with a request that it opened before, where there is one. */
  shut(): readonly { readonly name: CredentialName; readonly opened: Send | undefined }[];
}

/** What the answers said of interns that the run made. */
export interface Conditions {
  /** Whether it was running when it was last read, and nothing was sent since that ends that. */
  runs(id: string): boolean;
  /**
   * The status of one that ran, and was read otherwise since it was handed out, although nobody here suspended or deleted it,
   * and for how many ms that is known.
   */
  went(id: string): { readonly status: string; readonly ago: number } | undefined;
}
