import type { Serve } from '../../emulator/wire/serve.js';
import type { Habit } from './habit.js';
import { instead } from './instead.js';
import { excused, refusedWith } from './measured.js';
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

const explains: Habit['explains'] = async ({ check, got, missedSuccess, seen }, visit) => {
  if (check.level !== 'S' || !visit.dealings.signsRoutes || !missedSuccess || got?.status !== 400) return undefined;
  const last = seen.findLast(({ path }) => path.endsWith('/sign'));
  const path = /"route":\{[^}]*"path":("(?:[^"\\]|\\.)*")/.exec(last?.sent ?? '')?.[1];
  if (last === undefined || path === undefined || path === '"/api/invoke"') return undefined;
  const json = { bodySha256: 'ab'.repeat(32), route: { method: 'POST', path: '/api/status' } };
  return excused(visit, 'own-routes', { skip: { kind: 'need', because: { kind: 'own-routes', path } } }, async () => {
    const answer = await instead(visit, last, { json });
    return answer && refusedWith(answer, 400);
  });
};

export const ownRoutes: Habit = {
  id: 'own-routes',
  what: 'signs for the routes that it knows',
  kit: 'skips the checks of proofs for other routes',
  differs: ['SIGN-3'],
  serve,
  explains,
};
