import type { Fetch } from '../probe/client.js';
import { type Outgoing, type PlainFetch, requestOf, textOf } from '../probe/outgoing.js';
import type { Host } from '../probe/time.js';
import { createInFlight, within } from '../probe/watch.js';

/** One request around the run, a GET by default, read whole. Rejects if no whole answer comes in time. */
export type Ask = (request: Pick<Outgoing, 'url' | 'body'> & Partial<Outgoing>) => Promise<Got>;

interface Got {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

export function createAsk(options: {
  readonly fetch: Fetch;
  readonly plainFetch?: PlainFetch | undefined;
  readonly host: Host;
  /** ms */
  readonly timeout: number;
  /** When no answer is waited for any longer. */
  readonly until?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}): Ask {
  const { fetch, host, plainFetch, timeout, until = Number.POSITIVE_INFINITY } = options;
  const inFlight = createInFlight(options.signal);
  return ({ method = 'GET', headers = new Headers(), ...rest }) => {
    const request: Outgoing = { ...rest, method, headers };
    const ms = Math.max(0, Math.min(timeout, until - host.now()));
    const late = () => new Error(`${rest.url} did not answer within ${Math.round(ms)} ms`);
    const abort = new AbortController();
    const asked = async () => {
      const answer = await (plainFetch?.(request) ?? fetch(requestOf({ ...request, signal: abort.signal })));
      return { status: answer.status, type: answer.headers.get('content-type') ?? '', text: await textOf(answer) };
    };
    return within({ host, ms, inFlight, abort, late }, asked);
  };
}

/** The headers of a control call. */
export const controlHeaders = (token: string | undefined, body?: string): Headers =>
  new Headers({
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  });
