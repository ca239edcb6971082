import { Finding } from '../framework/assert.js';
import type { Host } from '../framework/time.js';
import { bodyText, Evidence, type Exchange } from './exchange.js';
import type { Redactor } from './redact.js';
import type { CredentialName, Send } from './request.js';

export type Fetch = (request: Request) => Response | Promise<Response>;

/** A whole answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly text: string;
  /** The body as JSON; undefined where it is none. */
  readonly json: unknown;
  readonly exchange: number;
}

/** An answer whose body is still coming. */
export interface OpenAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly exchange: number;
  readonly evidence: Evidence;
  /** The bytes as they come; undefined at the end. Throws {@link NoAnswer} where the connection breaks. */
  read(): Promise<{ bytes: Uint8Array; at: number } | undefined>;
  /** Ends the connection from this side: cancels the body and takes the request back. */
  close(): Promise<void>;
  /** Only cancels the body, as a client does that has read all it wants. */
  cancel(): Promise<void>;
  /** Reads to the end. */
  whole(): Promise<Answer>;
}

export type NoAnswerKind = 'timeout' | 'refused' | 'dns' | 'certificate' | 'dropped' | 'too long' | 'other';

/** There was no answer, or it broke off. A finding: a valid request has to be answered. */
export class NoAnswer extends Finding {
  constructor(
    readonly kind: NoAnswerKind,
    request: string,
    detail: string,
  ) {
    super({ what: request, expected: 'an HTTP answer', actual: `${kind}: ${detail}` });
  }
}

export interface ClientOptions {
  readonly fetch: Fetch;
  /** Up to and including /api/v1, without a slash at its end. */
  readonly baseUrl: string;
  readonly host: Host;
  readonly redactor: Redactor;
  credential(name: CredentialName): string;
  /** ms of real time until the head of an answer, and between two pieces of a body that is read whole. */
  readonly timeout: number;
  /** Whether a Host that a check asks for goes into the URL too: without a network that is where it is read. */
  readonly hostInUrl?: boolean;
  /** Whether the target is in this process. */
  readonly inProcess?: boolean;
  /** Before every request: rate, budget, the ledger of what is created. Throws to keep it from leaving. */
  before?(send: Send, url: string): Promise<void>;
  /** After every head. Answers ms to wait before the same request is sent again, or undefined. */
  after?(send: Send, url: string, status: number, headers: Headers): number | undefined;
  /** Every answer that was read whole. */
  seen?(send: Send, url: string, answer: Answer): void;
}

export interface Client {
  send(send: Send): Promise<Answer>;
  open(send: Send): Promise<OpenAnswer>;
  /** Starts a fresh record and gives back the one so far. */
  takeEvidence(): Evidence[];
  /** Snapshots of what was recorded since the last {@link takeEvidence}. */
  exchanges(): Exchange[];
  /** Resolves when no request waits for the head of its answer. */
  idle(): Promise<void>;
  /** How many requests have left. */
  readonly sent: number;
  /** How many answers were not read to their end. */
  readonly cutShort: number;
  /** Closes every answer that is still open. */
  closeAll(): Promise<void>;
}

/** Longest body that the kit reads. */
const MAX_BODY = 32 * 1024 * 1024;

function kindOf(error: unknown): { kind: NoAnswerKind; detail: string } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
  const detail = cause instanceof Error ? cause.message || code || cause.name : String(cause);
  if (/ENOTFOUND|EAI_AGAIN/.test(code)) return { kind: 'dns', detail };
  if (/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/.test(code)) return { kind: 'refused', detail };
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code) || /certificate/i.test(detail)) {
    return { kind: 'certificate', detail };
  }
  if (/TIMEOUT/.test(code)) return { kind: 'timeout', detail };
  if (/ECONNRESET|EPIPE|UND_ERR_SOCKET|HPE_/.test(code)) return { kind: 'dropped', detail };
  return { kind: 'other', detail };
}

export function createClient(options: ClientOptions): Client {
  const { host, redactor } = options;
  let evidence: Evidence[] = [];
  let sent = 0;
  let cutShort = 0;
  const started = host.now();
  const open = new Set<OpenAnswer>();
  const at = () => Math.round((host.now() - started) * 10) / 10;

  const target = (send: Send) => {
    let url = send.url ?? `${options.baseUrl}${send.path ?? ''}`;
    if (send.query !== undefined) {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(send.query)) {
        for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
      }
      url += `${url.includes('?') ? '&' : '?'}${query}`;
    }
    return url;
  };

  const headersOf = (send: Send) => {
    const headers = new Headers();
    if (send.as !== null) {
      const as = send.as ?? 'api_key';
      headers.set('authorization', `Bearer ${typeof as === 'string' ? options.credential(as) : as.bearer}`);
    }
    if (send.json !== undefined) headers.set('content-type', 'application/json');
    if (send.host !== undefined) headers.set('host', send.host);
    for (const [name, value] of Object.entries(send.headers ?? {})) {
      if (value === undefined) headers.delete(name);
      else headers.set(name, value);
    }
    return headers;
  };

  /** The transcript says who sent by the credential's name. */
  const sender = (send: Send, headers: Headers): Record<string, string> => {
    const as = send.as === undefined ? 'api_key' : send.as;
    if (!headers.has('authorization') || typeof as !== 'string' || send.headers?.authorization !== undefined) return {};
    return { authorization: `Bearer [${as}]` };
  };

  const once = async (send: Send): Promise<OpenAnswer> => {
    const url = target(send);
    const method = send.method ?? 'GET';
    const text = send.json === undefined ? undefined : JSON.stringify(send.json);
    const body = text ?? send.body;
    const headers = headersOf(send);
    await options.before?.(send, url);
    const number = ++sent;
    const record = new Evidence(
      number,
      at(),
      () => {
        const shown = Array.isArray(body)
          ? `${(body as Uint8Array[]).length} chunks`
          : bodyText(body as string | Uint8Array | undefined);
        return {
          method,
          url: redactor.text(url),
          headers: { ...redactor.headers(headers), ...sender(send, headers) },
          ...(shown === undefined ? {} : { body: redactor.text(shown) }),
        };
      },
      redactor,
    );
    evidence.push(record);
    const what = `${method} ${url}`;

    // A signal costs as much as a request without a network; there, only streams have a connection to close.
    const abort = options.inProcess === true && !url.includes('/chat/') ? undefined : new AbortController();
    let timedOut = false;
    const limit = send.timeout ?? options.timeout;
    const onTime = async <T>(work: Promise<T> | T, doing: string): Promise<T> => {
      let stop = () => {};
      const late = new Promise<never>((_, reject) => {
        stop = host.later(limit, () => {
          timedOut = true;
          abort?.abort(new Error('timeout'));
          reject(new NoAnswer('timeout', what, `nothing ${doing} within ${limit} ms`));
        });
      });
      try {
        return await Promise.race([work, late]);
      } finally {
        stop();
      }
    };
    const broken = (error: unknown) => {
      if (error instanceof NoAnswer) return error;
      const { kind, detail } = timedOut
        ? { kind: 'timeout' as const, detail: `nothing within ${limit} ms` }
        : kindOf(error);
      return new NoAnswer(kind, what, redactor.text(detail));
    };

    let response: Response;
    try {
      const streamed = Array.isArray(body) ? ReadableStream.from(body as Uint8Array[]) : (body as string | undefined);
      const init: RequestInit & { duplex?: 'half' } = {
        method,
        headers,
        redirect: 'manual',
        ...(abort === undefined ? {} : { signal: abort.signal }),
        ...(streamed === undefined ? {} : { body: streamed, duplex: 'half' as const }),
      };
      const address = new URL(url);
      if (send.host !== undefined && options.hostInUrl === true) address.host = send.host;
      response = await onTime(options.fetch(new Request(address, init)), 'came');
    } catch (error) {
      const lost = broken(error);
      record.failed(String(lost.actual));
      throw lost;
    }
    record.answered(at(), response.status, response.headers);
    const reader = response.body?.getReader();
    let total = 0;
    let over = reader === undefined;
    if (over) record.close('end');

    const finish = async (how: string) => {
      over = true;
      if (how !== 'end') cutShort++;
      record.close(how);
      open.delete(answer);
    };
    const answer: OpenAnswer = {
      status: response.status,
      headers: response.headers,
      exchange: number,
      evidence: record,
      async read() {
        if (over || reader === undefined) return undefined;
        try {
          const { done, value } = await reader.read();
          if (done) {
            await finish('end');
            return undefined;
          }
          const when = at();
          record.received(when, value);
          total += value.length;
          if (total > MAX_BODY) throw new NoAnswer('too long', what, `a body of more than ${MAX_BODY} bytes`);
          return { bytes: value, at: when };
        } catch (error) {
          const lost = broken(error);
          const ours = over;
          await finish(String(lost.actual));
          if (lost.kind === 'too long') abort?.abort();
          if (ours) return undefined;
          throw lost;
        }
      },
      async cancel() {
        if (over) return;
        await finish('cancelled');
        await reader?.cancel().catch(() => {});
      },
      async close() {
        if (over) return;
        await finish('cancelled');
        // The request is taken back first: over a network that is what closes the connection.
        abort?.abort(new Error('closed by the kit'));
        await reader?.cancel().catch(() => {});
      },
      async whole() {
        const parts: Uint8Array[] = [];
        for (;;) {
          const piece = await onTime(answer.read(), 'more came').catch(async (error) => {
            await finish('timeout');
            throw error;
          });
          if (piece === undefined) break;
          parts.push(piece.bytes);
        }
        const bytes = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
        const decoded = new TextDecoder().decode(bytes);
        let json: unknown;
        try {
          json = decoded === '' ? undefined : JSON.parse(decoded);
        } catch {
          json = undefined;
        }
        redactor.learnFrom(decoded);
        const read: Answer = {
          status: answer.status,
          headers: answer.headers,
          bytes,
          text: decoded,
          json,
          exchange: number,
        };
        options.seen?.(send, url, read);
        return read;
      },
    };
    if (!over) open.add(answer);
    return answer;
  };

  const flying = new Set<Promise<unknown>>();
  const opened = (send: Send): Promise<OpenAnswer> => {
    const flight = tried(send);
    const settled = flight.then(
      () => {},
      () => {},
    );
    flying.add(settled);
    settled.then(() => flying.delete(settled));
    return flight;
  };
  const tried = async (send: Send): Promise<OpenAnswer> => {
    for (let tries = 0; ; tries++) {
      const answer = await once(send);
      const wait = tries < 3 ? options.after?.(send, target(send), answer.status, answer.headers) : undefined;
      if (wait === undefined) return answer;
      await answer.close();
      await host.sleep(wait);
    }
  };

  return {
    open: opened,
    send: async (send) => (await opened(send)).whole(),
    takeEvidence() {
      const taken = evidence;
      evidence = [];
      return taken;
    },
    async idle() {
      while (flying.size > 0) await Promise.all(flying);
    },
    exchanges: () => evidence.map((entry) => entry.snapshot()),
    get sent() {
      return sent;
    },
    get cutShort() {
      return cutShort;
    },
    async closeAll() {
      await Promise.all([...open].map((answer) => answer.close()));
    },
  };
}
