import { type Json, withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { interns, rows, suspended, way } from './tools.js';

const NEWEST = 'Lists the interns visible to the key, newest first.';
const FILTERS = 'Filters: workspace, and one or more lifecycle statuses.';

const text = (value: unknown) => (typeof value === 'string' ? value : '');
const statuses = (url: URL) => url.searchParams.getAll('status').flatMap((value) => value.split(','));

export const lists: readonly Way[] = [
  way('of several statuses a list takes the last alone', FILTERS, (w) =>
    w.asked('list', (call) => {
      const last = statuses(call.url).at(-1);
      if (last === undefined || statuses(call.url).length < 2) return undefined;
      const url = new URL(call.url);
      url.searchParams.set('status', last);
      return withHeaders(call, {}, url);
    }),
  ),
  way('the list without a filter leaves out suspended interns', NEWEST, (w) =>
    w.ok('list', (body, { url }) => {
      if (statuses(url).length === 0) body.data = rows(body).filter((intern) => !suspended(intern));
    }),
  ),
  way('the list puts first what was changed last', NEWEST, (w) =>
    w.ok('list', (body) => {
      body.data = rows(body).sort((one, other) => (text(one.updated_at) < text(other.updated_at) ? 1 : -1));
    }),
  ),
  way('each page begins with the last intern of the page before', NEWEST, (w) => {
    const lasts = new Map<string, Json>();
    return w.ok('list', (body, { url }) => {
      const last = rows(body).at(-1);
      const before = [...url.searchParams.values()].map((value) => lasts.get(value)).find(Boolean);
      if (typeof body.next_cursor === 'string' && last !== undefined) lasts.set(body.next_cursor, last);
      if (before !== undefined) body.data = [before, ...rows(body)];
    });
  }),
  way('a list of another workspace shows the own one', FILTERS, (w) =>
    w.asked('list', (call) => {
      const workspace = call.url.searchParams.get('workspace_id');
      if (call.who !== 'api_key' || workspace === null || workspace === w.workspaces.own) return undefined;
      const url = new URL(call.url);
      url.searchParams.delete('workspace_id');
      return withHeaders(call, {}, url);
    }),
  ),
  way('the list keeps the descriptions of before an update', 'Omitted fields stay unchanged.', (w) => {
    const first = new Map<unknown, unknown>();
    return w.ok('create list', (body, { op }) => {
      for (const intern of interns(body)) {
        if (op === 'create' || !first.has(intern.id)) first.set(intern.id, intern.description);
        else intern.description = first.get(intern.id);
      }
    });
  }),
  way('an intern is in no list until it was read', NEWEST, (w) => {
    const unread = new Set<unknown>();
    return w.ok('create get list', (body, { op, id }) => {
      if (op === 'create') unread.add(body.id);
      else if (op === 'get') unread.delete(id);
      else body.data = rows(body).filter((intern) => !unread.has(intern.id));
    });
  }),
  way('a list of those being torn down is empty', FILTERS, (w) =>
    w.ok('list', (body, { url }) => {
      if (statuses(url).includes('destroying')) body.data = rows(body).filter(({ status }) => status !== 'destroying');
    }),
  ),
  way('the list without a page size stops after three', NEWEST, (w) =>
    w.ok('list', (body, { url }) => {
      if (url.searchParams.size > 0 || rows(body).length < 4) return;
      body.data = rows(body).slice(0, 3);
      body.has_more = false;
      delete body.next_cursor;
    }),
  ),
];
