import type { Habit } from './habit.js';
import type { Serve } from './serve.js';

/** Share of the requests that a gateway answers itself, and of those, which it has passed on. */
const DOWN = 0.03;

/** A gateway that gives up on what is behind it now and then, before it has passed a request on or after. */
const serve: Serve =
  (next, { random }) =>
  async (request) => {
    if (random() >= DOWN) return next(request);
    const status = 502 + Math.floor(random() * 3);
    if (random() < 0.5) await (await next(request)).body?.cancel();
    return new Response(`<html><body><h1>${status}</h1></body></html>`, {
      status,
      headers: { 'content-type': 'text/html' },
    });
  };

export const gatewayDown: Habit = {
  id: 'gateway-down',
  what: 'is behind a gateway that is down at times',
  kit: 'sends reads again. Does a check again from its beginning after a write that its gateway answered, as that may have been done; tells it where it comes at the same request each time',
  serve,
};
