import type { RefusalKey } from '../contract/daemon.js';
import type { Injected } from '../contract/fault.js';
import type { FieldProblem } from '../contract/problem.js';
import type { Trace } from '../contract/traceparent.js';
import type { RunRef } from '../domain/runs.js';
import type { Frames } from '../sse/frames.js';
import type { StreamClosed } from '../sse/stream.js';

/** One request and its outcome, as `GET /_emulator/journal` shows it. Times are ISO 8601, sizes bytes. */
export interface JournalEntry {
  id: string;
  at: string;
  operation: string | null;
  caller: string | null;
  intern_id: string | null;
  /** The run that the request started, continued or was delivered into. */
  run_id: string | null;
  /** The script of that run. */
  script: string | null;
  /** From the request to its response, on the clock; for a stream to its first byte. Null until then. */
  ms: number | null;
  /** For a refusal: what exactly was wrong, even if the response may not say it, and its requirement. */
  wrong: string | null;
  requirement: string | null;
  /** The fields that were wrong, if it was one: in the body, or in the query. */
  fields?: FieldProblem[];
  /** What an injected fault did to it. */
  injected?: Injected;
  /** Of a request with a valid `traceparent`. */
  trace?: Trace;
  request: { method: string; url: string; headers: Record<string, string>; body: string | null };
  response: { status: number | null; headers: Record<string, string>; body: string | null };
  /** Only for streams: every write as it left. */
  writes?: { at: string; bytes: number; text: string }[];
  /** Only for streams: how the body ended, and why the run did. */
  closed?: { at: string; how: StreamClosed; run_ended?: string };
  /** If parts were left out for their size. */
  truncated?: true;
}

/** A write of a stream as events tell it. */
export interface WriteView {
  request_id: string;
  /** Which write of its stream, from 0. */
  n: number;
  at: string;
  bytes: number;
  text: string;
}

/** The kept part of a write of a stream. */
export interface Write {
  readonly seq: number;
  readonly at: number;
  readonly kept: Uint8Array | string | Frames;
  readonly size: number;
}

/**
 * A body as received; of a long one the part to show, and enough beyond it to recognize a credential that begins there.
 */
export interface Held {
  readonly content: Uint8Array | string;
  readonly cut: boolean;
}

/** What the pipeline notes of a request on its way. */
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
  respondedAt: number | undefined;
  /** Its place among all changes, as of its response or its end; 0 before. */
  seq: number;
  status: number | undefined;
  responseHeaders: Readonly<Record<string, string>>;
  responseBody: Held | undefined;
  writes: Write[] | undefined;
  held: number;
  closed: { at: number; how: StreamClosed; ended: string | undefined } | undefined;
}
