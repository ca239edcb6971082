import { refusal } from '../../emulator/wire/answer.js';
import { TURNS } from './dealings.js';
import { type Habit, retryAfter } from './habit.js';

/** Most requests that the service takes in a second. */
const MOST = 1;

/** ms to wait: without a Retry-After (`unsaid`), and at most. The pace is learned from waits up to `short`. */
const WAIT = { unsaid: 5_000, most: 120_000, short: 10_000 };

export const fewRequests: Habit = {
  id: 'few-requests',
  what: 'takes one request a second',
  kit: 'waits as `Retry-After` says, then sends that slowly, and runs one check at a time',
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
  /** Obeys a 429, unless the check expects one. */
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
