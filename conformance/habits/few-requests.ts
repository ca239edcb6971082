import { TURNS } from './dealings.js';
import type { Habit } from './habit.js';
import { refusal } from './wire.js';

/** Most requests that the service takes in a second. */
const MOST = 1;

/** ms to wait by a Retry-After header, in seconds or as a date. Undefined without a valid one. */
function retryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}

/** ms to wait: without a Retry-After, at most, and the longest wait from which the pace is learned. */
const WAIT = { unsaid: 5_000, most: 120_000, short: 10_000 };
/** ms for which a turn may be closing while its question is answered already. */
const CLOSING = 2_000;

export const fewRequests: Habit = {
  id: 'few-requests',
  what: 'takes one request a second',
  kit: 'waits as `Retry-After` says, sends as slowly from then on, and runs one check at a time; sends an answer again that a 409 puts off by up to 2 s',
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
  /** Obeys a 429, unless the check expects one, and the refusal of an answer that says when to send it again. */
  again: ({ send, rest, status, headers, answers }, { learnt, now, rate, turns }) => {
    // A turn may still be closing when the answer to its question comes.
    if (status === 409 && answers) {
      const wait = retryAfter(headers.get('retry-after'), now());
      return wait !== undefined && wait <= CLOSING ? wait : undefined;
    }
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
