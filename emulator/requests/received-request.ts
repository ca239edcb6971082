/**
 * A request without a socket whose body is there: only the parts that are needed. A `Request` takes longer to make than
 * most take to answer.
 */
export class PlainRequest {
  constructor(
    /** In upper case, as a `Request` has it. */
    readonly method: string,
    /** In the form of a parsed URL. */
    readonly url: string,
    readonly headers: Headers,
    readonly body: string | Uint8Array,
    /** Aborted when the client gives up, if it can. */
    readonly signal?: AbortSignal,
  ) {}
}

/** The same request as a `Request` of the web. */
export const asRequest = ({ method, url, headers, body, signal }: PlainRequest): Request =>
  new Request(url, {
    method,
    headers,
    ...(body.length > 0 ? { body: typeof body === 'string' ? body : new Uint8Array(body) } : {}),
    ...(signal ? { signal } : {}),
  });

/** A request as the pipeline takes it. */
export type ReceivedRequest = Request | PlainRequest;
