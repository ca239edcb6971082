import { refusal } from '../../emulator/wire/answer.js';
import { isRecord } from '../../emulator/wire/json.js';
import { about, withRequest } from '../../emulator/wire/request.js';
import type { Habit } from './habit.js';
import { excused, instead, refusedWith } from './measured.js';

export const ownRoutes: Habit = {
  id: 'own-routes',
  what: 'signs for the routes that it knows',
  kit: 'skips the checks of proofs for other routes',
  differs: ['SIGN-3'],
  /** The service signs only for routes of its daemons. */
  serve: (next) => async (request) => {
    if (about(request).operation !== 'sign') return next(request);
    const text = await request.clone().text();
    const path = /"path":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
    const response = await next(request);
    return response.ok && path !== undefined && path !== '/api/invoke'
      ? refusal(400, 'Invalid request body', 'invalid_body')
      : response;
  },
  explains: async ({ check, got, missedSuccess, seen }, visit) => {
    if (check.level !== 'S' || !visit.dealings.signsRoutes || !missedSuccess || got?.status !== 400) return undefined;
    const last = seen.findLast(({ path }) => path.endsWith('/sign'));
    const path = /"route":\{[^}]*"path":("(?:[^"\\]|\\.)*")/.exec(last?.sent ?? '')?.[1];
    if (last === undefined || path === undefined || path === '"/api/invoke"') return undefined;
    const json = { bodySha256: 'ab'.repeat(32), route: { method: 'POST', path: '/api/status' } };
    return excused(visit, 'own-routes', { skip: { kind: 'need', because: { kind: 'own-routes', path } } }, async () => {
      const answer = await instead(visit, last, { json });
      return answer && refusedWith(answer, 400);
    });
  },
};

export const ownRouteNames: Habit = {
  id: 'own-route-names',
  what: 'has its own name for the route of a proof',
  kit: 'skips the checks of proofs for a route; warns, where the name is published',
  differs: ['SIGN-3'],
  /** The field for the route of a proof has another name. Unknown fields are ignored. */
  serve: (next) => async (request) => {
    if (about(request).operation !== 'sign') return next(request);
    const text = await request.clone().text();
    if (!text.includes('"route"')) return next(request);
    return next(withRequest(request, { body: text.replaceAll('"route"', '"unknown_field"') }));
  },
  /** The name of the field for a route is only published (SIGN-3). */
  explains: async ({ check, found, got, missedSuccess, seen }, visit) => {
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
  },
};
