import { failed } from '../answers.js';
import type { Way, World } from '../world.js';
import { as, recordOf, way } from './helpers.js';

const INVALID = 'A missing or invalid key gives 401.';
const _BEARER = 'API key as bearer token in the `Authorization` header.';
const MANAGEMENT = 'Management key as bearer token in the `Authorization` header.';
const OAUTH_ONLY = 'Only an OAuth-token caller (from the OIDC login) may read it.';
const GRANT = "An interns-only grant is refused with 403, because a proof releases that user's personal connections.";
const SUBJECT = 'The signed user in a proof is the verified OAuth subject, never a value from the request.';

/** Takes an unknown token for one of the intern keys. */
const taking = (name: string, same: (given: string, key: string) => boolean): Way =>
  way(name, INVALID, (w: World) => async (call, next) => {
    const given = call.request.headers.get('authorization')?.replace(/^Bearer +/i, '') ?? '';
    const key = w.setting.keys.api.find((one) => same(given, one));
    if (call.who !== 'unknown' || call.op === '' || key === undefined) return next();
    w.hit();
    return next(as(call, key));
  });

export const auth: readonly Way[] = [
  taking('key-with-more-behind', (given, key) => given.startsWith(key)),
  taking('key-in-any-case', (given, key) => given.toLowerCase() === key.toLowerCase()),
  way('intern-looked-up-before-key', INVALID, (w) =>
    w.later('get update chat invoke', async (response, { who, id }) =>
      who === 'none' && response.status === 401 && (await recordOf(w, id)) === undefined
        ? failed(404, 'Intern not found', 'not_found')
        : undefined,
    ),
  ),
  way('mapping-looked-up-before-key', INVALID, (w) =>
    w.later('scim', async (response, { id }) =>
      response.status === 401 && !(await w.ask('GET', `/scim/group-mappings/${id}`, { as: 'management_key' })).ok
        ? failed(404, 'Resource not found')
        : undefined,
    ),
  ),
  way('api-key-on-scim-forbidden', INVALID, (w) =>
    w.later('scim', (response, { who }) =>
      response.status === 401 && who !== 'none' && who !== 'unknown' ? failed(403, 'Forbidden') : undefined,
    ),
  ),
  way('scim-opens-to-the-api-key', 'Requires a management key as bearer token.', (w) => async (call, next) => {
    if (call.op !== 'scim' || call.who !== 'api_key') return next();
    w.hit();
    return next(as(call, w.credentials.management_key ?? ''));
  }),
  way('scim-opens-to-any-organization', MANAGEMENT, (w) => async (call, next) => {
    const response = await next();
    if (call.op !== 'scim' || call.who !== 'foreign_management_key' || response.status !== 404) return response;
    const seen = await next(as(call, w.credentials.management_key ?? ''));
    if (seen.ok) w.hit();
    return seen;
  }),
  way(
    'management-key-reads-interns',
    'API key as bearer token in the `Authorization` header.',
    (w) => async (call, next) => {
      if (call.op !== 'get' || call.who !== 'management_key') return next();
      w.hit();
      return next(as(call, w.credentials.api_key ?? ''));
    },
  ),
  way('own-key-attaches', 'An API key gets 403, reason `personal_identity_required`.', (w) => async (call, next) => {
    const response = await next();
    if (!/^daemon/.test(call.op) || call.who !== 'own_key' || response.status !== 403) return response;
    w.hit();
    return next(as(call, w.credentials.oauth_token ?? ''));
  }),
  way('daemon-in-the-record', OAUTH_ONLY, (w) => async (call, next) => {
    const response = await next();
    if (call.op !== 'get' || call.who !== 'own_key' || !response.ok) return response;
    const access = await w.ask('GET', `/interns/${call.id}/daemon`, { as: 'oauth_token' });
    if (!access.ok) return response;
    const { token } = (await access.json()) as { token: string };
    w.hit();
    return Response.json({ ...((await response.json()) as object), daemon_token: token });
  }),
  way('interns-only-signs-routes', GRANT, (w) => async (call, next) => {
    if (call.op !== 'sign' || call.who !== 'oauth_interns_only_token' || call.body.route === undefined) return next();
    w.hit();
    return next(as(call, w.credentials.oauth_token ?? ''));
  }),
  way('interns-only-after-a-full-grant', GRANT, (w) => {
    const full = new Set<string>();
    return async (call, next) => {
      if (call.op !== 'sign') return next();
      if (call.who === 'oauth_interns_only_token' && full.has(call.id)) {
        w.hit();
        return next(as(call, w.credentials.oauth_token ?? ''));
      }
      const response = await next();
      if (response.ok && call.who === 'oauth_token') full.add(call.id);
      return response;
    };
  }),
  way('subject-of-the-first-signer', SUBJECT, (w) => {
    const first = new Map<string, string>();
    return async (call, next) => {
      const signer = first.get(call.id);
      if (call.op !== 'sign' || !['oauth_token', 'peer_oauth_token'].includes(call.who)) return next();
      if (signer !== undefined && signer !== call.who) {
        w.hit();
        return next(as(call, w.credentials[signer] ?? ''));
      }
      const response = await next();
      if (response.ok) first.set(call.id, call.who);
      return response;
    };
  }),
  way('interns-only-cannot-attach', OAUTH_ONLY, (w) =>
    w.later('daemon daemon-alias', (response, { who }) =>
      who === 'oauth_interns_only_token' && response.ok
        ? failed(403, 'Personal connections require the OIDC login', 'personal_identity_required')
        : undefined,
    ),
  ),
];
