import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A target and a host that are the same once a URL was made of them: most are. */
const PLAIN_TARGET = /^\/[!#$&-;=?-[\]_a-z~]*$/;
const DOT_SEGMENT = /\/\.\.?(?:[/?#]|$)/;
const PLAIN_HOST = /^[a-z0-9._-]+(?::(?:[1-5]\d{3,4}|[6-9]\d{3}))?$/;
const ABSOLUTE = /^https?:\/\//;

/** A target or a host that no URL can be made of. */
export class TargetInvalid extends Error {
  override readonly name = 'TargetInvalid';
}

/** The URL that a request was sent to. @throws TargetInvalid */
function urlOf({ url: target = '', socket }: IncomingMessage, host: string): string {
  const isAbsolute = ABSOLUTE.test(target);
  const url = isAbsolute ? target : `${'encrypted' in socket ? 'https' : 'http'}://${host}${target}`;
  if (PLAIN_TARGET.test(target) && PLAIN_HOST.test(host) && !DOT_SEGMENT.test(target)) return url;
  const [path = ''] = target.split('?', 1);
  // URLs read a backslash as a slash, and would take a wrong host for another one.
  if (!(isAbsolute || target.startsWith('/')) || path.includes('\\') || !URL.canParse(url))
    throw new TargetInvalid(url);
  const { href, hostname, username, password } = new URL(url);
  // No Request can be made of a URL with credentials.
  if (username !== '' || password !== '') throw new TargetInvalid(url);
  if (!isAbsolute && hostname.length !== host.length && hostname !== host.replace(/:\d+$/, '').toLowerCase())
    throw new TargetInvalid(url);
  return href;
}

/** The headers of a request as they were received: to make the web's own of them takes longer than most answers. */
export class RawHeaders {
  /** @param raw names and values in turns */
  constructor(readonly raw: readonly string[]) {}

  /** A header, by its name in lower case; repeated headers have their values joined. */
  get(name: string): string | null {
    const { raw } = this;
    let value: string | null = null;
    for (let at = 0; at < raw.length; at += 2) {
      const own = raw[at] ?? '';
      if (own.length !== name.length || own.toLowerCase() !== name) continue;
      value = value === null ? (raw[at + 1] ?? '') : `${value}, ${raw[at + 1]}`;
    }
    return value;
  }
}

/** A request as a listener received it, and how it came. A class, since one is made per request. */
export class SocketRequest {
  readonly headers: RawHeaders;
  readonly url: string;
  private leaving: AbortController | undefined;

  /** @throws TargetInvalid if no URL can be made of its target and its host */
  constructor(
    readonly incoming: IncomingMessage,
    private readonly outgoing: ServerResponse,
    private readonly streaming: (socket: Socket, response: ServerResponse) => void,
  ) {
    this.headers = new RawHeaders(incoming.rawHeaders);
    this.url = urlOf(incoming, this.headers.get('host') ?? '');
  }

  get method(): string {
    return this.incoming.method ?? 'GET';
  }

  /** Aborted when the client leaves before it has its whole answer. Made on demand: most requests never wait. */
  get signal(): AbortSignal {
    if (this.leaving === undefined) {
      const { outgoing } = this;
      const leaving = new AbortController();
      this.leaving = leaving;
      const close = () => {
        if (!outgoing.writableFinished) leaving.abort(new Error('the client left'));
      };
      if (outgoing.destroyed) close();
      else outgoing.once('close', close);
    }
    return this.leaving.signal;
  }

  /** Call it when the answer is a stream: then a client that closes its half of the connection has left. */
  streams(): void {
    this.streaming(this.incoming.socket, this.outgoing);
  }
}
