import { failed } from '../answers.js';
import type { Way } from '../world.js';
import { admits, again, refusesAndDoes, way } from './helpers.js';

const REGIONAL = 'Requests on regional hostnames are refused.';
const OUTSIDE = 'Callers outside the programme receive 404 for every path under `/interns`.';
const OWN = "An intern's own API key sees only that intern.";
const OWN_404 = 'For such a key the collection and every other intern answer 404.';
const KEY = 'The API key selects the caller, the workspace and the visible interns.';
const NO_FALLBACK = 'There is no default workspace fallback.';
const KEYS = 'A missing or invalid key gives 401.';
const LIFECYCLE = 'Intern lifecycle, chat, invoke | API key as bearer token in the `Authorization` header.';
const FILTERS = 'Filters: workspace, and one or more lifecycle statuses.';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const general: readonly Way[] = [
  way('regional-host-lists', REGIONAL, (w) => admits(w, 'list', {}, ({ regional }) => regional)),
  way('regional-host-gives-daemon-by-alias', REGIONAL, (w) =>
    admits(w, 'daemon-alias', {}, ({ regional }) => regional),
  ),
  way('regional-delete-is-refused-and-done', REGIONAL, (w) =>
    refusesAndDoes(w, 'delete', {}, ({ regional }) => regional),
  ),
  way('outsider-lists-nothing', OUTSIDE, (w) =>
    w.instead('list', ({ who }) =>
      who === 'outsider_api_key' ? Response.json({ data: [], has_more: false }) : undefined,
    ),
  ),
  way('outsider-is-forbidden-to-invoke', OUTSIDE, (w) =>
    w.instead('invoke chat', ({ who }) =>
      who === 'outsider_api_key' ? failed(403, 'Not a member of the programme', 'forbidden') : undefined,
    ),
  ),
  way('outsider-learns-of-the-login-of-daemons', OUTSIDE, (w) =>
    w.instead('daemon', ({ who }) =>
      who === 'outsider_api_key'
        ? failed(403, 'Personal connections require the OIDC login', 'personal_identity_required')
        : undefined,
    ),
  ),
  way('own-key-lists-itself', OWN_404, (w) =>
    w.instead('list', async ({ who }) => {
      if (who !== 'own_key') return undefined;
      const own = await w.ask('GET', `/interns/${w.target.credentials.intern?.id ?? ''}`, { as: who });
      return own.ok ? Response.json({ data: [await own.json()], has_more: false }) : undefined;
    }),
  ),
  way('own-key-reads-another', OWN, (w) => admits(w, 'get', { as: 'api_key' }, ({ who }) => who === 'own_key')),
  way('foreign-key-reads-a-suspended-intern', KEY, (w) => {
    const suspended = new Set<string>();
    return w.later('suspend get', async (r, call) => {
      if (call.op === 'suspend' && r.ok) suspended.add(call.id);
      return call.op === 'get' && r.status === 404 && call.who === 'foreign_api_key' && suspended.has(call.id)
        ? again(w, call, { as: 'api_key' })
        : undefined;
    });
  }),
  way('workspace-filter-opens-that-workspace', KEY, (w) =>
    w.later('list', async (_, call) => {
      if (call.who !== 'foreign_api_key' || call.url.searchParams.get('workspace_id') !== w.workspaces.own)
        return undefined;
      return again(w, call, { as: 'api_key' });
    }),
  ),
  way('another-workspace-filter-is-ignored', FILTERS, (w) =>
    w.later('list', async (_, { who, url }) => {
      const workspace = url.searchParams.get('workspace_id');
      if (who !== 'api_key' || workspace === null || !UUID.test(workspace) || workspace === w.workspaces.own)
        return undefined;
      const all = await w.ask('GET', '/interns', { as: who });
      return all.ok ? all : undefined;
    }),
  ),
  way('create-falls-back-to-the-workspace-of-the-key', NO_FALLBACK, (w) =>
    admits(
      w,
      'create',
      { body: (call) => ({ ...call.body, workspace_id: w.workspaces.own }) },
      ({ who, body }, r) =>
        who === 'api_key' &&
        r.status < 500 &&
        UUID.test(String(body.workspace_id)) &&
        body.workspace_id !== w.workspaces.own,
    ),
  ),
  way('invalid-key-is-forbidden', KEYS, (w) =>
    w.later('get update delete', (r, { who }) =>
      r.status === 401 && who === 'unknown' ? failed(403, 'Forbidden', 'forbidden') : undefined,
    ),
  ),
  way('management-key-lists-interns', LIFECYCLE, (w) =>
    admits(w, 'list get', { as: 'api_key' }, ({ who }) => who === 'management_key'),
  ),
];
