import { failed } from '../answers.js';
import type { Way } from '../world.js';
import { named } from './named.js';

const KEY = 'The API key selects the caller, the workspace and the visible interns.';
const OWN = 'For such a key the collection and every other intern answer 404.';
const REGIONAL = 'Requests on regional hostnames are refused.';
const OUTSIDE = 'Callers outside the programme receive 404 for every path under `/interns`.';

export const visibility: readonly Way[] = [
  named('another workspace suspends, and is answered 404', KEY, (w) =>
    w.later('suspend', async (r, { who, id }) => {
      if (who !== 'foreign_api_key' || r.status !== 404) return undefined;
      const done = await w.ask('POST', `/interns/${id}/suspend`);
      return done.ok ? r : undefined;
    }),
  ),
  named('another workspace renames, and is answered 404', KEY, (w) =>
    w.later('update', async (r, { who, id, body }) => {
      if (who !== 'foreign_api_key' || r.status !== 404) return undefined;
      const done = await w.ask('PATCH', `/interns/${id}`, { body });
      return done.ok ? r : undefined;
    }),
  ),
  named('an own key is refused another intern by 403 when it changes', OWN, (w) =>
    w.later('update', (r, { who }) =>
      who === 'own_key' && r.status === 404 ? failed(403, 'Forbidden', 'forbidden') : undefined,
    ),
  ),
  named('an own key creates an intern, and is answered 404', OWN, (w) =>
    w.later('create', async (r, { who, body }) => {
      if (who !== 'own_key' || r.status !== 404) return undefined;
      const done = await w.ask('POST', '/interns', { body });
      return done.ok ? r : undefined;
    }),
  ),
  named('an own key learns the state of another intern when it provisions', OWN, (w) =>
    w.later('provision', (r, { who }) =>
      who === 'own_key' && r.status === 404 ? failed(409, 'Intern is busy', 'intern_busy') : undefined,
    ),
  ),
  named('a regional host signs', REGIONAL, (w) =>
    w.later('sign', (r, call) => {
      if (!call.regional || r.status !== 403 || call.who !== 'oauth_token') return undefined;
      return w.ask('POST', `/interns/${call.id}/daemon/sign`, { as: call.who, body: call.body });
    }),
  ),
  named('a regional host creates, and is answered 403', REGIONAL, (w) =>
    w.later('create', async (r, { regional, who, body }) => {
      if (!regional || r.status !== 403) return undefined;
      return (await w.ask('POST', '/interns', { as: who, body })).ok ? r : undefined;
    }),
  ),
  named('an outsider learns that a body is too large', OUTSIDE, (w) =>
    w.later('create', (_r, { who, text }) =>
      who === 'outsider_api_key' && text.length > 1_048_576
        ? failed(413, 'Request body exceeds 1048576 bytes', 'payload_too_large')
        : undefined,
    ),
  ),
  named('an outsider is refused by 403 on the alias of signing', OUTSIDE, (w) =>
    w.later('sign-alias', (_r, { who }) =>
      who === 'outsider_api_key'
        ? failed(403, 'Personal connections require the OIDC login', 'personal_identity_required')
        : undefined,
    ),
  ),
];
