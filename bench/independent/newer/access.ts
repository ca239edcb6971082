import { signAliasRoute } from '../../../emulator/http/sign.js';
import { failed } from '../answers.js';
import { isJson, type Json, withHeaders } from '../call.js';
import { counter, named } from '../ways/named.js';
import type { Way } from '../world.js';
import { as, made } from './tools.js';

const NO_STORE = 'The response carries `Cache-Control: no-store`.';
const ALIAS = 'with the same request, response and errors';

export const access: readonly Way[] = [
  named(
    "an intern's own key reads its daemon access",
    'API keys get 403 with reason `personal_identity_required`.',
    (w) =>
      w.asked('daemon daemon-alias', (call) =>
        call.who === 'own_key' && call.id === w.target.credentials.intern?.id ? as(w, call, 'oauth_token') : undefined,
      ),
  ),
  named('the second reveal of a daemon may be stored', NO_STORE, (w) => {
    const times = counter();
    return w.head('daemon daemon-alias', (headers, call, response) => {
      if (response.ok && times(call.id) > 1) headers.delete('cache-control');
    });
  }),
  foreignDaemon(),
  named(
    'daemon access needs the grant for signing',
    'Only an OAuth-token caller (from the OIDC login) may read it.',
    (w) =>
      w.later('daemon daemon-alias', (r, { who }) =>
        r.ok && who === 'oauth_interns_only_token'
          ? failed(403, 'Personal connections require the OIDC login', 'personal_identity_required')
          : undefined,
      ),
  ),
  named(
    'the old path of daemon access redirects',
    `Deprecated alias of GET /interns/{internId}/daemon ${ALIAS}.`,
    (w) =>
      w.later('daemon-alias', (r, { url }) =>
        r.ok
          ? new Response(null, {
              status: 308,
              headers: { location: url.href.replace('daemon-access', 'daemon'), 'cache-control': 'no-store' },
            })
          : undefined,
      ),
  ),
  made('signing at the old path counts no turn', `Deprecated alias of the operation above ${ALIAS}.`, (usual, hit) => ({
    createRoutes(deps) {
      const take = () => {
        hit();
        return () => {};
      };
      const alias = signAliasRoute({ ...deps.sign, limiter: { take } });
      return usual.createRoutes(deps).map((row) => (row.path === alias.path ? alias : row));
    },
  })),
  named(
    'daemon access at the old path may be stored',
    `Deprecated alias of GET /interns/{internId}/daemon ${ALIAS}.`,
    (w) =>
      w.head('daemon-alias', (headers, _, response) => {
        if (response.ok) headers.delete('cache-control');
      }),
  ),
];

function foreignDaemon(): Way {
  let rowOf: (id: string) => Json | undefined = () => undefined;
  return {
    name: 'daemon access does not look at the workspace',
    quote: 'the terminal client in host mode to one visible, running intern',
    factories: (usual) => ({
      createInterns(deps) {
        const interns = usual.createInterns(deps);
        rowOf = (id) => {
          const row = interns.get(id);
          return row?.record.status === 'running' ? { token: row.daemon_token } : undefined;
        };
        return interns;
      },
    }),
    wrong: (w) =>
      w.later('daemon daemon-alias', (r, { id, who }) => {
        const row = r.status === 404 && /oauth/.test(who) ? rowOf(id.toLowerCase()) : undefined;
        return (
          row && Response.json({ origin: w.target.daemon_origin, ...row }, { headers: { 'cache-control': 'no-store' } })
        );
      }),
  };
}

export const mappings: readonly Way[] = [
  named('a mapping was created at a second', 'created_at: ISO 8601 UTC timestamp with milliseconds', (w) =>
    w.ok('scim', ({ data }) => {
      if (isJson(data)) data.created_at = String(data.created_at).replace(/\.\d+Z$/, 'Z');
    }),
  ),
  named('a mapping has no role', 'role: string. Role granted through the mapping.', (w) =>
    w.ok('scim', ({ data }) => {
      if (isJson(data)) delete data.role;
    }),
  ),
  named('the 401 of a mapping speaks of an API key', '`Missing Authentication header` on the SCIM route', (w) =>
    w.error('scim', 401, (error) => {
      error.message = 'Invalid or missing API key';
    }),
  ),
  named('an API key reads mappings', 'Requires a management key as bearer token.', (w) =>
    w.asked('scim', (call) =>
      call.who === 'api_key'
        ? withHeaders(call, { authorization: `Bearer ${w.target.credentials.management_key}` })
        : undefined,
    ),
  ),
  named('a mapping comes bare', 'Response: JSON object `{ data: <SCIM group mapping> }`', (w) =>
    w.ok('scim', (body) => {
      if (!isJson(body.data)) return;
      Object.assign(body, body.data);
      delete body.data;
    }),
  ),
  named('a mapping that is unknown is null', '404: Mapping unknown.', (w) =>
    w.later('scim', (r) => (r.status === 404 ? Response.json({ data: null }) : undefined)),
  ),
  named('the id of a mapping has no hyphens', 'id: string, UUID', (w) =>
    w.ok('scim', ({ data }) => {
      if (isJson(data)) data.id = String(data.id).replaceAll('-', '');
    }),
  ),
];
