import { PlainRequest } from './plain-request.js';
import { SocketRequest } from './socket-request.js';

/** A request as the pipeline takes it. */
export type ReceivedRequest = Request | PlainRequest | SocketRequest;

/** The headers of a request, by their names in lower case. */
export type ReceivedHeaders = Pick<Headers, 'get'>;

/** The same request, for what takes those of the web alone. */
export function asRequest(request: ReceivedRequest): Request {
  if (request instanceof SocketRequest) return ofSocket(request);
  if (!(request instanceof PlainRequest)) return request;
  const { method, url, headers, body, signal } = request;
  return new Request(url, {
    method,
    headers,
    ...(body.length > 0 ? { body: typeof body === 'string' ? body : new Uint8Array(body) } : {}),
    ...(signal ? { signal } : {}),
  });
}

function ofSocket({ method, url, headers: { raw }, incoming, signal }: SocketRequest): Request {
  const headers = raw.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, raw[at + 1] ?? '']] : []));
  const body = ReadableStream.from(incoming.iterator({ destroyOnReturn: false }));
  // A Request has no body for these, and cannot be made for TRACE.
  const bare = method === 'GET' || method === 'HEAD' || method === 'TRACE';
  const made = bare ? new Request(url, { headers }) : new Request(url, { method, headers, body, duplex: 'half' });
  // The signal itself: that of a Request follows another one weakly, and misses its abort once it was collected (Node 20).
  return Object.defineProperties(made, { method: { value: method }, signal: { value: signal } });
}
