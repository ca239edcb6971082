import type { Habit } from './habit.js';
import type { Serve } from './serve.js';
import { about, refusal } from './wire.js';

/** Proofs are given for the routes that its daemons serve. */
const serve: Serve = (next) => async (request) => {
  const { act } = about(request);
  if (!act.endsWith('/sign') || request.method !== 'POST') return next(request);
  const text = await request.clone().text();
  const path = /"path":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  const response = await next(request);
  return response.ok && path !== undefined && path !== '/api/invoke'
    ? refusal(400, 'Invalid request body', 'invalid_body')
    : response;
};

export const ownRoutes: Habit = {
  id: 'own-routes',
  what: 'signs for the routes that it knows',
  kit: 'asks for those of its daemons alone',
  differs: ['SIGN-3'],
  serve,
};
