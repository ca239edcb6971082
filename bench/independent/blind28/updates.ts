import { failed } from '../answers.js';
import { withBody } from '../call.js';
import { bodyOf, bytes, fieldsOf, type Part, remade, seen, typed, typeOf } from './parts.js';

const SETTINGS = ['name', 'description', 'instructions', 'model'] as const;

export const updates: Part = {
  'update-answers-the-old': {
    quote: 'Changes name, description, instructions or model.',
    // The answer is the record as it was before the change.
    wrong: (w) => async (call, next) => {
      if (call.op !== 'update') return next();
      const before = await seen(w, call.id);
      const response = await next();
      if (!response.ok || before.id === undefined) return response;
      w.hit();
      return remade(response, before);
    },
  },
  'get-stale-after-update': {
    quote: 'Returns the public lifecycle state and settings of one visible intern.',
    // A read keeps for ten seconds what was read before the update.
    wrong: (w) => {
      const kept = new Map<string, { readonly at: number; readonly body: string }>();
      return w.later('get', async (response, { id, who }) => {
        if (!response.ok) return undefined;
        const now = w.setting.host.now();
        const body = await response.clone().text();
        const last = kept.get(`${who} ${id}`);
        if (last !== undefined && now - last.at < 10_000)
          return last.body === body ? undefined : remade(response, last.body);
        kept.set(`${who} ${id}`, { at: now, body });
        return undefined;
      });
    },
  },
  'get-cached-across-callers': {
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong: (w) => {
      const kept = new Map<string, { readonly at: number; readonly body: string }>();
      return w.later('get', async (response, { id, who }) => {
        const now = w.setting.host.now();
        if (response.ok) kept.set(id, { at: now, body: await response.clone().text() });
        const last = kept.get(id);
        return response.status === 404 && who === 'foreign_api_key' && last !== undefined && now - last.at < 60_000
          ? new Response(last.body, { status: 200, headers: { 'content-type': 'application/json' } })
          : undefined;
      });
    },
  },
  'second-update-clears-instructions': {
    quote: 'Omitted fields stay unchanged.',
    wrong: (w) => {
      const times = new Map<string, number>();
      return async (call, next) => {
        if (call.op !== 'update') return next();
        const count = (times.get(call.id) ?? 0) + 1;
        times.set(call.id, count);
        if (count < 2 || 'instructions' in call.body) return next();
        const { instructions } = await seen(w, call.id);
        const response = await next();
        if (!response.ok || typeof instructions !== 'string' || instructions === '') return response;
        w.hit();
        return w.ask('PATCH', `/interns/${call.id}`, { as: call.who, body: { instructions: '' } });
      };
    },
  },
  'name-update-clears-description': {
    quote: 'Omitted fields stay unchanged.',
    wrong: (w) => async (call, next) => {
      if (call.op !== 'update' || !('name' in call.body) || 'description' in call.body) return next();
      const { description } = await seen(w, call.id);
      if (typeof description !== 'string' || description === '') return next();
      w.hit();
      return next(withBody(call, { ...call.body, description: '' }));
    },
  },
  'instructions-update-restores-first-name': {
    quote: 'Omitted fields stay unchanged.',
    // The update writes over a copy from the creation.
    wrong: (w) => {
      const first = new Map<string, unknown>();
      return async (call, next) => {
        if (call.op === 'update' && 'instructions' in call.body && !('name' in call.body)) {
          const name = first.get(call.id);
          const now = await seen(w, call.id);
          if (name !== undefined && now.name !== undefined && now.name !== name) {
            w.hit();
            return next(withBody(call, { ...call.body, name }));
          }
        }
        const response = await next();
        if (call.op === 'create' && response.ok) {
          const { id, name } = await bodyOf(response);
          first.set(String(id), name);
        }
        return response;
      };
    },
  },
  'update-of-four-ignores-model': {
    quote: 'Changes name, description, instructions or model.',
    wrong: (w) =>
      w.asked('update', ({ body }) => {
        if (!SETTINGS.every((field) => field in body)) return undefined;
        const { model: _, ...rest } = body;
        return rest;
      }),
  },
  'update-model-ignored-while-stopped': {
    quote: 'model | string | Changeable through `update_intern`.',
    wrong: (w) => async (call, next) => {
      if (call.op !== 'update' || !('model' in call.body) || fieldsOf(call) < 2) return next();
      if ((await seen(w, call.id)).status !== 'stopped') return next();
      w.hit();
      const { model: _, ...rest } = call.body;
      return next(withBody(call, rest));
    },
  },
  'instructions-cut-at-1000': {
    quote: 'instructions | string | Changeable through `update_intern`.',
    wrong: (w) =>
      w.asked('create update', ({ body }) =>
        typeof body.instructions === 'string' && body.instructions.length > 1000
          ? { ...body, instructions: body.instructions.slice(0, 1000) }
          : undefined,
      ),
  },
  'instructions-escaped': {
    quote: 'instructions | string | Changeable through `update_intern`.',
    // The text is stored as HTML.
    wrong: (w) =>
      w.asked('create update', ({ body }) =>
        typeof body.instructions === 'string' && /[<>&]/.test(body.instructions)
          ? {
              ...body,
              instructions: body.instructions.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;'),
            }
          : undefined,
      ),
  },
  'update-empty-instructions-ignored': {
    quote: 'Changes name, description, instructions or model.',
    // An empty text counts as omitted.
    wrong: (w) =>
      w.asked('update', ({ body }) => {
        if (body.instructions !== '') return undefined;
        const { instructions: _, ...rest } = body;
        return rest;
      }),
  },
  'update-touches-newest': {
    quote: 'Changes name, description, instructions or model.',
    // The description goes to the newest intern as well.
    wrong: (w) => {
      let newest: string | undefined;
      return async (call, next) => {
        const response = await next();
        if (!response.ok) return response;
        if (call.op === 'create') newest = String((await bodyOf(response)).id);
        if (call.op === 'update' && newest !== undefined && newest !== call.id && 'description' in call.body) {
          const { description } = call.body;
          if ((await w.ask('PATCH', `/interns/${newest}`, { body: { description } })).ok) w.hit();
        }
        return response;
      };
    },
  },
  'update-wrong-type-acts': {
    quote: 'The 1048576-byte cap, 413 and 415 rules apply as for create.',
    // The refusal comes after the change.
    wrong: (w) => async (call, next) => {
      const response = await next();
      if (call.op !== 'update' || response.status !== 415) return response;
      if ((await w.ask('PATCH', `/interns/${call.id}`, { as: call.who, body: call.body })).ok) w.hit();
      return response;
    },
  },
  'update-cap-of-100-kB': {
    quote: 'The 1048576-byte cap, 413 and 415 rules apply as for create.',
    wrong: (w) =>
      w.later('update', (response, { text }) =>
        response.ok && bytes(text) > 100_000
          ? failed(413, 'Request body exceeds 100000 bytes', 'payload_too_large')
          : undefined,
      ),
  },
  'update-merge-patch-type': {
    quote: 'The 1048576-byte cap, 413 and 415 rules apply as for create.',
    wrong: (w) =>
      w.asked('update', (call) => (typeOf(call).startsWith('application/merge-patch+json') ? typed(call) : undefined)),
  },
  'update-no-type-taken': {
    quote: 'A non-empty body must declare `Content-Type: application/json`, or it is refused with 415.',
    wrong: (w) => w.asked('update', (call) => (typeOf(call) === '' && call.text !== '' ? typed(call) : undefined)),
  },
  'update-lost-on-resume': {
    quote: 'Stops the runtime and keeps its disk and configuration for a later provision call.',
    // A change made while suspended is gone after the resumption.
    wrong: (w) => {
      const atSuspension = new Map<string, unknown>();
      return async (call, next) => {
        const response = await next();
        if (!response.ok) return response;
        if (call.op === 'suspend') atSuspension.set(call.id, (await seen(w, call.id)).description);
        if (call.op === 'provision' && atSuspension.has(call.id)) {
          const description = atSuspension.get(call.id);
          atSuspension.delete(call.id);
          if ((await seen(w, call.id)).description !== description) {
            w.hit();
            await w.ask('PATCH', `/interns/${call.id}`, { body: { description: description ?? '' } });
          }
        }
        return response;
      };
    },
  },
};
