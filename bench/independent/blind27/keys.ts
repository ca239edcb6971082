import { failed } from '../answers.js';
import { withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { as, record, way } from './tools.js';

const OWN =
  "An intern's own API key sees only that intern. For such a key the collection and every other intern answer 404.";
const PROGRAMME = 'Callers outside the programme receive 404 for every path under `/interns`.';
const SELECTS = 'The API key selects the caller, the workspace and the visible interns.';
const REGIONAL = 'Requests on regional hostnames are refused.';
const MISSING = 'A missing or invalid key gives 401.';

export const visibility: readonly Way[] = [
  way("an intern's own key lists its intern", OWN, (w) =>
    w.instead('list', async ({ who }) => {
      const id = w.target.credentials.intern?.id;
      if (who !== 'own_key' || id === undefined) return undefined;
      return Response.json({ data: [await record(w, id, who)], has_more: false });
    }),
  ),
  way("an intern's own key is forbidden to create", OWN, (w) =>
    w.later('create', (r, { who }) =>
      who === 'own_key' && r.status === 404 ? failed(403, 'Forbidden', 'forbidden') : undefined,
    ),
  ),
  way("an intern's own key reads others that do not run", OWN, (w) =>
    w.later('get', async (r, { who, id }) => {
      if (who !== 'own_key' || r.status !== 404) return undefined;
      const other = await record(w, id);
      return other === undefined || other.status === 'running' ? undefined : Response.json(other);
    }),
  ),
  way("an intern's own key suspends another intern", OWN, (w) =>
    w.asked('suspend', (call) =>
      call.who === 'own_key' && call.id !== w.target.credentials.intern?.id ? as(w, call, 'api_key') : undefined,
    ),
  ),
  way('a caller outside the programme learns that its create is invalid', PROGRAMME, (w) =>
    w.instead('create', ({ who, body }) =>
      who === 'outsider_api_key' && typeof body.name !== 'string'
        ? failed(400, 'Invalid request body', 'invalid_body')
        : undefined,
    ),
  ),
  way('a caller outside the programme is asked to sign as a person', PROGRAMME, (w) =>
    w.instead('sign sign-alias', ({ who }) =>
      who === 'outsider_api_key'
        ? failed(403, 'Personal connections require the OIDC login', 'personal_identity_required')
        : undefined,
    ),
  ),
  way('a caller outside the programme learns which methods there are', PROGRAMME, (w) =>
    w.instead('', ({ who, url }) =>
      who === 'outsider_api_key' && url.pathname.startsWith('/api/v1/interns')
        ? failed(405, 'Method not allowed', 'method_not_allowed')
        : undefined,
    ),
  ),
  way("an update of another workspace's intern is forbidden", SELECTS, (w) =>
    w.later('update', async (r, { id, who }) => {
      const other = who === 'foreign_api_key' ? 'api_key' : 'foreign_api_key';
      if (r.status !== 404 || !['api_key', 'foreign_api_key'].includes(who)) return undefined;
      return (await record(w, id, other)) === undefined ? undefined : failed(403, 'Forbidden', 'forbidden');
    }),
  ),
  way("another workspace's key suspends an intern", SELECTS, (w) =>
    w.asked('suspend', (call) => (call.who === 'foreign_api_key' ? as(w, call, 'api_key') : undefined)),
  ),
];

export const credentials: readonly Way[] = [
  way('invoke is served on regional hostnames', REGIONAL, (w) =>
    w.asked('invoke', (call) => (call.regional ? withHeaders(call, { host: null }) : undefined)),
  ),
  way('a read of one intern is served on regional hostnames', REGIONAL, (w) =>
    w.asked('get', (call) => (call.regional ? withHeaders(call, { host: null }) : undefined)),
  ),
  way('mappings are served on regional hostnames', REGIONAL, (w) =>
    w.asked('scim', (call) => (call.regional ? withHeaders(call, { host: null }) : undefined)),
  ),
  way('daemon access is served on regional hostnames', REGIONAL, (w) =>
    w.asked('daemon daemon-alias', (call) => (call.regional ? withHeaders(call, { host: null }) : undefined)),
  ),
  way('a key with more behind it is that key', MISSING, (w) =>
    w.asked('*', (call) => {
      const given = call.request.headers.get('authorization') ?? '';
      const inside = Object.entries(w.credentials).find(([, key]) => given.startsWith(`Bearer ${key}`));
      return call.who === 'unknown' && inside !== undefined ? as(w, call, inside[0]) : undefined;
    }),
  ),
  way('a list without a key is empty', MISSING, (w) =>
    w.instead('list', ({ who }) => (who === 'none' ? Response.json({ data: [], has_more: false }) : undefined)),
  ),
  way('invoke with a wrong key is forbidden', MISSING, (w) =>
    w.later('invoke', (r, { who }) =>
      who === 'unknown' && r.status === 401 ? failed(403, 'Forbidden', 'forbidden') : undefined,
    ),
  ),
  way('a management key reads interns', 'Intern lifecycle, chat, invoke: API key as bearer token', (w) =>
    w.asked('get list', (call) => (call.who === 'management_key' ? as(w, call, 'api_key') : undefined)),
  ),
  way('a delete without a key finds nothing', MISSING, (w) =>
    w.later('delete', (r, { who }) =>
      who === 'none' && r.status === 401 ? failed(404, 'Intern not found', 'not_found') : undefined,
    ),
  ),
];
