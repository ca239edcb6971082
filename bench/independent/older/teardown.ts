import type { Json } from '../../../emulator/wire/json.js';
import { error, jsonOf, type Older, on, opOf, reply, respJson, say, seen, textOf, withBody } from './wire.js';

export const teardown: Older = {
  'retry-409': {
    quote: 'A retry with the same idempotency key and the same body resumes unfinished work',
    wrong: (next, w) => {
      const s = new Set<string>();
      return async (request) => {
        const { op, token } = opOf(request);
        const k = request.headers.get('idempotency-key');
        if (op !== 'create' || k === null) return next(request);
        const at = `${token} ${k}`;
        if (s.has(at)) return w.hit(error(409, 'Name taken', 'name_conflict'));
        const r = await next(request);
        if (r.ok) s.add(at);
        return r;
      };
    },
  },
  'retry-after-update-409': {
    quote: 'A retry with the same idempotency key and the same body resumes unfinished work',
    wrong: (next, w) => {
      const s = new Map<string, string>();
      const changed = new Set<string>();
      return async (request) => {
        const { op, id, token } = opOf(request);
        const k = request.headers.get('idempotency-key');
        if (op === 'update') {
          const r = await next(request);
          if (r.ok) changed.add(id);
          return r;
        }
        if (op !== 'create' || k === null) return next(request);
        const at = `${token} ${k}`;
        if (changed.has(s.get(at) ?? '')) return w.hit(error(409, 'Name taken', 'name_conflict'));
        const r = await next(request);
        if (r.ok) s.set(at, String((await respJson(r)).id));
        return r;
      };
    },
  },
  'model-update-clears-instructions': {
    quote: 'Omitted fields stay unchanged',
    wrong: on('update', async ({ request, next, w }) => {
      const j = await jsonOf(request);
      return j && 'model' in j && Object.keys(j).length === 1
        ? w.hit(next(withBody(request, { ...j, instructions: null })))
        : next(request);
    }),
  },
  'description-update-clears-model': {
    quote: 'Omitted fields stay unchanged',
    wrong: on('update', async ({ request, next, w, id }) => {
      const j = await jsonOf(request);
      if (!(j && 'description' in j && !('model' in j))) return next(request);
      if ((await seen(w, id)).model != null) w.hit(0);
      return next(withBody(request, { ...j, model: null }));
    }),
  },
  'description-empty-ignored': {
    quote: 'Changes description',
    wrong: on('update', async ({ request, next, w }) => {
      const j = await jsonOf(request);
      if (j?.description !== '') return next(request);
      const { description: _, ...rest } = j;
      return w.hit(next(withBody(request, rest)));
    }),
  },
  'update-stopped-not-kept': {
    quote: 'Changes name, description…',
    wrong: on('update', async ({ request, next, w, id, token }) => {
      const b = await seen(w, id);
      const r = await next(request);
      if (!r.ok || b.status !== 'stopped' || b.hostname === undefined) return r;
      if (b.hostname === null) return r;
      await say(w, `/interns/${id}`, 'PATCH', token, {
        description: b.description,
        instructions: b.instructions,
        model: b.model,
        name: b.name,
      });
      return w.hit(r);
    }),
  },
  'resume-resets-instructions': {
    quote: 'Stops the runtime, keeping disk and configuration',
    wrong: (next, w) => {
      const s = new Set<string>();
      return async (request) => {
        const { op, id, token } = opOf(request);
        const r = await next(request);
        if (op === 'suspend' && r.ok) s.add(id);
        if (op === 'provision' && r.ok && s.has(id)) {
          if ((await seen(w, id)).instructions != null) w.hit(0);
          await say(w, `/interns/${id}`, 'PATCH', token, { instructions: null });
        }
        return r;
      };
    },
  },
  'suspend-clears-model': {
    quote: 'Stops the runtime, keeping disk and configuration',
    wrong: on('suspend', async ({ request, next, w, id, token }) => {
      const r = await next(request);
      if (r.ok) {
        if ((await seen(w, id)).model != null) w.hit(0);
        await say(w, `/interns/${id}`, 'PATCH', token, { model: null });
      }
      return r;
    }),
  },
  'delete-stopped-409': {
    quote: 'delete_intern: any visible intern',
    wrong: (next, w) => {
      const s = new Set<string>();
      return async (request) => {
        const { op, id } = opOf(request);
        if (op === 'delete' && s.has(id) && !(await textOf(request)).includes('x')) {
          const g = await next(request.clone());
          return g.status === 202 ? w.hit(error(409, 'Intern is busy', 'intern_busy')) : g;
        }
        const r = await next(request);
        if (op === 'suspend' && r.ok) s.add(id);
        return r;
      };
    },
  },
  'vault-id-shared': {
    quote: 'Creates the intern and its private vault',
    wrong: (next, w) => {
      const byCaller = new Map<string, string>();
      const of = new Map<string, string>();
      return async (request) => {
        const { op, token } = opOf(request);
        const r = await next(request);
        if (!r.ok || !['create', 'get', 'list', 'update'].includes(op)) return r;
        return reply(r, (j) => {
          const fix = (e: Json) => {
            if (op === 'create' && !of.has(String(e.id))) {
              if (!byCaller.has(token)) byCaller.set(token, String(e.vault_id));
              else w.hit(0);
              of.set(String(e.id), byCaller.get(token) ?? '');
            }
            const v = of.get(String(e.id));
            if (v) e.vault_id = v;
          };
          if (Array.isArray(j.data)) (j.data as Json[]).forEach(fix);
          else if ('vault_id' in j) fix(j);
        });
      };
    },
  },
  'delete-415-code-string': {
    quote: 'code: integer HTTP status',
    wrong: on('delete', async ({ request, next, w }) => {
      const r = await next(request);
      return r.status === 415
        ? w.hit(
            reply(r, (j) => {
              (j.error as Json).code = '415';
            }),
          )
        : r;
    }),
  },
  'update-404-no-retryable': {
    quote: 'metadata: {reason, retryable: boolean}',
    wrong: on('update', async ({ request, next, w }) => {
      const r = await next(request);
      return r.status === 404
        ? w.hit(
            reply(r, (j) => {
              delete ((j.error as Json).metadata as Json | undefined)?.retryable;
            }),
          )
        : r;
    }),
  },
};
