import { bodyOf, interns, type Part } from './parts.js';

export const lists: Part = {
  'list-oldest-first': {
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: (w) =>
      w.ok('list', (body, call) => {
        if (!call.url.searchParams.has('status')) body.data = interns(body).reverse();
      }),
  },
  'list-by-last-change': {
    quote: 'Lists the interns visible to the key, newest first.',
    // An updated intern moves to the front.
    wrong: (w) => {
      const changed: string[] = [];
      return async (call, next) => {
        if (call.op === 'update') {
          const response = await next();
          if (response.ok) changed.push(call.id);
          return response;
        }
        return w.ok('list', (body) => {
          const rank = (id: unknown) => changed.lastIndexOf(String(id));
          body.data = interns(body).sort((a, b) => rank(b.id) - rank(a.id));
        })(call, next);
      };
    },
  },
  'list-by-name': {
    quote: 'Lists the interns visible to the key, newest first.',
    // The order of a filter by workspace is the index's own.
    wrong: (w) =>
      w.ok('list', (body, call) => {
        if (call.url.searchParams.has('workspace_id'))
          body.data = interns(body).sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1));
      }),
  },
  'list-cached-three-seconds': {
    quote: 'Lists the interns visible to the key',
    wrong: (w) => {
      const kept = new Map<string, { readonly at: number; readonly body: string }>();
      return w.later('list', async (response, { who, url }) => {
        if (!response.ok) return undefined;
        const key = `${who} ${url.search}`;
        const now = w.setting.host.now();
        const body = await response.clone().text();
        const last = kept.get(key);
        if (last === undefined || now - last.at >= 3000) {
          kept.set(key, { at: now, body });
          return undefined;
        }
        return last.body === body ? undefined : new Response(last.body, { headers: response.headers });
      });
    },
  },
  'list-cached-across-callers': {
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    // The cache's key is the address alone.
    wrong: (w) => {
      const kept = new Map<string, { readonly at: number; readonly who: string; readonly body: string }>();
      return w.later('list', async (response, { who, url }) => {
        if (!response.ok) return undefined;
        const now = w.setting.host.now();
        const body = await response.clone().text();
        const last = kept.get(url.search);
        if (last !== undefined && last.who !== who && now - last.at < 5000 && last.body !== body)
          return new Response(last.body, { headers: response.headers });
        kept.set(url.search, { at: now, who, body });
        return undefined;
      });
    },
  },
  'list-keeps-the-gone': {
    quote: 'Lists the interns visible to the key',
    // A row stays after its intern answers 404.
    wrong: (w) => {
      const rows = new Map<string, { readonly who: string; readonly row: unknown }>();
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'list' || !response.ok || call.url.search !== '') return response;
        const now = interns(await bodyOf(response));
        for (const row of now) rows.set(String(row.id), { who: call.who, row });
        const gone: unknown[] = [];
        for (const [id, { who, row }] of rows)
          if (who === call.who && !now.some((one) => one.id === id)) {
            const asked = await w.ask('GET', `/interns/${id}`);
            if (asked.status === 404) gone.push(row);
          }
        return w.ok('list', (body) => {
          body.data = [...interns(body), ...gone];
        })(call, async () => response);
      };
    },
  },
  'list-third-status-dropped': {
    quote: 'Filters: workspace, and one or more lifecycle statuses.',
    wrong: (w) => async (call, next) => {
      const statuses = call.url.searchParams.get('status')?.split(',') ?? [];
      const response = await next();
      if (call.op !== 'list' || statuses.length < 3 || !response.ok) return response;
      return w.ok('list', (body) => {
        body.data = interns(body).filter(({ status }) => statuses.slice(0, 2).includes(String(status)));
      })(call, async () => response);
    },
  },
  'list-status-misses-resumed': {
    quote: 'Filters: workspace, and one or more lifecycle statuses.',
    // The index of statuses loses an intern at its resumption.
    wrong: (w) => {
      const suspended = new Set<string>();
      const resumed = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (response.ok && call.op === 'suspend') suspended.add(call.id);
        if (response.ok && call.op === 'provision' && suspended.has(call.id)) resumed.add(call.id);
        if (call.op !== 'list' || !call.url.searchParams.has('status')) return response;
        return w.ok('list', (body) => {
          body.data = interns(body).filter(({ id }) => !resumed.has(String(id)));
        })(call, async () => response);
      };
    },
  },
  'list-hides-destroy-failed': {
    quote: 'status | string (lifecycle status) | Filterable in `list_interns`. One value is `destroy_failed`.',
    wrong: (w) =>
      w.ok('list', (body) => {
        body.data = interns(body).filter(({ status }) => status !== 'destroy_failed');
      }),
  },
  'list-limited-drops-second': {
    quote: 'Lists the interns visible to the key',
    wrong: (w) =>
      w.ok('list', (body, call) => {
        const rows = interns(body);
        if (call.url.searchParams.has('limit') && rows.length > 2) body.data = rows.filter((_, at) => at !== 1);
      }),
  },
  'list-own-creations-only': {
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    // Another key of the workspace can get them all the same.
    wrong: (w) => {
      const creator = new Map<string, string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'create' && response.ok) creator.set(String((await bodyOf(response)).id), call.who);
        if (call.op !== 'list') return response;
        return w.ok('list', (body) => {
          body.data = interns(body).filter(({ id }) => (creator.get(String(id)) ?? call.who) === call.who);
        })(call, async () => response);
      };
    },
  },
  'list-name-one-update-behind': {
    quote: 'name | string | Changeable through `update_intern`.',
    wrong: (w) => {
      const before = new Map<string, unknown>();
      const now = new Map<string, unknown>();
      return async (call, next) => {
        const response = await next();
        if ((call.op === 'create' || call.op === 'update') && response.ok) {
          const { id, name } = await bodyOf(response);
          if (now.has(String(id)) && now.get(String(id)) !== name) before.set(String(id), now.get(String(id)));
          now.set(String(id), name);
        }
        if (call.op !== 'list') return response;
        return w.ok('list', (body) => {
          for (const row of interns(body)) if (before.has(String(row.id))) row.name = before.get(String(row.id));
        })(call, async () => response);
      };
    },
  },
};
