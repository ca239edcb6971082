import type { Habit } from './habit.js';
import type { Serve } from './serve.js';
import { about } from './wire.js';

/** The object that names the route of a proof has another name; an unknown field is passed over. */
const serve: Serve = (next) => async (request) => {
  const { act } = about(request);
  if (!act.endsWith('/sign') || request.method !== 'POST') return next(request);
  const text = await request.clone().text();
  if (!text.includes('"route"')) return next(request);
  const headers = new Headers(request.headers);
  headers.delete('content-length');
  return next(new Request(request, { headers, body: text.replaceAll('"route"', '"unknown_field"') }));
};

export const ownRouteNames: Habit = {
  id: 'own-route-names',
  what: 'names the route of a proof its way',
  kit: 'skips what is stated of proofs for a route; warns, where the name is published',
  differs: ['SIGN-3'],
  serve,
};
