import type { Json } from '../call.js';
import { withBody } from '../call.js';
import type { Way } from '../world.js';
import { bodyOf, internOf } from './common.js';

const CHANGES = 'Changes name, description, instructions or model.';
const OMITTED = 'Omitted fields stay unchanged.';
const FIELDS = ['name', 'description', 'instructions', 'model'] as const;

export const updates: readonly Way[] = [
  {
    name: 'name-update-clears-description',
    quote: OMITTED,
    wrong: ({ asked }) =>
      asked('update', ({ body }) =>
        typeof body.name === 'string' && !('description' in body) ? { ...body, description: '' } : undefined,
      ),
  },
  {
    name: 'instructions-appended',
    quote: CHANGES,
    wrong: (world) => {
      return async (call, next) => {
        const { instructions } = call.body;
        if (call.op !== 'update' || typeof instructions !== 'string' || instructions === '') return next();
        const before = (await internOf(world, call.id)).instructions;
        if (typeof before !== 'string' || before === '') return next();
        world.hit();
        return next(withBody(call, { ...call.body, instructions: `${before}\n${instructions}` }));
      };
    },
  },
  {
    name: 'instructions-cut-at-1000',
    quote: CHANGES,
    wrong: ({ asked }) =>
      asked('update', ({ body }) =>
        typeof body.instructions === 'string' && body.instructions.length > 1000
          ? { ...body, instructions: body.instructions.slice(0, 1000) }
          : undefined,
      ),
  },
  {
    name: 'description-escaped',
    quote: CHANGES,
    wrong: ({ asked }) =>
      asked('update', ({ body }) =>
        typeof body.description === 'string' && /[&<>]/.test(body.description)
          ? {
              ...body,
              description: body.description.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;'),
            }
          : undefined,
      ),
  },
  {
    name: 'update-answers-the-old',
    quote: CHANGES,
    wrong: (world) => {
      return async (call, next) => {
        if (call.op !== 'update') return next();
        const before = await internOf(world, call.id);
        return world.ok('update', (body) => {
          for (const field of FIELDS) if (field in body && field in before) body[field] = before[field];
        })(call, next);
      };
    },
  },
  {
    name: 'only-first-field-kept',
    quote: CHANGES,
    wrong: ({ asked }) =>
      asked('update', ({ body }) => {
        const [first, ...rest] = FIELDS.filter((field) => field in body);
        return first === undefined || rest.length === 0 ? undefined : { [first]: body[first] };
      }),
  },
  {
    name: 'update-writes-a-stale-copy',
    quote: OMITTED,
    wrong: (world) => {
      const { hit, setting } = world;
      const copies = new Map<string, { readonly at: number; readonly record: Json }>();
      return async (call, next) => {
        if (call.op !== 'update') return next();
        const kept = copies.get(call.id);
        if (kept === undefined || setting.host.now() - kept.at > 3000) {
          copies.set(call.id, { at: setting.host.now(), record: await internOf(world, call.id) });
          return next();
        }
        const known = Object.keys(call.body).filter((field) => (FIELDS as readonly string[]).includes(field));
        if (known.length === 0) return next();
        hit();
        const old = Object.fromEntries(
          FIELDS.filter((field) => kept.record[field] != null).map((field) => [field, kept.record[field]]),
        );
        return next(withBody(call, { ...old, ...call.body }));
      };
    },
  },
  {
    name: 'get-keeps-status-three-seconds',
    quote: 'Returns the public lifecycle state and settings of one visible intern.',
    wrong: ({ ok, setting: { host } }) => {
      const kept = new Map<string, { readonly at: number; readonly status: unknown }>();
      return ok('get', (body, { id }) => {
        const one = kept.get(id);
        if (one !== undefined && host.now() - one.at < 3000) body.status = one.status;
        else kept.set(id, { at: host.now(), status: body.status });
      });
    },
  },
  {
    name: 'wrong-type-refused-but-done',
    quote: 'The 1048576-byte cap, 413 and 415 rules apply as for create.',
    wrong: ({ ask, hit }) => {
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'update' || response.status !== 415 || Object.keys(call.body).length === 0) return response;
        const done = await ask('PATCH', `/interns/${call.id}`, { as: call.who, body: call.body });
        if (done.ok) hit();
        return response;
      };
    },
  },
  {
    name: 'model-answered-not-kept',
    quote: CHANGES,
    wrong: ({ hit, ok }) => {
      return async (call, next) => {
        const { model, ...rest } = call.body;
        if (call.op !== 'update' || typeof model !== 'string' || Object.keys(rest).length === 0) return next();
        hit();
        return ok('update', (body) => {
          body.model = model;
        })(call, () => next(withBody(call, rest)));
      };
    },
  },
  {
    name: 'resume-restores-created-settings',
    quote: 'Stops the runtime and keeps its disk and configuration for a later provision call.',
    wrong: ({ ask, hit }) => {
      const made = new Map<string, Json>();
      const suspended = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (!response.ok) return response;
        if (call.op === 'create') {
          const body = await bodyOf(response);
          made.set(String(body.id), body);
        }
        if (call.op === 'suspend') suspended.add(call.id);
        const first = made.get(call.id);
        if (call.op === 'provision' && suspended.has(call.id) && first !== undefined) {
          const { name, description } = first;
          const body = { ...(name == null ? {} : { name }), ...(description == null ? {} : { description }) };
          if ((await ask('PATCH', `/interns/${call.id}`, { body })).ok) hit();
        }
        return response;
      };
    },
  },
  {
    name: 'own-key-description-changed-behind-404',
    quote: "An intern's own key sees only that intern, and everything else answers 404.",
    wrong: ({ ask, hit }) => {
      return async (call, next) => {
        const response = await next();
        const { description } = call.body;
        if (call.op !== 'update' || response.status !== 404 || typeof description !== 'string') return response;
        if (call.who !== 'own_key') return response;
        if ((await ask('PATCH', `/interns/${call.id}`, { body: { description } })).ok) hit();
        return response;
      };
    },
  },
];
