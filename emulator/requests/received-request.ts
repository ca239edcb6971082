import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The headers of a request; `Headers` are such. */
export type ReceivedHeaders = Pick<Headers, 'get' | 'has' | typeof Symbol.iterator>;

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
    readonly headers: ReceivedHeaders,
    readonly body: string | Uint8Array,
    /** Aborted when the client gives up, if it can. */
    readonly signal?: AbortSignal,
  ) {}
}

/** Headers as a listener received them: names and values in turn. They hold nothing of the connection. */
export class RawHeaders implements ReceivedHeaders {
  constructor(private readonly raw: readonly string[]) {}

  /** Repeated headers have their values joined, also those of which Node keeps the first alone. */
  get(name: string): string | null {
    const wanted = name.toLowerCase();
    const { raw } = this;
    let value: string | null = null;
    for (let at = 0; at < raw.length; at += 2) {
      const own = raw[at] ?? '';
      if (own.length !== wanted.length || own.toLowerCase() !== wanted) continue;
      value = value === null ? (raw[at + 1] ?? '') : `${value}, ${raw[at + 1]}`;
    }
    return value;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  [Symbol.iterator](): ReturnType<Headers[typeof Symbol.iterator]> {
    const headers = new Headers();
    for (let at = 0; at < this.raw.length; at += 2) headers.append(this.raw[at] ?? '', this.raw[at + 1] ?? '');
    return headers[Symbol.iterator]();
  }
}

/** Hosts and targets that a parsed URL leaves as they are: nearly all. Parsing costs more than the rest of a request. */
const PLAIN_HOST = /^[a-z0-9._-]+(?::(?:[1-5]\d{3,4}|[6-9]\d{3}))?$/;
const PLAIN_TARGET = /^\/[!#$&-;=?-[\]_a-z~]*$/;
const DOT_SEGMENT = /\/\.\.?(?:[/?#]|$)/;

/** The URL of a request, in the form of a parsed one. @throws Error for a target or a host that no URL can have */
function urlOf({ url: target = '', headers: { host = '' }, socket }: IncomingMessage): string {
  const scheme = 'encrypted' in socket ? 'https' : 'http';
  const plain = PLAIN_TARGET.test(target) && !DOT_SEGMENT.test(target);
  if (plain && PLAIN_HOST.test(host)) return `${scheme}://${host}${target}`;
  // A URL reads a backslash in its path as a slash.
  if (/^[^?]*\\/.test(target)) throw new Error('a backslash in the path');
  if (/^https?:\/\//.test(target)) return new URL(target).href;
  if (target !== '' && !target.startsWith('/')) throw new Error('the target is no path');
  const url = new URL(`${scheme}://${host}${target}`);
  const { length } = url.hostname;
  if (length !== host.length && url.hostname !== host.replace(/:\d+$/, '').toLowerCase())
    throw new Error('the host is not one of a URL');
  return url.href;
}

/** A request that came by a socket, and its connection. A class, since one is made per request. */
export class SocketRequest {
  readonly method: string;
  /** In the form of a parsed URL. */
  readonly url: string;
  readonly headers: RawHeaders;
  private leaving: AbortController | undefined;

  /** @throws Error for a target or a host that no URL can have */
  constructor(
    readonly incoming: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly streaming: (socket: Socket, response: ServerResponse) => void,
  ) {
    this.method = incoming.method ?? 'GET';
    this.url = urlOf(incoming);
    this.headers = new RawHeaders(incoming.rawHeaders);
  }

  /** Call it when the answer is a stream: then a client that closes its half of the connection has left. */
  streams(): void {
    this.streaming(this.incoming.socket, this.response);
  }

  /** Aborted when the connection ends before the answer. Made on demand: most requests are answered at once. */
  get signal(): AbortSignal {
    if (this.leaving) return this.leaving.signal;
    const leaving = new AbortController();
    this.leaving = leaving;
    const { response } = this;
    const closed = () => {
      if (!response.writableFinished) leaving.abort(new Error('the client closed the connection'));
    };
    if (response.destroyed || response.closed) closed();
    else response.once('close', closed);
    return leaving.signal;
  }
}

/** A request as the pipeline takes it. */
export type ReceivedRequest = Request | PlainRequest | SocketRequest;
