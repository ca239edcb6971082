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
  /** What follows the id: `suspend`, `chat/completions`, nothing. */
  readonly rest: string;
}

/** What the run has done to a deployment: a finding may come from that and not from a breach. */
export interface History {
  /** A request leaves. */
  sent(request: Addressed): void;
  /** The head of its answer came. */
  answered(request: Addressed, status: number): void;
  /** A create answered the id of an intern. */
  created(id: string): void;
  /** ms since the run made the intern. */
  age(id: string): number;
  /** A stream asked something. */
  asked(id: string): void;
  /** An answer to what a stream asked was taken. */
  named(id: string): void;
  /** Whether the run itself has deleted the intern. */
  deleted(id: string): boolean;
  /** Whether this is the one prompt that the intern got since it was last provisioned. */
  firstPrompt(id: string, send: Send): boolean;
  /** Whether it has taken none since then, and the first was sent a few seconds ago: it may still be getting ready. */
  mayGetReady(id: string): boolean;
  /** Since when the intern may be at work for the run, as far as it knows: on an invoke, on a question nobody answered. */
  engagedSince(id: string): number | undefined;
  /** Notes that a proof for a route was given (SIGN-1). */
  routeSigned(): void;
  /** Whether one was. */
  signsRoutes(): boolean;
  /** Whether all that it may be at work on is one question, which waits to be answered. */
  onlyAsked(id: string): boolean;
  /** When the run last wrote to the intern, or to any. */
  wrote(id?: string): number;
  /** The credentials whose latest answer was 401, each with a request that it opened before, where there is one. */
  shut(): readonly { readonly name: CredentialName; readonly opened: Send | undefined }[];
}

/** States in which an intern can be handed out again. */
export type Shelf = 'stopped' | 'booting' | 'running';

/** What the answers said of an intern that the run made. */
export interface Condition {
  readonly record: Intern;
  readonly state: Shelf;
  /** When it got there, as far as the run knows. */
  readonly since: number;
}

/** Keeps track of the interns that a run made, so that those left in a known state can serve another check. */
export interface Conditions {
  /** A new intern of which nothing was asked but a name, and whether to boot. */
  made(record: Intern, state: Shelf): void;
  /** The record of one, as a read answered it. */
  seen(record: Intern): void;
  /** A request about one leaves: of two at once, one of them a write, nobody can tell which the service took first. */
  sent(id: string, method: string, rest: string): void;
  /** Its head came. */
  answered(id: string): void;
  /** No head came: a write may have been done all the same. */
  lost(id: string, method: string, rest: string): void;
  /** A write that was accepted. */
  done(id: string, method: string, rest: string, body: unknown): void;
  /** Whether it was running when it was last read, and nothing was sent since that ends that. */
  runs(id: string): boolean;
  /** A check takes it as it is now: what happened to it before does not matter. */
  handed(id: string): void;
  /** The status of one that ran, and was read otherwise since it was handed out, although nobody here suspended or deleted it. */
  went(id: string): string | undefined;
  /** Whether any was read to have stopped by itself. */
  stopsThem(): boolean;
  /** Undefined where nobody can tell, or its settings are no longer those of any intern. */
  of(id: string): Condition | undefined;
}
