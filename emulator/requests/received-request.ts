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
    /** An error if it could not be read. */
    readonly body: string | Uint8Array | Error,
    /** Aborted when the client gives up, if it can. */
    readonly signal?: AbortSignal,
  ) {}
}

/** Whether a `Request` of a method has no body, whatever was sent. */
export const hidesBody = (method: string): boolean => method === 'GET' || method === 'HEAD' || method === 'TRACE';

/** The same request as a `Request` of the web. */
export function asRequest({ method, url, headers, body, signal }: PlainRequest): Request {
  if (body instanceof Error) throw body;
  const bytes = typeof body === 'string' ? body : new Uint8Array(body);
  const sent = hidesBody(method) || body.length === 0 ? {} : { body: bytes };
  return new Request(url, { method, headers, ...sent, ...(signal ? { signal } : {}) });
}

/** A request as the pipeline takes it. */
export type ReceivedRequest = Request | PlainRequest;
