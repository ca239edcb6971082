import type { Habit } from './habit.js';
import type { Serve } from './serve.js';
import { refusal } from './wire.js';

/** How many requests it takes in a second. */
const MOST = 1;

const serve: Serve = (next, { host }) => {
  const taken: number[] = [];
  return async (request) => {
    const now = host.now();
    while (taken[0] !== undefined && taken[0] <= now - 1_000) taken.shift();
    if (taken.length >= MOST) return refusal(429, 'Too many requests', 'rate_limited', true, { 'retry-after': '1' });
    taken.push(now);
    return next(request);
  };
};

export const fewRequests: Habit = {
  id: 'few-requests',
  what: 'takes one request a second',
  kit: 'waits as `Retry-After` says, sends as slowly from then on, and runs one check at a time',
  serve,
};
