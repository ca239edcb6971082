import type { Json } from '../call.js';
import { withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { bodyOf, idOf, internOf, listed } from './common.js';

export const lists: readonly Way[] = [
  {
    name: 'list-oldest-first',
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: ({ ok }) => ok('list', (body) => listed(body).length > 1 && (body.data as Json[]).reverse()),
  },
  {
    name: 'list-by-name',
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: ({ ok }) =>
      ok('list', (body) => {
        body.data = listed(body).sort((one, other) => String(one.name).localeCompare(String(other.name)));
      }),
  },
  {
    name: 'list-changed-come-first',
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: ({ ok }) => {
      const changed = new Set<string>();
      return ok('update list', (body, { op, id }) => {
        if (op === 'update') {
          changed.add(id);
          return;
        }
        const all = listed(body);
        body.data = [...all.filter((one) => changed.has(idOf(one))), ...all.filter((one) => !changed.has(idOf(one)))];
      });
    },
  },
  {
    name: 'list-status-ignored',
    quote: 'Filters: workspace, and one or more lifecycle statuses.',
    wrong: ({ asked }) =>
      asked('list', (call) => {
        const status = call.url.searchParams.get('status');
        if (status !== 'running' && status !== 'stopped') return undefined;
        const url = new URL(call.url);
        url.searchParams.delete('status');
        return withHeaders(call, {}, url);
      }),
  },
  {
    name: 'list-grouped-by-status',
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: ({ ok }) =>
      ok('list', (body, { url }) => {
        if (!url.searchParams.toString().includes('status')) return;
        body.data = listed(body).sort((one, other) => String(one.status).localeCompare(String(other.status)));
      }),
  },
  {
    name: 'list-lags-behind-creates',
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: ({ ok, setting: { host } }) => {
      const made = new Map<string, number>();
      return ok('create list', (body, { op }) => {
        if (op === 'create') made.set(idOf(body), host.now());
        else
          body.data = listed(body).filter(
            (one) => host.now() - (made.get(idOf(one)) ?? Number.NEGATIVE_INFINITY) > 2000,
          );
      });
    },
  },
  {
    name: 'list-keeps-the-gone',
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: (world) => {
      const last = new Map<string, Json>();
      const deleted = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'get' && response.ok) last.set(call.id, await bodyOf(response));
        if (call.op === 'delete' && response.ok && call.who === 'api_key') deleted.add(call.id);
        if (call.op !== 'list' || call.who !== 'api_key' || call.url.search !== '') return response;
        const gone: Json[] = [];
        for (const id of deleted) {
          const record = last.get(id);
          if (record !== undefined && !(await world.ask('GET', `/interns/${id}`)).ok) gone.push(record);
        }
        return world.ok('list', (body) => {
          body.data = [...gone, ...listed(body)];
        })(call, async () => response);
      };
    },
  },
  {
    name: 'list-filters-by-old-status',
    quote: 'Filterable in `list_interns`.',
    wrong: (world) => {
      const suspended = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'suspend' && response.ok) suspended.add(call.id);
        if (call.op === 'provision' && response.ok) suspended.delete(call.id);
        if (call.op !== 'list' || !response.ok || call.url.searchParams.get('status') !== 'running') return response;
        const more: Json[] = [];
        for (const id of suspended) {
          const record = await internOf(world, id);
          if (record.status === 'stopped') more.push(record);
        }
        return world.ok('list', (body) => {
          body.data = [...more, ...listed(body)];
        })(call, async () => response);
      };
    },
  },
  {
    name: 'list-page-starts-with-cursor',
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: (world) => {
      return async (call, next) => {
        const response = await next();
        const after = call.url.searchParams.get('starting_after');
        if (call.op !== 'list' || !response.ok || after === null) return response;
        const record = await internOf(world, after);
        return world.ok('list', (body) => {
          if (record.id === after) body.data = [record, ...listed(body)];
        })(call, async () => response);
      };
    },
  },
  {
    name: 'list-next-page-forgets-status',
    quote: 'Filters: workspace, and one or more lifecycle statuses.',
    wrong: ({ asked }) =>
      asked('list', (call) => {
        const url = new URL(call.url);
        if (!url.searchParams.has('starting_after') || !url.searchParams.has('status')) return undefined;
        url.searchParams.delete('status');
        return withHeaders(call, {}, url);
      }),
  },
  {
    name: 'list-cached-by-query',
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong: ({ hit, setting: { host } }) => {
      const cache = new Map<string, { readonly at: number; readonly who: string; readonly response: Response }>();
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'list' || !response.ok) return response;
        const kept = cache.get(call.url.search);
        if (kept !== undefined && kept.who !== call.who && host.now() - kept.at < 5000) {
          hit();
          return kept.response.clone();
        }
        cache.set(call.url.search, { at: host.now(), who: call.who, response: response.clone() });
        return response;
      };
    },
  },
];
