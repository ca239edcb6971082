import type { Habit } from './habit.js';
import { rewritten } from './rewrite.js';
import type { Serve } from './serve.js';

/** ms after which it is seen that a client has gone: within 30 s. */
const NOTICED = 20_000;

/** That a client has left its stream is noticed late; `Retry-After` is a date. */
const serve: Serve =
  (next, { host }) =>
  async (request) => {
    const { url, method, headers } = request;
    const body = request.body === null ? {} : { body: await request.arrayBuffer() };
    return rewritten(await next(new Request(url, { method, headers, ...body })), {
      left: (cancel) => void host.later(NOTICED, cancel),
      headers(own) {
        const after = own.get('retry-after');
        if (after !== null) own.set('retry-after', new Date(host.now() + 1_000 * Number(after)).toUTCString());
      },
    });
  };

/** ms within which a service must notice that a client has gone (CHAT-10). */
export const NOTICED_WITHIN = 30_000;

/** A client of the run left a stream of the intern so short a time ago that its run may still be going. */
const explains: Habit['explains'] = ({ got, leftAgo }) => {
  const lately = [...leftAgo.values()].some((ago) => ago < NOTICED_WITHIN);
  if (!lately || got?.status !== 409 || got.reason !== 'busy') return undefined;
  return { skip: { kind: 'race', because: { kind: 'still-streams' } } };
};

export const lateDisconnects: Habit = {
  id: 'late-disconnects',
  what: 'notices late that a client has gone',
  kit: 'allows the 30 s that are stated, and skips checks of an intern that may be busy until then',
  serve,
  explains,
};
