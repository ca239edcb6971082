import { type Json, withHeaders } from '../call.js';
import { bodyOf } from '../newer/tools.js';
import type { Way } from '../world.js';
import { differing, named, rows } from './tools.js';

const LIST = 'Lists the interns visible to the key, newest first.';
const FILTERS = 'Filters: workspace, and one or more lifecycle statuses.';
const text = (value: unknown) => (typeof value === 'string' ? value : '');

export const lists: readonly Way[] = [
  named('a page begins with the last intern of the page before', LIST, (w) => {
    const lasts = new Map<string, Json>();
    return w.ok('list', (body, call) => {
      const data = rows(body);
      const last = data.at(-1);
      if (last) lasts.set(`${call.who} ${text(body.next_cursor)}`, last);
      const before = lasts.get(`${call.who} ${call.url.searchParams.get('cursor')}`);
      if (before) body.data = [before, ...data];
    });
  }),
  named('a list is sorted by the last change', LIST, (w) =>
    w.ok('list', (body) => {
      body.data = rows(body).sort((a, b) => text(b.updated_at).localeCompare(text(a.updated_at)));
    }),
  ),
  named('interns of the same second are listed oldest first', LIST, (w) => {
    const second = ({ created_at }: Json) => text(created_at).slice(0, 19);
    return w.ok('list', (body) => {
      const data = rows(body);
      body.data = data
        .map((row, at) => ({ row, at }))
        .sort((a, b) => second(b.row).localeCompare(second(a.row)) || b.at - a.at)
        .map(({ row }) => row);
    });
  }),
  named('the status filter is forgotten after the first page', FILTERS, (w) =>
    differing(w, 'list', async (call) => {
      if (!call.url.searchParams.has('cursor') || !call.url.searchParams.has('status')) return undefined;
      const url = new URL(call.url);
      url.searchParams.delete('status');
      return w.next(withHeaders(call, {}, url));
    }),
  ),
  named('a list leaves out what a colleague made', LIST, (w) => {
    const makers = new Map<unknown, string>();
    return async (call, next) => {
      const r = await next();
      if (call.op === 'create' && r.status === 201) makers.set((await bodyOf(r)).id, call.who);
      const leave = w.ok('list', (body) => {
        body.data = rows(body).filter(({ id }) => (makers.get(id) ?? call.who) === call.who);
      });
      return call.who.endsWith('api_key') ? leave(call, async () => r) : r;
    };
  }),
  named('a list shows the settings that an intern was created with', 'Omitted fields stay unchanged.', (w) => {
    const first = new Map<unknown, Json>();
    return w.ok('create list', (body, call) => {
      if (call.op === 'create' && !first.has(body.id)) first.set(body.id, { ...body });
      for (const row of call.op === 'list' ? rows(body) : []) {
        const { name, description, instructions, model } = first.get(row.id) ?? row;
        Object.assign(row, { name, description, instructions, model });
      }
    });
  }),
  named('no list shows an intern that failed to be destroyed', 'Filterable in `list_interns`.', (w) =>
    w.ok('list', (body) => {
      body.data = rows(body).filter(({ status }) => status !== 'destroy_failed');
    }),
  ),
];
