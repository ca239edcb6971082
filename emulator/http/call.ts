import type { Scope } from '../clock/scope.js';
import { Refusal } from '../contract/errors.js';
import type { InternRow } from '../contract/state.js';
import type { Caller } from '../domain/caller.js';
import type { Interns } from '../domain/interns.js';
import type { RunRef } from '../domain/runs.js';
import type { ReceivedRequest } from '../requests/received-request.js';
import { parseJson } from '../requests/request-body.js';
import type { StreamHooks } from '../sse/stream.js';
import type { Exchange } from './exchange.js';
import type { CreateStep } from './faults.js';
import type { Journal } from './journal.js';
import type { Call, RequestParts, Route, StreamFault } from './route.js';

/** The parts of a request for a route's `parse`. Classes here, since one of each is made per request. */
export class ReadRequest implements RequestParts {
  constructor(
    private readonly request: ReceivedRequest,
    private readonly row: Route,
    readonly bytes: Uint8Array,
    /** The body is white space on a route where that is not a body. */
    private readonly blank: boolean,
    readonly secretName: string | undefined,
  ) {}
  get headers(): Headers {
    return this.request.headers;
  }
  get query(): URLSearchParams {
    return new URL(this.request.url).searchParams;
  }
  json(): unknown {
    if (this.bytes.length === 0 || this.blank) return undefined;
    try {
      return parseJson(this.bytes);
    } catch (error) {
      throw new Refusal(this.row.body.invalid, { detail: `the body is not JSON: ${(error as Error).message}` });
    }
  }
}

/** An accepted request. */
export class AcceptedCall implements Call<unknown> {
  streamFault?: StreamFault;
  private following = false;
  failsAt?: (step: CreateStep) => boolean;
  constructor(
    private readonly exchange: Exchange,
    private readonly parts: { readonly interns: Interns; readonly journal: Journal },
    readonly caller: Caller,
    readonly input: unknown,
  ) {}
  get scimId(): string {
    return this.exchange.resource.scimId ?? '';
  }
  get secretName(): string {
    return this.exchange.resource.secretName ?? '';
  }
  /** As it is when it is read: reading the body and injected delays take time, in which it may change or be deleted. */
  get intern(): InternRow {
    const { internId } = this.exchange.resource;
    if (internId === undefined) throw new Error('this route has no intern in its path');
    return this.parts.interns.visible(this.caller, internId);
  }
  get headers(): Headers {
    return this.exchange.request.headers;
  }
  get requestId(): string {
    return this.exchange.draft.id;
  }
  get signal(): AbortSignal | undefined {
    return this.exchange.request.signal;
  }
  onRun(run: RunRef): void {
    this.exchange.draft.run = run;
  }
  get scope(): Scope {
    const { scope } = this.exchange;
    if (!this.following && this.signal) scope.follow(this.signal);
    this.following = true;
    return scope;
  }
  dropStream(disconnect: StreamFault['disconnect'], reset: boolean): void {
    const { cut } = this.exchange.transport;
    this.streamFault = { disconnect, cut: cut && (() => cut(reset)) };
  }
  streams(): void {
    this.exchange.transport.streams();
  }
  get watch(): StreamHooks {
    return this.parts.journal.watch(this.exchange.draft);
  }
}
