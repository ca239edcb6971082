import type { Fault } from '../contract/fault.js';
import type { Called } from '../contract/operation.js';
import type { Fetch } from '../wire/serve.js';

/** A request that meets disturbances: its body is there, so that it can be sent more than once. */
export interface Scene {
  readonly request: Request;
  readonly body: string;
  readonly operation: Called;
  readonly internId: string | undefined;
  readonly fault: Fault;
  /** The id that the request has, or is given. */
  readonly requestId: string;
  readonly next: Fetch;
  /** Resolves when the client has left, which the server notices from now on. */
  untilLeft(): Promise<void>;
  /** The disturbance has happened: call it where it does. */
  happened(): void;
}

/** Breaks the connection without an answer. */
export class BrokenConnection extends Error {
  override readonly name = 'BrokenConnection';
  constructor(
    message: string,
    /** The code by which Node reports it to a client. */
    readonly code: 'ECONNREFUSED' | 'ECONNRESET',
  ) {
    super(message);
  }
}
