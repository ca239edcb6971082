import type { Scope } from '../clock/scope.js';
import type { ReceivedRequest } from '../requests/received-request.js';
import type { JournalDraft } from './journal-entry.js';
import type { PathNames, Route } from './route.js';

/** Which rules a path is under: interns, their vaults, SCIM, or none of them. */
export type Area = 'interns' | 'vault' | 'scim' | 'none';

/** One path of the table with all that is known of it. */
export interface Resource extends PathNames {
  readonly area: Area;
  /** The rows of this path; none for an unknown path. */
  readonly routes: readonly Route[];
}

/** How a request came. */
export interface Transport {
  /** Whether it enforces a declared body length. */
  readonly framed: boolean;
  /** The names and values of the headers in turns, as received; undefined in process. */
  readonly rawHeaders?: readonly string[] | undefined;
  /** Cuts the connection, or resets it, once the written bytes have left; undefined in process. */
  readonly cut?: ((reset: boolean) => void) | undefined;
  /** Calls `then` with the reason when the client of an in-process request gives up. */
  onLeave(then: (reason: unknown) => void): void;
  /** Called as soon as the answer can only be a stream: from then on a client that closes its half has left. */
  streams(): void;
}

/**
 * A header of a request, by its name in lower case; repeated headers have their values joined. It is read from what a
 * listener received, if there is one: asking a `Request` costs several times as much, and is done for every request.
 */
export function headerOf(
  request: ReceivedRequest,
  { rawHeaders }: Pick<Transport, 'rawHeaders'>,
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

/** A request on its way through the pipeline. A class, since one is made per request. */
export class Exchange {
  private own: Scope | undefined;
  constructor(
    readonly request: ReceivedRequest,
    readonly resource: Resource,
    readonly transport: Transport,
    readonly draft: JournalDraft,
    /** That of the state the request found. */
    private readonly state: Scope,
  ) {}
  /** Ends with the request, and with the state it found. Made on demand: most requests never wait. */
  get scope(): Scope {
    this.own ??= this.state.child();
    return this.own;
  }
  header(name: string): string | null {
    return headerOf(this.request, this.transport, name);
  }
  end(): void {
    void this.own?.dispose();
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
