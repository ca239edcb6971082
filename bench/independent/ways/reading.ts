import { failed } from '../answers.js';
import { isJson, type Json, withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { counter, named, ofDaemons } from './named.js';

const OAUTH = 'Only an OAuth-token caller (from the OIDC login) may read it.';
const KEYS = 'API keys get 403 with reason `personal_identity_required`.';
const ALIAS = 'Deprecated alias of GET /interns/{internId}/daemon with the same request, response and errors.';
const STORE = 'The response carries `Cache-Control: no-store`.';
const NO_META = 'The `metadata` object is absent on the 401 error of the signing route and on all SCIM errors.';
const MANAGES = 'Requires a management key as bearer token.';

const mapping = (body: Json): Json => (isJson(body.data) ? body.data : {});
const daemon = 'daemon daemon-alias';

export const reading: readonly Way[] = [
  named('a second reveal may be stored', STORE, (w) => {
    const times = counter();
    return w.head('daemon', (headers, { id }, r) => {
      if (r.ok && times(id) > 1) headers.set('cache-control', 'no-cache');
    });
  }),
  named('an API key reads the alias of the daemon record', KEYS, (w) =>
    w.asked('daemon-alias', (call) =>
      call.who === 'api_key' ? withHeaders(call, { authorization: `Bearer ${w.credentials.oauth_token}` }) : undefined,
    ),
  ),
  named('an own key gets 404 for its daemon', KEYS, (w) =>
    w.later(daemon, (r, { who }) =>
      r.status === 403 && who === 'own_key' ? failed(404, 'Intern not found', 'not_found') : undefined,
    ),
  ),
  named('an interns-only grant reads no daemon record', OAUTH, (w) =>
    w.later(daemon, (r, { who }) =>
      r.ok && who === 'oauth_interns_only_token'
        ? failed(403, 'Personal connections require the OIDC login', 'personal_identity_required')
        : undefined,
    ),
  ),
  named('the alias names the token otherwise', ALIAS, (w) =>
    w.ok('daemon-alias', (body) => {
      body.daemon_token = body.token;
      delete body.token;
    }),
  ),
  ofDaemons('a daemon takes a v2 proof again', 'The intern accepts it once.', (w) => {
    const seen = new Set<string>();
    return async (call, next) => {
      const nonce = call.request.headers.get('x-ori-invoke-nonce');
      const r = await next();
      if (nonce === null) return r;
      if (r.ok) seen.add(nonce);
      if (r.ok || !seen.has(nonce)) return r;
      w.hit();
      return Response.json({ ok: true });
    };
  }),
  ofDaemons(
    'a daemon takes proofs of any age',
    'The daemon refuses proofs older than its window.',
    (w) => async (call, next) => {
      const r = await next();
      if (r.status !== 401 || !/proof_expired/.test(await r.clone().text())) return r;
      w.hit();
      return Response.json({ ok: true, at: call.op });
    },
  ),
  named('a time of update is that of the reading', 'updated_at | … | Last update time.', (w) =>
    w.ok('scim', (body) => {
      mapping(body).updated_at = new Date(w.setting.host.now()).toISOString();
    }),
  ),
  named('a mapping leaves out its organization', 'organization_id | string | The owning organization.', (w) =>
    w.ok('scim', (body) => {
      const row = mapping(body);
      row.org_id = row.organization_id;
      delete row.organization_id;
    }),
  ),
  named('a mapping shows its workspace in place of its group', 'scim_group_id | string, UUID | The SCIM group.', (w) =>
    w.ok('scim', (body) => {
      mapping(body).scim_group_id = mapping(body).workspace_id;
    }),
  ),
  named('a mapping comes bare', 'Response: JSON object `{ data: <SCIM group mapping> }`', (w) =>
    w.ok('scim', (body) => {
      Object.assign(body, mapping(body));
      delete body.data;
    }),
  ),
  named('an API key reads mappings', MANAGES, (w) =>
    w.asked('scim', (call) =>
      call.who === 'peer_api_key' || call.who === 'api_key'
        ? withHeaders(call, { authorization: `Bearer ${w.credentials.management_key}` })
        : undefined,
    ),
  ),
  named('an OAuth token reads mappings', MANAGES, (w) =>
    w.asked('scim', (call) =>
      call.who === 'oauth_token'
        ? withHeaders(call, { authorization: `Bearer ${w.credentials.management_key}` })
        : undefined,
    ),
  ),
  named('an unknown mapping is 404 with metadata', NO_META, (w) =>
    w.error('scim', 404, (error) => {
      error.metadata = { reason: 'not_found', retryable: false };
    }),
  ),
  named('an id that is no UUID is an invalid mapping', '404 | Resource not found | Mapping unknown.', (w) =>
    w.later('scim', (r, { id }) =>
      r.status === 404 && !/^[0-9a-f-]{36}$/i.test(id) ? failed(400, 'Bad Request') : undefined,
    ),
  ),
  named('an unknown mapping has words of its own', '404 | Resource not found | Mapping unknown.', (w) =>
    w.error('scim', 404, (error) => {
      error.message = 'SCIM group mapping not found';
    }),
  ),
  named('the 401 of a mapping has its code as a text', 'code: <integer HTTP status>', (w) =>
    w.error('scim', 401, (error) => {
      error.code = '401';
    }),
  ),
];
