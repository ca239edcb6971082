import { hostDelay } from '../clock/host.js';
import type { Scope } from '../clock/scope.js';
import { Refusal } from '../contract/errors.js';
import type { InternRow } from '../contract/state.js';
import type { Caller } from '../domain/caller.js';
import type { Interns } from '../domain/interns.js';
import type { RunRef } from '../domain/runs.js';
import type { ReceivedRequest } from '../requests/received-request.js';
import { type Incoming, parseJson } from '../requests/request-body.js';
import type { StreamHooks } from '../sse/stream.js';
import type { CreateStep } from './faults.js';
import type { Journal } from './journal.js';
import type { JournalDraft } from './journal-entry.js';
import type { Call, PathNames, RequestParts, Route, StreamFault } from './route.js';

/** The part of the interface that a path belongs to. */
export type Area = 'interns' | 'vault' | 'scim' | 'none';

/** A path of a request, and what is known of it. */
export interface Resource extends PathNames {
  readonly area: Area;
  /** The rows of this path; none for an unknown path. */
  readonly routes: readonly Route[];
}

/** The connection of a request: from @hono/node-server, or from an in-process caller. */
export interface NodeBindings {
  readonly incoming?: Incoming & {
    /** Header names and values in turn, as received. */
    readonly rawHeaders?: readonly string[];
    readonly socket: { destroy(): void; destroySoon(): void; resetAndDestroy(): void };
  };
  /** Tells the listener that the answer is a stream. */
  streams?(): void;
  /** Cuts or resets a connection whose request was read already. */
  readonly cut?: ((reset: boolean) => void) | undefined;
  /** Calls `then` when the client of an in-process request gives up. */
  onLeave?(then: (reason: unknown) => void): void;
}

/**
 * ms of real time before a connection is dropped within its body. If the first bytes and the end arrive together, a client
 * never sees the answer.
 */
const DROP_DELAY = 200;

/** Resets a connection. A TLS connection is closed instead, because Node cannot reset it. */
export const reset = (socket: { destroy(): unknown; resetAndDestroy(): unknown }): void =>
  void ('encrypted' in socket ? socket.destroy() : socket.resetAndDestroy());

/** Cuts or resets the connection of a request, once the written bytes are sent; undefined in process. */
export function cutOf(bindings: NodeBindings | undefined): ((reset: boolean) => void) | undefined {
  if (bindings?.cut) return bindings.cut;
  const socket = bindings?.incoming?.socket;
  // The server reads a body ahead before it writes: the bytes need a moment to be sent.
  return socket && ((resets) => void hostDelay(DROP_DELAY).then(() => (resets ? reset(socket) : socket.destroySoon())));
}

/**
 * A header of a request, by its name in lower case; repeated headers have their values joined. It is read from what a
 * listener received, if there is one: asking a `Request` costs several times as much, and is done for every request.
 */
export function headerOf(
  request: ReceivedRequest,
  rawHeaders: readonly string[] | undefined,
  name: string,
): string | null {
  if (!rawHeaders) return request.headers.get(name);
  let value: string | null = null;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const own = rawHeaders[at] ?? '';
    if (own.length !== name.length || own.toLowerCase() !== name) continue;
    value = value === null ? (rawHeaders[at + 1] ?? '') : `${value}, ${rawHeaders[at + 1]}`;
  }
  return value;
}

const NOTHING = new Uint8Array(0);

/**
 * A request on its way through the pipeline. Each step adds what it finds out: the caller, the bytes of the body, the
 * input. A class, since one is made per request.
 */
export class Exchange implements RequestParts, Call<unknown> {
  private own: Scope | undefined;
  private known: Caller | undefined;
  private following = false;
  /** The row of the table for its path and method. */
  row: Route | undefined;
  bytes: Uint8Array = NOTHING;
  input: unknown;
  streamFault?: StreamFault;
  failsAt?: (step: CreateStep) => boolean;
  constructor(
    readonly request: ReceivedRequest,
    readonly resource: Resource,
    readonly bindings: NodeBindings | undefined,
    readonly draft: JournalDraft,
    private readonly deps: { readonly interns: Interns; readonly journal: Journal },
    /** The scope of the state when the request came. */
    private readonly state: Scope,
  ) {}
  /** Ends with the request, or with that state. Made on demand: most requests never wait. */
  get waiting(): Scope {
    this.own ??= this.state.child();
    return this.own;
  }
  get scope(): Scope {
    if (!this.following && this.signal) this.waiting.follow(this.signal);
    this.following = true;
    return this.waiting;
  }
  header(name: string): string | null {
    return headerOf(this.request, this.bindings?.incoming?.rawHeaders, name);
  }
  end(): void {
    void this.own?.dispose();
  }
  get caller(): Caller {
    if (this.known === undefined) throw new Error('the caller of this request is not known yet');
    return this.known;
  }
  set caller(caller: Caller) {
    this.known = caller;
  }
  get headers(): Headers {
    return this.request.headers;
  }
  get bodiless(): boolean {
    return this.request.method === 'HEAD';
  }
  get query(): URLSearchParams {
    return new URL(this.request.url).searchParams;
  }
  json(): unknown {
    if (this.bytes.length === 0) return undefined;
    try {
      return parseJson(this.bytes);
    } catch (error) {
      throw new Refusal(this.row?.body.invalid ?? 'invalid_body', {
        detail: `the body is not JSON: ${(error as Error).message}`,
      });
    }
  }
  get scimId(): string {
    return this.resource.scimId ?? '';
  }
  get secretName(): string {
    return this.resource.secretName ?? '';
  }
  /** The intern at this moment: it may change or be deleted while the body is read or an injected delay passes. */
  get intern(): InternRow {
    const { internId } = this.resource;
    if (internId === undefined) throw new Error('this route has no intern in its path');
    return this.deps.interns.visible(this.caller, internId);
  }
  get requestId(): string {
    return this.draft.id;
  }
  get signal(): AbortSignal | undefined {
    return this.request.signal;
  }
  get watch(): StreamHooks {
    return this.deps.journal.watch(this.draft);
  }
  onIntern(id: string): void {
    this.draft.internId = id;
  }
  onRun(run: RunRef): void {
    this.draft.run = run;
  }
  get note(): string | undefined {
    return this.draft.run?.note;
  }
  dropStream(disconnect: StreamFault['disconnect'], reset: boolean): void {
    const cut = cutOf(this.bindings);
    this.streamFault = { disconnect, cut: cut && (() => cut(reset)) };
  }
  streams(): void {
    this.bindings?.streams?.();
  }
}

/** Thrown to drop the connection without an answer. */
export class DropConnection extends Error {
  override readonly name = 'DropConnection';
  /** By a reset (RST) instead of an end (FIN). */
  readonly reset: boolean;
  constructor(message: string, { reset = false, ...options }: ErrorOptions & { reset?: boolean } = {}) {
    super(message, options);
    this.reset = reset;
  }
}

/** Continues with a value at once if it is there, and later if it is promised. */
export const after = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(next) : next(value);
