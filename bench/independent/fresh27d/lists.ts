import type { Json } from '../call.js';
import { type Area, edited, newestFirst, recordOf, rowsOf, seen } from './form.js';

const statusesOf = (url: URL) => url.searchParams.getAll('status').flatMap((one) => one.split(','));

export const lists: Area = {
  'list-lately-updated-first': {
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: (world) => {
      const updated = new Map<string, number>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'update' && response.ok) updated.set(call.id, world.setting.host.now());
        if (call.op !== 'list' || !response.ok) return response;
        return edited(response, (body) => {
          const rows = rowsOf(body);
          const rank = (row: Json) => updated.get(String(row.id)) ?? 0;
          const sorted = rows.toSorted((a, b) => rank(b) - rank(a));
          if (sorted.some((row, at) => row !== rows[at])) world.hit();
          if (Array.isArray(body.data)) body.data = sorted;
        });
      };
    },
  },
  'list-later-pages-oldest-first': {
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: ({ ok }) =>
      ok('list', (body, { url }) => {
        if (url.searchParams.has('starting_after')) rowsOf(body).reverse();
      }),
  },
  'list-without-the-freshest': {
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: (world) => {
      const made = new Map<string, number>();
      return async (call, next) => {
        const response = await next();
        const now = world.setting.host.now();
        if (call.op === 'create' && response.ok) made.set(String((await recordOf(response)).id), now);
        if (call.op !== 'list' || !response.ok) return response;
        return edited(response, (body) => {
          const rows = rowsOf(body);
          const left = rows.filter(({ id }) => now - (made.get(String(id)) ?? Number.NEGATIVE_INFINITY) > 5000);
          if (left.length < rows.length) world.hit();
          if (Array.isArray(body.data)) body.data = left;
        });
      };
    },
  },
  'list-keeps-the-gone': {
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: (world) => {
      const copies = new Map<string, Json>();
      const deleted = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'delete' && response.ok) deleted.add(call.id);
        if (call.op === 'get' && response.ok) copies.set(call.id, await recordOf(response));
        if (call.op !== 'list' || !response.ok || call.who !== 'api_key' || call.url.search !== '') return response;
        const ghosts: Json[] = [];
        for (const id of deleted) {
          const copy = copies.get(id);
          if (copy && (await world.ask('GET', `/interns/${id}`)).status === 404) ghosts.push(copy);
        }
        if (ghosts.length === 0) return response;
        world.hit();
        return edited(response, (body) => {
          body.data = newestFirst([...rowsOf(body), ...ghosts]);
        });
      };
    },
  },
  'list-hides-the-failed': {
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: ({ ok }) =>
      ok('list', (body, { url }) => {
        if (Array.isArray(body.data) && !url.searchParams.has('status'))
          body.data = rowsOf(body).filter(({ status }) => status !== 'destroy_failed');
      }),
  },
  'list-of-failed-empty': {
    quote: 'Filters: workspace, and one or more lifecycle statuses.',
    wrong: ({ ok }) =>
      ok('list', (body, { url }) => {
        if (statusesOf(url).includes('destroy_failed'))
          body.data = rowsOf(body).filter(({ status }) => status !== 'destroy_failed');
      }),
  },
  'list-of-running-keeps-the-suspended': {
    quote: 'Filters: workspace, and one or more lifecycle statuses.',
    wrong: (world) => {
      const suspended = new Map<string, number>();
      return async (call, next) => {
        const response = await next();
        const now = world.setting.host.now();
        if (call.op === 'suspend' && response.ok) suspended.set(call.id, now);
        if (call.op === 'provision' && response.ok) suspended.delete(call.id);
        if (call.op !== 'list' || !response.ok || call.who !== 'api_key') return response;
        if (!statusesOf(call.url).includes('running')) return response;
        const stale: Json[] = [];
        const shown = new Set(rowsOf(await recordOf(response)).map(({ id }) => id));
        for (const [id, at] of suspended) {
          if (now - at > 60_000 || shown.has(id)) continue;
          const intern = await seen(world, id);
          if (typeof intern.id === 'string') stale.push(intern);
        }
        if (stale.length === 0) return response;
        world.hit();
        return edited(response, (body) => {
          body.data = newestFirst([...rowsOf(body), ...stale]);
        });
      };
    },
  },
  'list-of-two-statuses-wants-both': {
    quote: 'Filters: workspace, and one or more lifecycle statuses.',
    wrong: ({ ok }) =>
      ok('list', (body, { url }) => {
        if (new Set(statusesOf(url)).size < 2 || !Array.isArray(body.data)) return;
        body.data = [];
        if ('has_more' in body) body.has_more = false;
      }),
  },
  'list-of-two-statuses-by-status': {
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: ({ ok }) =>
      ok('list', (body, { url }) => {
        const order = statusesOf(url);
        if (order.length < 2 || !Array.isArray(body.data)) return;
        body.data = rowsOf(body).toSorted((a, b) => order.indexOf(String(a.status)) - order.indexOf(String(b.status)));
      }),
  },
  'list-of-same-second-oldest-first': {
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: ({ ok }) =>
      ok('list', (body) => {
        if (!Array.isArray(body.data)) return;
        const second = (row: Json) => String(row.created_at).slice(0, 19);
        body.data = rowsOf(body)
          .toReversed()
          .toSorted((a, b) => second(b).localeCompare(second(a)));
      }),
  },
  'list-of-workspace-by-name': {
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: ({ ok }) =>
      ok('list', (body, { url }) => {
        if (url.searchParams.has('workspace_id') && Array.isArray(body.data))
          body.data = rowsOf(body).toSorted((a, b) => String(a.name).localeCompare(String(b.name)));
      }),
  },
  'list-of-callers-own-only': {
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: (world) => {
      const makers = new Map<string, string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'create' && response.ok) makers.set(String((await recordOf(response)).id), call.who);
        if (call.op !== 'list' || !response.ok) return response;
        return edited(response, (body) => {
          const rows = rowsOf(body);
          const left = rows.filter(({ id }) => (makers.get(String(id)) ?? call.who) === call.who);
          if (left.length < rows.length) world.hit();
          if (Array.isArray(body.data)) body.data = left;
        });
      };
    },
  },
  'list-workspace-filter-with-status-lost': {
    quote: 'Filters: workspace, and one or more lifecycle statuses.',
    wrong: (world) =>
      world.later('list', async (response, { url, who }) => {
        const { searchParams } = url;
        const other = searchParams.get('workspace_id');
        if (!response.ok || !searchParams.has('status') || other === null || other === world.workspaces.own)
          return undefined;
        const left = new URLSearchParams(searchParams);
        left.delete('workspace_id');
        return world.ask('GET', `/interns?${left}`, { as: who });
      }),
  },
  'list-name-one-update-behind': {
    quote: 'Changes name, description, instructions or model.',
    wrong: (world) => {
      const before = new Map<string, unknown>();
      return async (call, next) => {
        const old = call.op === 'update' && 'name' in call.body ? (await seen(world, call.id)).name : undefined;
        const response = await next();
        if (old !== undefined && response.ok) before.set(call.id, old);
        if (call.op !== 'list' || !response.ok) return response;
        return edited(response, (body) => {
          for (const row of rowsOf(body)) {
            const name = before.get(String(row.id));
            if (name === undefined || name === row.name) continue;
            world.hit();
            row.name = name;
          }
        });
      };
    },
  },
};
