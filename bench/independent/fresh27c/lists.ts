import { isJson, type Json, withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { bodyOf, MEMBERS, now, seen } from './tools.js';

const rows = (body: Json): Json[] => (Array.isArray(body.data) ? body.data.filter(isJson) : []);

export const lists: readonly Way[] = [
  // subtle
  {
    name: 'list-by-last-change',
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: (w) =>
      w.ok('list', (body) => {
        body.data = rows(body).toSorted((one, other) => String(other.updated_at).localeCompare(String(one.updated_at)));
      }),
  },
  // plain
  {
    name: 'list-by-name',
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: (w) =>
      w.ok('list', (body) => {
        body.data = rows(body).toSorted((one, other) => String(one.name).localeCompare(String(other.name)));
      }),
  },
  // plain
  {
    name: 'list-of-own-workspace-empty',
    quote: 'Filters: workspace, and one or more lifecycle statuses.',
    wrong: (w) =>
      w.ok('list', (body, { url }) => {
        if (url.searchParams.get('workspace_id') === w.workspaces.own) body.data = [];
      }),
  },
  // subtle
  {
    name: 'list-third-status-ignored',
    quote: 'Filters: workspace, and one or more lifecycle statuses.',
    wrong: (w) =>
      w.asked('list', (call) => {
        const statuses = call.url.searchParams.getAll('status').flatMap((one) => one.split(','));
        if (statuses.length < 3) return undefined;
        const url = new URL(call.url);
        url.searchParams.set('status', statuses.slice(0, 2).join(','));
        return withHeaders(call, {}, url);
      }),
  },
  // state
  {
    name: 'list-omits-failed-teardowns',
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: (w) =>
      w.ok('list', (body, { url }) => {
        if (!url.searchParams.has('status')) body.data = rows(body).filter(({ status }) => status !== 'destroy_failed');
      }),
  },
  // subtle
  {
    name: 'list-filter-lags',
    quote: 'Filters: workspace, and one or more lifecycle statuses.',
    wrong: (w) => {
      const changed = new Map<string, number>();
      const lagging = w.ok('list', (body, { url }) => {
        if (!url.searchParams.has('status')) return;
        body.data = rows(body).filter(({ id }) => now(w) - (changed.get(String(id)) ?? Number.NEGATIVE_INFINITY) > 500);
      });
      return async (call, next) => {
        const response = await lagging(call, next);
        if (call.op === 'suspend' && response.ok) changed.set(call.id, now(w));
        return response;
      };
    },
  },
  // state
  {
    name: 'list-keeps-the-deleted',
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: (w) => {
      const deleted = new Map<string, Json>();
      return async (call, next) => {
        const before = call.op === 'delete' ? await seen(w, call.id) : {};
        const response = await next();
        if (call.op === 'delete' && response.ok && before.id !== undefined) deleted.set(call.id, before);
        if (call.op !== 'list' || !response.ok || call.url.search !== '' || !MEMBERS.includes(call.who))
          return response;
        const body = await bodyOf(response);
        const gone = [...deleted.values()].filter(({ id }) => rows(body).every((one) => one.id !== id));
        if (gone.length === 0 || body.has_more === true) return response;
        w.hit();
        const data: Json[] = [...rows(body), ...gone.map((one) => ({ ...one, status: 'destroying' }))];
        return Response.json({
          ...body,
          data: data.toSorted((one, other) => String(other.created_at).localeCompare(String(one.created_at))),
        });
      };
    },
  },
  // subtle
  {
    name: 'list-late-for-the-new',
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: (w) => {
      const created = new Map<unknown, number>();
      const late = w.ok('list', (body) => {
        body.data = rows(body).filter(({ id }) => now(w) - (created.get(id) ?? Number.NEGATIVE_INFINITY) > 2000);
      });
      return async (call, next) => {
        const response = await late(call, next);
        if (call.op === 'create' && response.ok) {
          const { id } = await bodyOf(response);
          if (!created.has(id)) created.set(id, now(w));
        }
        return response;
      };
    },
  },
  {
    name: 'list-also-counts',
    quote: 'Fields of the responses of list, delete, provision and suspend: not shown.',
    lawful: true,
    wrong: (w) =>
      w.ok('list', (body) => {
        body.total_count = rows(body).length;
      }),
  },
];
