import { TURNS } from './dealings.js';
import type { Habit } from './habit.js';
import { refusal } from './wire.js';

/** How many requests it takes in a second. */
const MOST = 1;

/** ms to wait by a Retry-After header, in seconds or as a date. Undefined where there is none that makes sense. */
function retryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}

/** ms that are waited where the service does not say how long, and at most; and up to which a wait says how far apart it takes requests. */
const WAIT = { unsaid: 5_000, most: 120_000, short: 10_000 };

export const fewRequests: Habit = {
  id: 'few-requests',
  what: 'takes one request a second',
  kit: 'waits as `Retry-After` says, sends as slowly from then on, and runs one check at a time',
  serve: (next, { host }) => {
    const taken: number[] = [];
    return async (request) => {
      const now = host.now();
      while (taken[0] !== undefined && taken[0] <= now - 1_000) taken.shift();
      if (taken.length >= MOST) return refusal(429, 'Too many requests', 'rate_limited', true, { 'retry-after': '1' });
      taken.push(now);
      return next(request);
    };
  },
  /** A 429 is the limit of the service, where it is not what was asked for: what it says is done. */
  again: ({ send, rest, status, headers }, { learnt, now, rate, turns }) => {
    if (status !== 429 || send.limited === true) return undefined;
    const isTurn = TURNS.test(rest);
    learnt.scarce ||= !isTurn;
    const wait = retryAfter(headers.get('retry-after'), now()) ?? WAIT.unsaid;
    if (wait > WAIT.most) return undefined;
    if (isTurn) turns(send.as).pause(wait);
    else if (wait > WAIT.short) rate.pause(wait);
    else rate.slow(wait);
    return 0;
  },
};
