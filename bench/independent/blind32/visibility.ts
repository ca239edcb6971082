import { failed } from '../answers.js';
import type { Json } from '../call.js';
import type { Way } from '../world.js';
import { athome, jsonIn, read, recordOf, rowsOf, way } from './helpers.js';

const SELECTS = 'The API key selects the caller, the workspace and the visible interns.';
const FALLBACK = 'There is no default workspace fallback.';
const OWN_404 = 'For such a key the collection and every other intern answer 404.';
const REGIONAL = 'Requests on regional hostnames are refused.';
const OUTSIDE = 'Callers outside the programme receive 404 for every path under `/interns`.';

export const visibility: readonly Way[] = [
  way('own-key-answered-from-its-cache', OWN_404, (w) => {
    let self: Json | undefined;
    return async (call, next) => {
      if (call.op !== 'get' || call.who !== 'own_key') return next();
      if (self !== undefined && call.id !== self.id) {
        w.hit();
        return Response.json(self);
      }
      const response = await next();
      self = await jsonIn(response);
      return response;
    };
  }),
  way('own-key-create-validated-first', OWN_404, (w) =>
    w.instead('create', ({ who, body }) =>
      who === 'own_key' && typeof body.name !== 'string'
        ? failed(400, 'Invalid request body', 'invalid_body')
        : undefined,
    ),
  ),
  way('own-key-lists-with-a-filter', OWN_404, (w) =>
    w.instead('list', async ({ who, url }) => {
      if (who !== 'own_key' || !url.searchParams.has('status')) return undefined;
      const self = await recordOf(w, w.target.credentials.intern?.id ?? '', 'own_key');
      return Response.json({ data: [self], has_more: false });
    }),
  ),
  way(
    'own-key-personal-identity-first',
    "An intern's own key sees only that intern, and everything else answers 404.",
    (w) =>
      w.later('daemon daemon-alias sign sign-alias', (response, { who }) =>
        who === 'own_key' && response.status === 404
          ? failed(403, 'Personal connections require the OIDC login', 'personal_identity_required')
          : undefined,
      ),
  ),
  way('outsider-refused-by-turns', OUTSIDE, (w) =>
    w.later('chat invoke', (response, { who }) =>
      who === 'outsider_api_key' && response.status === 404
        ? failed(403, 'Not a member of the interns programme', 'not_a_member')
        : undefined,
    ),
  ),
  way('outsider-method-first', OUTSIDE, (w) =>
    w.instead('', ({ who, url, request }) =>
      who === 'outsider_api_key' && /\/interns(\/[^/]+)?$/.test(url.pathname) && request.method !== 'OPTIONS'
        ? failed(405, 'Method not allowed', 'method_not_allowed', false, { allow: 'GET, POST, PATCH, DELETE' })
        : undefined,
    ),
  ),
  way('outsider-body-first', OUTSIDE, (w) =>
    w.instead('provision suspend', ({ who, text }) =>
      who === 'outsider_api_key' && text.trim().length > 2
        ? failed(400, 'Invalid request body', 'invalid_body')
        : undefined,
    ),
  ),
  way('regional-scim-served', REGIONAL, (w) => async (call, next) => {
    if (!call.regional || call.op !== 'scim') return next();
    w.hit();
    return next(athome(w, call));
  }),
  way('regional-aliases-served', REGIONAL, (w) => async (call, next) => {
    if (!call.regional || !call.op.endsWith('-alias')) return next();
    w.hit();
    return next(athome(w, call));
  }),
  way('regional-writes-done-before-refused', REGIONAL, (w) => async (call, next) => {
    const response = await next();
    if (!call.regional || !'create update'.split(' ').includes(call.op)) return response;
    const done = await next(athome(w, call));
    if (done.ok) w.hit();
    return response;
  }),
  way('foreign-reads-once-renamed', SELECTS, (w) => {
    const renamed = new Set<string>();
    return async (call, next) => {
      const response = await next();
      if (call.op === 'update' && response.ok && typeof call.body.name === 'string') renamed.add(call.id);
      if (call.op !== 'get' || call.who !== 'foreign_api_key' || response.ok || !renamed.has(call.id)) return response;
      w.hit();
      return w.ask('GET', `/interns/${call.id}`);
    };
  }),
  way('foreign-suspend-learns-the-state', SELECTS, (w) =>
    w.later('suspend', async (response, { who, id }) =>
      who === 'foreign_api_key' && response.status === 404 && (await recordOf(w, id))?.status === 'stopped'
        ? failed(409, 'The intern is in a state that does not allow this', 'intern_busy')
        : undefined,
    ),
  ),
  way('foreign-lists-stopped-ones', SELECTS, (w) => async (call, next) => {
    const response = await next();
    if (
      call.op !== 'list' ||
      call.who !== 'foreign_api_key' ||
      !call.url.searchParams.getAll('status').join().includes('stopped')
    )
      return response;
    const mine = await jsonIn(response);
    const theirs = rowsOf((await read(w, '/interns?status=stopped')) ?? {});
    if (mine === undefined || theirs.length === 0) return response;
    w.hit();
    return Response.json({ ...mine, data: [...rowsOf(mine), ...theirs] });
  }),
  way('workspace-remembered-from-the-last-create', FALLBACK, (w) => {
    const last = new Map<string, unknown>();
    return async (call, next) => {
      if (call.op !== 'create') return next();
      const { workspace_id } = call.body;
      if (workspace_id === undefined && last.has(call.who))
        return w.asked('create', ({ body }) => ({ ...body, workspace_id: last.get(call.who) }))(call, next);
      const response = await next();
      if (response.ok) last.set(call.who, workspace_id);
      return response;
    };
  }),
  way('workspace-blank-falls-back', FALLBACK, (w) =>
    w.asked('create', ({ body }) =>
      body.workspace_id === '' || body.workspace_id === null ? { ...body, workspace_id: w.workspaces.own } : undefined,
    ),
  ),
];
