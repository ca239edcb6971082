import type { Host } from '../../conformance/probe/time.js';
import { CallError } from './assemble.js';
import type { Has } from './flaws.js';
import type { Incoming, Outgoing, Transport } from './transport.js';

/** The parts of a client: how it sends, its time, and its mistakes. */
export interface Means {
  readonly transport: Transport;
  readonly host: Host;
  readonly has: Has;
  /** The state that stays from one call of a client to the next. */
  readonly past?: { aborted: boolean };
}

/** Retries after the first request, at most. */
const RETRIES = 2;
/** Longest wait that Retry-After can ask for, in ms. */
const LONGEST = 120_000;
const BACKOFF = 100;
const REDIRECTS = 20;
const MAY_RETRY = new Set([408, 409, 429, 500, 502, 503, 504]);

interface Refusal {
  readonly message: string;
  readonly retryable: boolean | undefined;
}

async function textOf(incoming: Incoming): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of incoming.body) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** The refusal in a body; a body without the envelope is a message. */
function readRefusal(text: string, status: number, has: Has): Refusal {
  if (has('errorNeedsJson')) JSON.parse(text);
  try {
    const { error } = JSON.parse(text) as { error: { message?: string; metadata?: { retryable?: boolean } } };
    return { message: error.message ?? `status ${status}`, retryable: error.metadata?.retryable };
  } catch {
    return { message: text.slice(0, 200) || `status ${status}`, retryable: undefined };
  }
}

/** ms that a refusal asks to wait; undefined if it asks for nothing meaningful. */
export function waitOf(header: (name: string) => string | undefined, now: number, has: Has): number | undefined {
  const ms = header('retry-after-ms');
  if (ms !== undefined && /^\d+(\.\d+)?$/.test(ms)) return has('secondsBeforeMs') ? Number(ms) / 2 : Number(ms);
  const asked = header('retry-after');
  if (asked === undefined) return undefined;
  if (has('secondsOnly') && !/^[1-9]\d*$/.test(asked)) throw new TypeError(`Retry-After: ${asked}`);
  if (/^\d+(\.\d+)?$/.test(asked))
    return has('floorSeconds')
      ? Math.floor(Number(asked) / 2) * 1_000
      : Number(asked) * (has('secondsAreMs') ? 1 : 1_000);
  const date = /^[A-Z][a-z]{2}, /.test(asked) ? Date.parse(asked) : Number.NaN;
  return date > now ? date - now : undefined;
}

/** Whether a refusal may be repeated. */
function mayRetry(status: number, retryable: boolean | undefined, has: Has): boolean {
  if (has('retryEverything')) return true;
  if (has('retryByFlag') && retryable !== undefined) return retryable;
  if (!MAY_RETRY.has(status)) return false;
  if (has('retryByStatus')) return true;
  return status === 409 ? retryable === true : retryable !== false;
}

const originOf = (url: string) => new URL(url).origin;

/** Sends, and follows redirects if `follow` says so: method and body are kept or not as RFC 9110 15.4 says. */
async function follow(first: Outgoing, means: Means, goes: boolean): Promise<Incoming> {
  const { has, transport } = means;
  let outgoing = first;
  for (let hops = 0; ; hops++) {
    const incoming = await transport(outgoing);
    const place = incoming.header('location');
    if (incoming.status < 300 || incoming.status > 399 || place === undefined || !goes) return incoming;
    incoming.leave();
    if (hops >= REDIRECTS && !has('redirectForever')) throw new CallError('too many redirects', incoming.status);
    const url = new URL(place, outgoing.url).href;
    const toGet =
      incoming.status === 303
        ? !has('redirectKeepsMethod')
        : [301, 302].includes(incoming.status) || has('redirectDropsBody');
    const leaves = originOf(url) !== originOf(outgoing.url);
    const secret = leaves ? !has('redirectKeepsKey') : has('redirectDropsKey');
    outgoing = {
      ...outgoing,
      url,
      headers: outgoing.headers.filter(
        ([name]) =>
          !(secret && name.toLowerCase() === 'authorization') && !(toGet && name.toLowerCase() === 'content-type'),
      ),
      ...(toGet ? { method: 'GET', body: undefined } : {}),
    };
  }
}

export interface CallOptions {
  /** Makes the request anew for each attempt, so that nothing of the last is sent again. */
  request(attempt: number): Promise<Omit<Outgoing, 'signal'>>;
  readonly retries: boolean;
  /** ms for each attempt, until its head. */
  readonly timeout: number;
  readonly follow: boolean;
  accepts(status: number): boolean;
  /** The longest silence that the caller bears, in ms. */
  readonly idle?: number | undefined;
  /** The signal by which the caller aborts the call. */
  readonly caller?: AbortSignal | undefined;
  /** Whether this refusal is worth one more proof. */
  again?(status: number, message: string): boolean;
}

/** The caller has aborted the call. */
export class Aborted extends Error {
  override readonly name = 'Aborted';
}

/** The service was silent for longer than the caller bears: never retried. */
export class Silent extends CallError {}

/** One call with its retries: the answer's head, or the error that is left. Its body is still to be read. */
export async function call(
  options: CallOptions,
  means: Means,
): Promise<Incoming & { readonly signal: AbortController }> {
  const { has, host } = means;
  const most = has('retryForever') ? 8 : RETRIES;
  for (let attempt = 0; ; attempt++) {
    const { caller, idle } = options;
    if (caller?.aborted === true && !has('abortBeforeMissed') && !has('abortUnheard')) throw new Aborted();
    const outgoing = await options.request(attempt);
    const signal = new AbortController();
    if (!has('abortUnheard') && !has('abortKeepsOpen'))
      caller?.addEventListener('abort', () => signal.abort(new Aborted()), { once: true });
    const patience = has('impatient') ? 1_000 : options.timeout;
    const bears = has('idleNever') ? undefined : idle;
    const stop = has('noTimeout')
      ? () => {}
      : host.later(Math.min(bears ?? patience, patience), () =>
          signal.abort(bears === undefined ? new CallError('timed out') : new Silent('silence before the head')),
        );
    let wait: number | undefined;
    try {
      const incoming = await follow({ ...outgoing, signal: signal.signal }, means, options.follow);
      stop();
      if (options.accepts(incoming.status) || (has('anyStatus') && incoming.status >= 500))
        return { ...incoming, signal };
      const { message, retryable } = readRefusal(await textOf(incoming), incoming.status, has);
      const error = new CallError(
        has('messageLost') ? 'request failed' : message,
        has('statusLost') ? undefined : incoming.status,
      );
      const may = mayRetry(incoming.status, retryable, has) || (has('retry401') && incoming.status === 401);
      if (!options.retries || attempt >= most || !may) throw error;
      wait = waitOf(incoming.header, host.now(), has);
      if (wait !== undefined && wait > LONGEST && !has('waitsForever')) throw error;
      if (has('hammer')) wait = 0;
    } catch (error) {
      stop();
      const { reason } = signal.signal;
      if (reason instanceof Silent && !has('idleRetried')) throw reason;
      if (caller?.aborted === true && !has('abortRetried')) throw new Aborted();
      if (error instanceof CallError && error.message !== 'timed out') throw error;
      if (error instanceof SyntaxError || error instanceof TypeError) throw error;
      if (!options.retries || attempt >= most) throw error;
    }
    const deaf = has('abortUnheard') || has('abortWaitsOn') || has('abortRetried');
    await host.sleep(wait ?? BACKOFF * (attempt + 1), deaf ? undefined : caller).catch(() => {});
    if (!deaf && caller?.aborted === true) throw new Aborted();
  }
}
