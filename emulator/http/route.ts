import type { Scope } from '../clock/scope.js';
import type { Disconnect } from '../contract/fault.js';
import type { Operation } from '../contract/operation.js';
import type { InternRow } from '../contract/state.js';
import type { Caller } from '../domain/caller.js';
import type { RunRef } from '../domain/runs.js';
import type { StreamHooks } from '../sse/stream.js';
import type { CreateStep } from './faults.js';
import type { PlainResponse } from './response.js';

/** The prefix of all paths of the interface (BASE-1). */
export const BASE = '/api/v1';

/** The part of an injected fault that the handler applies. The pipeline applied the rest. */
export interface StreamFault {
  readonly disconnect: Exclude<Disconnect, 'before-headers'>;
  /** Cuts the connection once the written bytes have left; undefined in process, where the body ends in an error. */
  readonly cut?: (() => void) | undefined;
}

export interface PathNames {
  readonly internId?: string | undefined;
  /** A mapping or a job. */
  readonly scimId?: string | undefined;
  readonly secretName?: string | undefined;
}

/** The input of a route's `parse`, once caller, size and media type have been checked. */
export interface RequestParts {
  /** The secret that the path names; empty on routes that have none. */
  readonly secretName: string;
  /** The bytes of the body; empty if there is none. */
  readonly bytes: Uint8Array;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  /** The body as JSON. Throws the route's 400 if it is not JSON. Undefined if it is empty. */
  json(): unknown;
}

/** An accepted request on its way into the domain. */
export interface Call<Input> {
  readonly caller: Caller;
  /** The visible intern, on routes with an id in their path. */
  readonly intern: InternRow;
  /** On routes of SCIM: the mapping or job in the path. */
  readonly scimId: string;
  /** On routes of the vault: the secret in the path. */
  readonly secretName: string;
  readonly input: Input;
  readonly headers: Headers;
  /** Whether the answer is sent without its body: to a HEAD. */
  readonly bodiless: boolean;
  readonly requestId: string;
  /** Aborted when the client's connection is gone, if that can happen. */
  readonly signal: AbortSignal | undefined;
  /**
   * Ends with the answer, or earlier when the client disconnects or the state is replaced. Only code that waits should ask
   * for it, because watching a client costs time.
   */
  readonly scope: Scope;
  /** Call it as soon as the answer must be a stream. From then on, a client that closes its half has left. */
  streams(): void;
  readonly streamFault?: StreamFault;
  /** Whether an injected fault makes a create fail at a step; uses it up (CREATE-4). */
  readonly failsAt?: (step: CreateStep) => boolean;
  /** Call it with the intern that the request makes. */
  onIntern(id: string): void;
  /** Call it with the run that the request starts, continues or is delivered into. */
  onRun(run: RunRef): void;
  /** A note to the sender on that run. */
  readonly note: string | undefined;
  /** For answers whose body is a stream. */
  readonly watch: StreamHooks;
}

/**
 * One row of the route table. The pipeline checks, in the order of BODY-5: region, credential, programme, path, method,
 * visibility (`admit` too), kind of credential, size, media type; then `parse` (400), `authorize` (what the body names:
 * 400 or 404), injected faults, and `handle`, which answers or throws a `Refusal` (409, then 429).
 */
export interface Route<Input = unknown> {
  readonly operation: Operation;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base, in Hono's notation: `/interns/:id/chat/completions`. */
  readonly path: string;
  /**
   * The required kind of credential, among those that the path's area accepts; `oauth` and `oauth_vault` answer 403 to
   * others (AUTH-7, AUTH-8).
   */
  readonly credential: 'any' | 'oauth' | 'oauth_vault';
  /**
   * Uses what belongs to the whole workspace: it does not exist for an intern's own key, on any intern (AUTH-4,
   * VAULT-7).
   */
  readonly ofWorkspace?: true;
  readonly body: {
    /** Whether the route reads a body at all. */
    readonly read: boolean;
    /** Whether a non-empty body must declare JSON (BODY-3). */
    readonly json: 'required' | 'ignored';
    /** The 400 that this route answers with (BODY-4). */
    readonly invalid: 'invalid_body' | 'bad_request';
    /** `none`: white space is no body, and needs no content type (DELETE-2, BODY-1). */
    readonly blank?: 'none';
    /** The part of a body with a secret that the journal keeps, and the secret itself, which is hidden everywhere (VAULT-2). */
    conceal?(bytes: Uint8Array): { readonly shown: string; readonly secret: string | undefined };
  };
  /** Throws a 404 if the caller cannot see a thing in the path besides its intern, such as a vault. */
  admit?(caller: Caller, named: PathNames): void;
  parse(parts: RequestParts): Input;
  authorize?(call: Call<Input>): void;
  /** Whether an injected fault, or one at a step, applies to a call. It must not if the call only repeats an answer. Default: true. */
  meetsFault?(call: Call<Input>, step: CreateStep | undefined): boolean;
  handle(call: Call<Input>): PlainResponse | Promise<PlainResponse>;
  /** The setting that bounds the whole operation, reading the body included; past it the answer is 408 (SIGN-9). */
  readonly timeout?: 'signing_timeout';
  /** Whether it computes for long: other requests then get their turn in between. */
  readonly heavy?: true;
  /** Marks a deprecated alias and names its successor, below the base (DAEMON-3, SIGN-11). */
  readonly successor?: string;
}

const NO_BODY = { read: false, json: 'ignored', invalid: 'invalid_body' } as const;

type RouteRow<Input> = Omit<Route<Input>, 'credential' | 'body'> & Partial<Pick<Route<Input>, 'credential' | 'body'>>;

/**
 * A row, which takes any kind of credential and reads no body unless it says otherwise. It keeps the type of its input
 * between `parse` and `handle`, and forgets it for the table.
 */
export const route = <Input>(row: RouteRow<Input>): Route =>
  ({ credential: 'any', body: NO_BODY, ...row }) as unknown as Route;
