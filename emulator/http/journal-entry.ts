import type { RefusalKey } from '../contract/daemon.js';
import type { Injected } from '../contract/fault.js';
import type { Shield } from '../contract/journal-entry.js';
import type { FieldProblem } from '../contract/problem.js';
import type { RunRef } from '../domain/runs.js';
import type { StreamClosed, Written } from '../sse/stream.js';

/** A write of a stream as events tell it. */
export interface WriteView {
  request_id: string;
  /** The number of the write in its stream, from 0. */
  n: number;
  at: string;
  bytes: number;
  text: string;
}

/** The kept part of a write of a stream. */
export interface JournalWrite {
  readonly seq: number;
  readonly at: number;
  readonly kept: Written;
  readonly size: number;
}

/**
 * A body as received; of a long one the part to show, and enough beyond it to recognize a credential that begins there.
 */
export interface Held {
  readonly content: Uint8Array | string;
  readonly cut: boolean;
}

/** The pipeline's notes on a request on its way. */
export interface JournalDraft {
  id: string;
  at: number;
  method: string;
  url: string;
  headers: Headers | readonly string[];
  requestBody: Held | undefined;
  operation: string | undefined;
  caller: string | undefined;
  internId: string | undefined;
  run: RunRef | undefined;
  /** `key` is that of the refusal, unless the connection was dropped. */
  refused:
    | { key?: RefusalKey; fields?: readonly FieldProblem[]; wrong: string; requirement: string | undefined }
    | undefined;
  injected: Injected | undefined;
  /** Present where the emulator judges its exchanges, once this one has ended. */
  judged?: Shield;
  respondedAt: number | undefined;
  /** The number of the last change, its response or its end, among all changes; 0 before. */
  seq: number;
  status: number | undefined;
  responseHeaders: Readonly<Record<string, string>>;
  responseBody: Held | undefined;
  writes: JournalWrite[] | undefined;
  held: number;
  closed: { at: number; how: StreamClosed; ended: string | undefined } | undefined;
}

/** Receives requests as they proceed: the log and the events. */
export interface JournalObserver {
  /** The response is there; the body of a stream may still follow. */
  responded?(draft: JournalDraft): void;
  wrote?(draft: JournalDraft, write: number): void;
  closed?(draft: JournalDraft): void;
  /** A disturbance changed the answer on its way: the journal has the answer before it. */
  disturbed?(draft: JournalDraft): void;
  /** The journal was emptied: another state may follow. */
  cleared?(): void;
}

/** A journal, for those who receive its requests as they proceed. */
export interface Observed {
  observe(observer: JournalObserver): void;
}
