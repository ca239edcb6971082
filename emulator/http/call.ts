import type { Scope } from '../clock/scope.js';
import { Refusal } from '../contract/errors.js';
import type { InternRow } from '../contract/state.js';
import type { Caller } from '../domain/caller.js';
import type { Interns } from '../domain/interns.js';
import type { RunRef } from '../domain/runs.js';
import { parseJson } from '../request-body.js';
import type { StreamHooks } from '../sse/body.js';
import type { CreateStep } from './faults.js';
import type { Journal, JournalDraft } from './journal.js';
import type { Call, RequestParts, Route, StreamFault } from './route.js';

/** The parts of a request for a route's `parse`. Classes here, since one of each is made per request. */
export class Parts implements RequestParts {
  constructor(
    private readonly request: Request,
    private readonly row: Route,
    readonly bytes: Uint8Array,
    /** The body is white space where that is no body. */
    private readonly blank: boolean,
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
    private readonly request: Request,
    private readonly draft: JournalDraft,
    private readonly own: Scope,
    private readonly transport: { streams(): void; readonly cut?: (() => void) | undefined },
    private readonly parts: { readonly interns: Interns; readonly journal: Journal },
    private readonly internId: string | undefined,
    readonly mappingId: string | undefined,
    readonly caller: Caller,
    readonly input: unknown,
  ) {}
  /** As it is when it is looked at: reading the body and injected delays take time, in which it may change or go. */
  get intern(): InternRow {
    if (this.internId === undefined) throw new Error('this route has no intern in its path');
    return this.parts.interns.visible(this.caller, this.internId);
  }
  get headers(): Headers {
    return this.request.headers;
  }
  get requestId(): string {
    return this.draft.id;
  }
  get signal(): AbortSignal {
    return this.request.signal;
  }
  onRun = (run: RunRef): void => {
    this.draft.run = run;
  };
  get scope(): Scope {
    if (!this.following) this.own.follow(this.request.signal);
    this.following = true;
    return this.own;
  }
  dropStream(disconnect: StreamFault['disconnect']): void {
    this.streamFault = { disconnect, cut: this.transport.cut };
  }
  streams(): void {
    this.transport.streams();
  }
  get watch(): StreamHooks {
    return this.parts.journal.watch(this.draft);
  }
}
