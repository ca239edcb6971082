import { jsonIn, recordOf, records, rowsOf, SECOND, way, withQuery } from '../blind32/helpers.js';
import type { Json } from '../call.js';
import type { Way } from '../world.js';
import { among, settingsIn, swapped } from './helpers.js';

const NEWEST = 'Lists the interns visible to the key, newest first.';
const FILTERS = 'Filters: workspace, and one or more lifecycle statuses.';

const idsOf = (rows: readonly Json[]) => rows.map(({ id }) => id).join();

export const lists: readonly Way[] = [
  way('list-by-the-last-update', NEWEST, (w) =>
    w.ok('list', (body) => {
      rowsOf(body).sort((a, b) => (String(a.updated_at) < String(b.updated_at) ? 1 : -1));
    }),
  ),
  way('list-unordered-within-a-second', NEWEST, (w) => {
    const place = ({ created_at, id }: Json) => String(created_at).slice(0, 19) + String(id);
    return w.ok('list', (body) => {
      rowsOf(body).sort((a, b) => (place(a) < place(b) ? 1 : -1));
    });
  }),
  way('list-pages-by-offset', NEWEST, (w) => async (call, next) => {
    const query = call.url.searchParams;
    const [, from, lawful] = /^(\d+)\.(.+)$/.exec(query.get('starting_after') ?? '') ?? [];
    const limit = Number(query.get('limit') ?? 500);
    if (call.op !== 'list') return next();
    const start = Number(from ?? 0);
    const right = await next(lawful ? withQuery(call, (q) => q.set('starting_after', lawful)) : undefined);
    const page = await jsonIn(right);
    if (page === undefined) return right;
    const all = await jsonIn(
      await next(
        withQuery(call, (q) => {
          q.delete('starting_after');
          q.delete('limit');
        }),
      ),
    );
    const data = rowsOf(all ?? {}).slice(start, start + limit);
    if (lawful && idsOf(data) !== idsOf(rowsOf(page))) w.hit();
    const more = rowsOf(all ?? {}).length > start + limit;
    const cursor = `${start + limit}.${String(page.next_cursor ?? lawful)}`;
    return Response.json({ data, has_more: more, ...(more ? { next_cursor: cursor } : {}) });
  }),
  way(
    'list-pages-lose-the-filter',
    FILTERS,
    (w) => (call, next) =>
      call.op === 'list' && call.url.searchParams.has('starting_after') && call.url.searchParams.has('status')
        ? swapped(
            w,
            next,
            withQuery(call, (query) => query.delete('status')),
          )
        : next(),
  ),
  way('list-page-begins-with-the-last-row', NEWEST, (w) => {
    const last = new Map<unknown, Json>();
    return w.ok('list', (body, { url }) => {
      const row = last.get(url.searchParams.get('starting_after'));
      const end = rowsOf(body).at(-1);
      if (end && body.next_cursor !== undefined) last.set(body.next_cursor, end);
      if (row) body.data = [row, ...rowsOf(body)];
    });
  }),
  way('list-takes-the-first-status', FILTERS, (w) => (call, next) => {
    const [first = '', ...others] = among(call.url.searchParams);
    return call.op === 'list' && others.length > 0
      ? swapped(
          w,
          next,
          withQuery(call, (query) => query.set('status', first)),
        )
      : next();
  }),
  way(
    'list-of-a-workspace-drops-the-status',
    FILTERS,
    (w) => (call, next) =>
      call.op === 'list' && call.url.searchParams.has('workspace_id') && call.url.searchParams.has('status')
        ? swapped(
            w,
            next,
            withQuery(call, (query) => query.delete('status')),
          )
        : next(),
  ),
  way('list-kept-for-five-seconds', NEWEST, (w) => {
    const kept = new Map<string, { at: number; text: string }>();
    return w.later('list', async (response, { who, url }) => {
      const key = who + url.search;
      const at = w.setting.host.now();
      const text = await response.clone().text();
      const before = kept.get(key);
      if (before === undefined || at - before.at >= 5 * SECOND) kept.set(key, { at, text });
      else if (before.text !== text) return Response.json(JSON.parse(before.text));
      return undefined;
    });
  }),
  way('list-of-an-index-without-updates', NEWEST, (w) => {
    const indexed = new Map<unknown, Json>();
    const list = records(w, 'list', (record) => Object.assign(record, indexed.get(record.id)));
    return async (call, next) => {
      const before = call.op === 'update' ? await recordOf(w, call.id, call.who) : undefined;
      const response = await list(call, next);
      if (before && response.ok && !indexed.has(before.id)) indexed.set(before.id, settingsIn(before));
      if (/^(provision|suspend)$/.test(call.op) && response.ok) indexed.delete(call.id);
      return response;
    };
  }),
];
