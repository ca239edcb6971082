import { isRecord } from '../../emulator/wire/json.js';
import { withRequest } from '../../emulator/wire/request.js';
import type { Serve } from '../../emulator/wire/serve.js';
import type { Habit } from './habit.js';
import { instead } from './instead.js';
import { excused } from './measured.js';
import { about } from './wire.js';

/** The object that names the route of a proof has another name; an unknown field is passed over. */
const serve: Serve = (next) => async (request) => {
  const { act } = about(request);
  if (!act.endsWith('/sign') || request.method !== 'POST') return next(request);
  const text = await request.clone().text();
  if (!text.includes('"route"')) return next(request);
  return next(withRequest(request, { body: text.replaceAll('"route"', '"unknown_field"') }));
};

/** How a request for a proof names its route is published (SIGN-3). */
const explains: Habit['explains'] = async ({ check, found, got, missedSuccess, seen }, visit) => {
  const { dealings, target } = visit;
  const last = seen.findLast(({ path }) => path.endsWith('/sign'));
  if (check.level !== 'S' || dealings.signsRoutes || !/"route":/.test(last?.sent ?? '')) return undefined;
  const refused = missedSuccess && got?.status === 400;
  const { wanted } = found;
  const keys = wanted.kind === 'value' && wanted.rule.kind === 'is' ? wanted.rule.value : undefined;
  const v2 = `${target.profile.proof_header_prefix}-signature-v2`;
  const missing = Array.isArray(keys) && keys.includes(v2);
  if (last === undefined || !(missing || refused)) return undefined;
  const json = { bodySha256: 'ab'.repeat(32), route: { method: 'POST', path: '/api/invoke' } };
  return excused(visit, 'own-route-names', { skip: { kind: 'need', because: { kind: 'own-routes' } } }, async () => {
    const answer = await instead(visit, last, { json });
    if (answer?.status === 400) return true;
    return answer !== undefined && answer.status < 300 ? !(isRecord(answer.json) && v2 in answer.json) : undefined;
  });
};

export const ownRouteNames: Habit = {
  id: 'own-route-names',
  what: 'names the route of a proof its way',
  kit: 'skips the checks of proofs for a route; warns, where the name is published',
  differs: ['SIGN-3'],
  serve,
  explains,
};
