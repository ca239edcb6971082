import type { Json } from '../../../emulator/wire/json.js';
import { type Older, on, opOf, reply, respJson, withUrl } from './wire.js';

export const lists: Older = {
  'list-status-oldest-first': {
    quote: 'Lists newest first',
    wrong: on('list', async ({ request, next, w, q }) => {
      const r = await next(request);
      return r.status === 200 && q.has('status')
        ? reply(r, (j) => {
            if ((j.data as unknown[]).length > 1) w.hit(0);
            (j.data as unknown[]).reverse();
          })
        : r;
    }),
  },
  'list-first-status-only': {
    quote: 'Filters: one or more lifecycle statuses',
    wrong: on('list', async ({ request, next, w, q }) => {
      if (!q.get('status')?.includes(',') || (await next(request.clone())).status !== 200) return next(request);
      const u = new URL(request.url);
      u.searchParams.set('status', String(q.get('status')).split(',')[0] ?? '');
      return w.hit(next(withUrl(request, u)));
    }),
  },
  'list-two-statuses-unfiltered': {
    quote: 'Filters: one or more lifecycle statuses',
    wrong: on('list', async ({ request, next, w, q }) => {
      if (!q.get('status')?.includes(',') || (await next(request.clone())).status !== 200) return next(request);
      const u = new URL(request.url);
      u.searchParams.delete('status');
      return w.hit(next(withUrl(request, u)));
    }),
  },
  'list-foreign-workspace-own': {
    quote: 'Filters: workspace',
    wrong: on('list', async ({ request, next, w, q }) => {
      if (q.get('workspace_id') !== w.target.foreign_workspace_id) return next(request);
      const u = new URL(request.url);
      u.searchParams.delete('workspace_id');
      return w.hit(next(withUrl(request, u)));
    }),
  },
  'list-page-skips-one': {
    quote: 'Lists the interns visible to the key',
    wrong: on('list', async ({ request, next, w, q }) => {
      const r = await next(request);
      return r.status === 200 && q.has('starting_after')
        ? w.hit(
            reply(r, (j) => {
              (j.data as unknown[]).shift();
            }),
          )
        : r;
    }),
  },
  'list-stale-description': {
    quote: 'update_intern changes description',
    wrong: (next, w) => {
      const first = new Map<string, unknown>();
      return async (request) => {
        const { op } = opOf(request);
        const r = await next(request);
        if (op === 'create' && r.ok) {
          const j = await respJson(r);
          first.set(String(j.id), j.description);
        }
        return op === 'list' && r.ok
          ? reply(r, (j) => {
              for (const e of j.data as Json[])
                if (first.has(String(e.id)) && first.get(String(e.id)) !== e.description) {
                  w.hit(0);
                  e.description = first.get(String(e.id));
                }
            })
          : r;
      };
    },
  },
  'list-workspace-and-status': {
    quote: 'Filters: workspace, and one or more statuses',
    wrong: on('list', async ({ request, next, w, q }) => {
      if (!q.has('status') || !q.has('workspace_id') || (await next(request.clone())).status !== 200)
        return next(request);
      const u = new URL(request.url);
      u.searchParams.delete('status');
      return w.hit(next(withUrl(request, u)));
    }),
  },
  'list-hides-suspended': {
    quote: 'Lists the interns visible to the key',
    wrong: (next, w) => {
      const s = new Set<string>();
      return async (request) => {
        const { op, id, q } = opOf(request);
        const r = await next(request);
        if (op === 'suspend' && r.ok) s.add(id);
        if (op === 'provision' && r.ok) s.delete(id);
        return op === 'list' && r.ok && !q.has('status')
          ? reply(r, (j) => {
              const d = j.data as Json[];
              j.data = d.filter((e) => !s.has(String(e.id)));
              if ((j.data as Json[]).length < d.length) w.hit(0);
            })
          : r;
      };
    },
  },
  'list-stale-status': {
    quote: 'status (lifecycle status)',
    wrong: (next, w) => {
      const s = new Set<string>();
      return async (request) => {
        const { op, id } = opOf(request);
        const r = await next(request);
        if (op === 'suspend' && r.ok) s.add(id);
        if (op === 'provision' && r.ok) s.delete(id);
        return op === 'list' && r.ok
          ? reply(r, (j) => {
              for (const e of j.data as Json[])
                if (s.has(String(e.id)) && e.status === 'stopped') {
                  w.hit(0);
                  e.status = 'running';
                }
            })
          : r;
      };
    },
  },
};
