import { failed } from '../answers.js';
import type { Json } from '../call.js';
import type { Way } from '../world.js';
import { jsonIn, recordOf, rowsOf, way, withQuery } from './helpers.js';

const NEWEST = 'Lists the interns visible to the key, newest first.';
const FILTERS = 'Filters: workspace, and one or more lifecycle statuses.';

const secondOf = (row: Json) => Math.floor(Date.parse(String(row.created_at)) / 1_000);
const statusesIn = (url: URL) =>
  url.searchParams
    .getAll('status')
    .join()
    .split(',')
    .filter((one) => one !== '');

export const lists: readonly Way[] = [
  way('list-by-last-change', NEWEST, (w) =>
    w.ok('list', (body) => {
      body.data = rowsOf(body).sort((a, b) => String(b.updated_at).localeCompare(String(a.updated_at)));
    }),
  ),
  way('list-ties-of-a-second-upside-down', NEWEST, (w) =>
    w.ok('list', (body) => {
      body.data = rowsOf(body)
        .reverse()
        .sort((a, b) => secondOf(b) - secondOf(a));
    }),
  ),
  way('list-takes-the-last-status', FILTERS, (w) =>
    w.asked('list', (call) => {
      const last = statusesIn(call.url).at(-1);
      return statusesIn(call.url).length > 1 ? withQuery(call, (query) => query.set('status', last ?? '')) : undefined;
    }),
  ),
  way('list-workspace-drops-the-statuses', FILTERS, (w) =>
    w.asked('list', (call) =>
      call.url.searchParams.has('workspace_id') && call.url.searchParams.has('status')
        ? withQuery(call, (query) => query.delete('status'))
        : undefined,
    ),
  ),
  way('list-forgets-resumed-ones', FILTERS, (w) => {
    const resumed = new Set<string>();
    return async (call, next) => {
      const before = call.op === 'provision' ? await recordOf(w, call.id) : undefined;
      const response = await next();
      if (!response.ok) return response;
      if (typeof before?.hostname === 'string') resumed.add(call.id);
      if (call.op === 'suspend') resumed.delete(call.id);
      const body = call.op === 'list' && statusesIn(call.url).includes('running') ? await jsonIn(response) : undefined;
      if (body === undefined || !rowsOf(body).some(({ id }) => resumed.has(String(id)))) return response;
      w.hit();
      return Response.json({ ...body, data: rowsOf(body).filter(({ id }) => !resumed.has(String(id))) });
    };
  }),
  way('list-hides-failed-teardowns', NEWEST, (w) =>
    w.ok('list', (body, { url }) => {
      if (statusesIn(url).length === 0) body.data = rowsOf(body).filter(({ status }) => status !== 'destroy_failed');
    }),
  ),
  way('list-empty-is-not-found', FILTERS, (w) =>
    w.later('list', async (response) => {
      const body = await jsonIn(response);
      return body !== undefined && rowsOf(body).length === 0 ? failed(404, 'No interns found', 'not_found') : undefined;
    }),
  ),
  way('list-drops-a-row-between-pages', NEWEST, (w) =>
    w.ok('list', (body, { url }) => {
      if (url.searchParams.has('starting_after')) rowsOf(body).shift();
    }),
  ),
  way('list-keeps-what-was-given-up', NEWEST, (w) => {
    const ghosts = new Map<string, Json>();
    return async (call, next) => {
      const before = call.op === 'delete' ? await recordOf(w, call.id) : undefined;
      const response = await next();
      if (before?.status === 'destroy_failed' && response.ok) ghosts.set(call.id, before);
      const body = call.op === 'list' && call.who === 'api_key' && ghosts.size > 0 ? await jsonIn(response) : undefined;
      if (body === undefined) return response;
      const gone: Json[] = [];
      for (const [id, ghost] of ghosts) if ((await recordOf(w, id)) === undefined) gone.push(ghost);
      if (gone.length > 0) w.hit();
      return Response.json({ ...body, data: [...gone, ...rowsOf(body)] });
    };
  }),
  way('list-shows-the-first-description', 'Changes name, description, instructions or model.', (w) => {
    const first = new Map<unknown, unknown>();
    return async (call, next) => {
      const before = call.op === 'update' ? await recordOf(w, call.id) : undefined;
      if (before !== undefined && !first.has(call.id)) first.set(call.id, before.description);
      return w.ok('list', (body) => {
        for (const row of rowsOf(body)) if (first.has(row.id)) row.description = first.get(row.id);
      })(call, next);
    };
  }),
];
