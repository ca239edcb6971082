import type { Serve } from '../../emulator/wire/serve.js';
import type { Habit } from './habit.js';
import { GATEWAY, LATER, READS } from './visit.js';

/** Share of the requests that a gateway answers itself, and of those, which it has passed on. */
const DOWN = 0.03;

/** A gateway that now and then gives up on its backend, before it has passed a request on or after. */
const serve: Serve =
  (next, { random }) =>
  async (request) => {
    if (random() >= DOWN) return next(request);
    const status = 502 + Math.floor(random() * 3);
    if (random() < 0.5) void (await next(request)).body?.cancel();
    return new Response(`<html><body><h1>${status}</h1></body></html>`, {
      status,
      headers: { 'content-type': 'text/html' },
    });
  };

/** ms before a request is sent again that it has answered. */
const AWAY = 500;

/** Reads may be sent again, and writes that say what is sent in their place. */
const again: Habit['again'] = ({ send: { method = 'GET', renew }, status }) =>
  GATEWAY.has(status) && (READS.has(method) || renew !== undefined) ? AWAY : undefined;

/**
 * A gateway answered a write of the check, which may still have been done: later contradictions may come from it. A
 * finding about such an answer itself is not one of them, and counts if it comes each time.
 */
const explains: Habit['explains'] = ({ began, got }, visit) => {
  const { lostWrite } = visit.dealings;
  if (lostWrite === undefined || lostWrite.at < began || GATEWAY.has(got?.status ?? 0)) return undefined;
  visit.forget();
  const { request, status } = lostWrite;
  return { again: LATER, skip: { kind: 'race', because: { kind: 'lost-write', request, status } } };
};

export const gatewayDown: Habit = {
  id: 'gateway-down',
  what: 'is behind a gateway that is down at times',
  kit: 'sends reads again; runs a check again from its beginning after a write that the gateway answered, as the write may have been done; reports the answer if it comes at the same request each time',
  serve,
  again,
  explains,
};
