import { inWords } from '../../emulator/contract/system-error.js';
import type { Redactor } from './redact.js';
import type { Host } from './time.js';

type NoAnswerKind =
  | 'timeout'
  | 'refused'
  | 'dns'
  | 'proxy'
  | 'port'
  | 'certificate'
  | 'tls'
  | 'dropped'
  | 'too long'
  | 'too deep'
  | 'other';

/** Why no answer came. `hung` and `crashed`: a client under test. */
export interface NoAnswerGot {
  readonly kind: NoAnswerKind | 'hung' | 'crashed';
  readonly detail: string;
}

/** Thrown if no answer came, or it broke off. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly got: NoAnswerGot;
  constructor(
    kind: NoAnswerKind,
    readonly request: string,
    detail: string,
  ) {
    super(`${request}: ${kind}: ${detail}`);
    this.got = { kind, detail };
  }
}

/** Why no answer came; undefined for any other error. */
export const whyNoAnswer = (error: unknown): NoAnswerGot | undefined =>
  error instanceof NoAnswer ? error.got : undefined;

const CA = 'for a certificate authority of your own set NODE_EXTRA_CA_CERTS to its PEM file';

/** The reason why no answer came, from the error of `fetch`: in one line. */
export function kindOf(error: unknown): { kind: NoAnswerKind; detail: string } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const textOf = (key: 'code' | 'reason') =>
    typeof cause === 'object' && cause !== null && key in cause ? String((cause as Record<string, unknown>)[key]) : '';
  const code = textOf('code');
  const message = cause instanceof Error ? cause.message || code || cause.name : String(cause);
  const detail = message.trim().replace(/\s+/g, ' ');
  if (cause instanceof Error && cause.name === 'ProxyRefused') return { kind: 'proxy', detail };
  if (/ENOTFOUND|EAI_AGAIN/.test(code)) return { kind: 'dns', detail };
  if (/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/.test(code)) return { kind: 'refused', detail };
  // Before certificates are exchanged, OpenSSL's message is a line of its source. Its name for an
  // answer in plain HTTP differs between its versions.
  if (/^ERR_SSL_|^EPROTO$/.test(code)) {
    const reason = textOf('reason') || code;
    return { kind: 'tls', detail: /alert/i.test(reason) ? reason : `${reason}; is it http:// there?` };
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return { kind: 'certificate', detail };
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code) || /certificate/i.test(detail))
    return { kind: 'certificate', detail: `${detail}; ${CA}` };
  if (/TIMEOUT/.test(code)) return { kind: 'timeout', detail };
  if (/ECONNRESET|EPIPE|UND_ERR_SOCKET|HPE_/.test(code)) return { kind: 'dropped', detail };
  if (detail === 'bad port') return { kind: 'port', detail: inWords(cause) };
  return { kind: 'other', detail };
}

/** Longest body that the kit reads, in bytes. */
export const MAX_BODY = 32 * 1024 * 1024;

/**
 * The requests of a scope that are in progress: ended when its signal aborts. One listener for all, since one each
 * costs more.
 */
export interface InFlight {
  readonly signal: AbortSignal | undefined;
  readonly ends: Set<(reason: unknown) => void>;
}

export function createInFlight(signal: AbortSignal | undefined): InFlight {
  const ends = new Set<(reason: unknown) => void>();
  const endAll = () => {
    for (const end of [...ends]) end(signal?.reason);
  };
  signal?.addEventListener('abort', endAll, { once: true });
  return { signal, ends };
}

interface Wait {
  readonly host: Host;
  /** ms of real time. */
  readonly ms: number;
  readonly inFlight: InFlight;
  /** Aborted when the wait ends early. Held here: Node 20 collects the signals that only a `Request` follows. */
  readonly abort: AbortController | undefined;
  /** The error that is thrown when the time is up. */
  late(): Error;
}

/** The result of the work, unless the time is up or the scope has ended first, even if `work` ignores both. */
export async function within<T>({ abort, host, inFlight, late, ms }: Wait, work: () => Promise<T> | T): Promise<T> {
  const { ends, signal } = inFlight;
  let stop = () => {};
  let end = (_: unknown) => {};
  const cut = new Promise<never>((_, reject) => {
    end = (reason: unknown) => {
      reject(reason);
      abort?.abort(reason);
    };
    ends.add(end);
    // The called code may have ended the run before it answered.
    if (signal?.aborted) end(signal.reason);
    stop = host.later(ms, () => end(late()));
  });
  try {
    return await Promise.race([work(), cut]);
  } finally {
    stop();
    ends.delete(end);
  }
}

interface WatchOptions {
  readonly host: Host;
  readonly redactor: Redactor;
  readonly inFlight: InFlight;
  /** Method and address, for the message of a missing answer. */
  what(): string;
  /** ms of real time, for each wait. */
  readonly limit: number;
  /** Aborts the request, if there is a connection to close. */
  readonly abort: AbortController | undefined;
}

/** Keeps one request within its time and its scope. */
export function watchRequest({ host, redactor, inFlight, what, limit, abort }: WatchOptions) {
  const { signal } = inFlight;
  let timedOut = false;
  const held: Request[] = [];
  return {
    what,
    /** Keeps the request: its signal follows ours weakly, and misses an abort once it was collected (Node 20). */
    hold: (request: Request) => void held.push(request),
    /** The result of the work in time. `ms` replaces the limit. */
    within<T>(work: Promise<T> | T, doing: string, ms = limit): Promise<T> {
      const late = () => {
        timedOut = true;
        return new NoAnswer('timeout', what(), `nothing ${doing} within ${ms} ms`);
      };
      return within({ host, ms, inFlight, abort, late }, () => work);
    },
    /** The reason of a failure: that of the ended scope, or that no answer came. */
    reasonOf(error: unknown): unknown {
      if (signal?.aborted) return signal.reason;
      if (whyNoAnswer(error) !== undefined) return error;
      const { kind, detail } = timedOut ? { kind: 'timeout' as const, detail: 'nothing in time' } : kindOf(error);
      return new NoAnswer(kind, what(), redactor.text(detail));
    },
    /** Aborts the request from this side. */
    hangUp: () => abort?.abort(new Error('closed by the kit')),
  };
}
export type RequestWatch = ReturnType<typeof watchRequest>;
