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

/** How a request for a proof names its route is published (SIGN-3). */
const explains: Habit['explains'] = ({ check, found, got, missedSuccess, seen }, { history, target }) => {
  const last = seen.findLast(({ path }) => path.endsWith('/sign'));
  if (check.level !== 'S' || history.signsRoutes() || !/"route":/.test(last?.sent ?? '')) return undefined;
  const refused = missedSuccess && got?.status === 400;
  const { wanted } = found;
  const keys = wanted.kind === 'value' && wanted.rule.kind === 'is' ? wanted.rule.value : undefined;
  const missing = Array.isArray(keys) && keys.includes(`${target.profile.proof_header_prefix}-signature-v2`);
  return missing || refused ? { skip: { kind: 'need', because: { kind: 'own-routes' } } } : undefined;
};

export const ownRouteNames: Habit = {
  id: 'own-route-names',
  what: 'names the route of a proof its way',
  kit: 'skips the checks of proofs for a route; warns, where the name is published',
  differs: ['SIGN-3'],
  serve,
  explains,
};
