/**
 * A request without a socket whose body is there: what is looked at of one, and no more. A `Request` takes longer to make
 * than most take to answer.
 */
export class PlainRequest {
  constructor(
    /** In upper case, as a `Request` has it. */
    readonly method: string,
    /** As a parsed URL is written. */
    readonly url: string,
    readonly headers: Headers,
    readonly body: string | Uint8Array,
    /** Aborted when the client gives up, where it can. */
    readonly signal?: AbortSignal,
  ) {}
}

/** A request as the pipeline takes it. */
export type ReceivedRequest = Request | PlainRequest;
