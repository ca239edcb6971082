import { GATEWAY } from '../probe/gateway.js';
import type { Habit } from './habit.js';
import { LATER, READS } from './visit.js';

export const lostConnections: Habit = {
  id: 'lost-connections',
  what: 'drops a connection',
  kit: 'tries again; reports a connection that is lost each time',
  /** A connection may be lost on the way. */
  explains: ({ silence }) => (silence?.kind === 'dropped' ? { again: 0 } : undefined),
  silent: true,
};

const NOBODY: ReadonlySet<unknown> = new Set(['refused', 'dns', 'proxy']);

export const away: Habit = {
  id: 'away',
  what: 'is away, so that no connection is made',
  kit: 'retries, 2 and 4 s later; skips the checks that reach nobody, and exits 3',
  /** A service that is down for some seconds breaks no sentence of the interface. */
  explains: ({ found, silence }) => {
    if (silence === undefined || !NOBODY.has(silence.kind)) return undefined;
    return {
      again: LATER,
      skip: { kind: 'stopped', because: { kind: 'unreached', request: found.of, got: silence } },
    };
  },
  silent: true,
};

/** Share of the requests that a gateway answers itself, and of those, which it has passed on. */
const DOWN = 0.03;

/** ms before a request is sent again that it has answered. */
const TILL_AGAIN = 500;

export const gatewayDown: Habit = {
  id: 'gateway-down',
  what: 'is behind a gateway that is down at times',
  kit: 'sends reads again; runs a check again from its beginning after a write that the gateway answered, as the write may have been done; reports the answer if it comes at the same request each time',
  /** A gateway that now and then gives up on its backend, before it has passed a request on or after. */
  serve:
    (next, { random }) =>
    async (request) => {
      if (random() >= DOWN) return next(request);
      const status = 502 + Math.floor(random() * 3);
      if (random() < 0.5) void (await next(request)).body?.cancel();
      return new Response(`<html><body><h1>${status}</h1></body></html>`, {
        status,
        headers: { 'content-type': 'text/html' },
      });
    },
  /** Reads may be sent again, and writes that say what is sent in their place. */
  again: ({ send: { method = 'GET', renew }, status }) =>
    GATEWAY.has(status) && (READS.has(method) || renew !== undefined) ? TILL_AGAIN : undefined,
  /**
   * A gateway answered a write of the check, which may still have been done: later contradictions may come from it. A
   * finding about such an answer itself is not one of them, and counts if it comes each time.
   */
  explains: ({ began, got }, visit) => {
    const { lostWrite } = visit.dealings;
    if (lostWrite === undefined || lostWrite.at < began || GATEWAY.has(got?.status ?? 0)) return undefined;
    visit.forget();
    const { request, status } = lostWrite;
    return { again: LATER, skip: { kind: 'race', because: { kind: 'lost-write', request, status } } };
  },
};
