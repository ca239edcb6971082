import { failed } from '../answers.js';
import { type Json, withBody } from '../call.js';
import { type Area, edited, recordOf, seen, typeOf, wrongType } from './form.js';

const FIELDS = ['name', 'description', 'instructions', 'model'];

export const updates: Area = {
  'name-update-clears-description': {
    quote: 'Omitted fields stay unchanged.',
    wrong: ({ asked }) =>
      asked('update', ({ body }) =>
        'name' in body && !('description' in body) ? { ...body, description: '' } : undefined,
      ),
  },
  'instructions-update-resets-model': {
    quote: 'Omitted fields stay unchanged.',
    wrong: (world) => {
      const models = new Map<string, unknown>();
      return async (call, next) => {
        if (call.op === 'update' && 'instructions' in call.body && !('model' in call.body) && models.has(call.id)) {
          const model = models.get(call.id);
          if ((await seen(world, call.id)).model !== model) world.hit();
          return next(withBody(call, { ...call.body, model }));
        }
        const response = await next();
        if (call.op === 'create' && response.ok) {
          const { id, model } = await recordOf(response);
          models.set(String(id), model);
        }
        return response;
      };
    },
  },
  'update-answers-the-old-record': {
    quote: 'Changes name, description, instructions or model. Response `Intern`.',
    wrong: (world) => async (call, next) => {
      if (call.op !== 'update') return next();
      const old = await seen(world, call.id, call.who);
      const response = await next();
      if (!response.ok) return response;
      return edited(response, (body) => {
        for (const field of FIELDS)
          if (field in old && body[field] !== old[field]) {
            body[field] = old[field];
            world.hit();
          }
      });
    },
  },
  'update-of-two-fields-takes-the-first': {
    quote: 'Changes name, description, instructions or model.',
    wrong: ({ asked }) =>
      asked('update', ({ body }) => {
        const given = FIELDS.filter((field) => field in body);
        return given.length > 1 ? { [given[0] ?? '']: body[given[0] ?? ''] } : undefined;
      }),
  },
  'model-of-the-running-kept': {
    quote: 'Changes name, description, instructions or model.',
    wrong: (world) => async (call, next) => {
      if (call.op !== 'update' || !('model' in call.body) || (await seen(world, call.id)).status !== 'running')
        return next();
      const { model: _, ...rest } = call.body;
      world.hit();
      return next(withBody(call, rest));
    },
  },
  'get-five-seconds-behind-updates': {
    quote: 'Returns the public lifecycle state and settings of one visible intern.',
    wrong: (world) => {
      const old = new Map<string, { at: number; intern: Json }>();
      return async (call, next) => {
        const now = world.setting.host.now();
        const before = call.op === 'update' ? await seen(world, call.id) : {};
        const response = await next();
        if (call.op === 'update' && response.ok) old.set(call.id, { at: now, intern: before });
        const known = old.get(call.id);
        if (call.op !== 'get' || !response.ok || !known || now - known.at > 5000) return response;
        return edited(response, (body) => {
          for (const field of FIELDS)
            if (field in known.intern && body[field] !== known.intern[field]) {
              body[field] = known.intern[field];
              world.hit();
            }
        });
      };
    },
  },
  'instructions-appended': {
    quote: 'Changes name, description, instructions or model.',
    wrong: (world) => async (call, next) => {
      const { instructions } = call.body;
      if (call.op !== 'update' || typeof instructions !== 'string') return next();
      const old = (await seen(world, call.id)).instructions;
      if (typeof old !== 'string' || old === '' || old === instructions) return next();
      world.hit();
      return next(withBody(call, { ...call.body, instructions: `${old}\n${instructions}` }));
    },
  },
  'instructions-lines-joined': {
    quote: 'Changes name, description, instructions or model.',
    wrong: ({ asked }) =>
      asked('update', ({ body }) =>
        typeof body.instructions === 'string' && body.instructions.includes('\n')
          ? { ...body, instructions: body.instructions.replaceAll(/\s*\n\s*/g, ' ') }
          : undefined,
      ),
  },
  'description-escaped-as-html': {
    quote: 'Changes name, description, instructions or model.',
    wrong: ({ asked }) =>
      asked('update', ({ body }) =>
        typeof body.description === 'string' && /[&<>"']/.test(body.description)
          ? {
              ...body,
              description: body.description.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll("'", '&#39;'),
            }
          : undefined,
      ),
  },
  'update-to-its-own-name-409': {
    quote: 'Changes name, description, instructions or model.',
    wrong: (world) => async (call, next) => {
      const same =
        call.op === 'update' &&
        typeof call.body.name === 'string' &&
        (await seen(world, call.id)).name === call.body.name;
      const response = await next();
      if (!same || !response.ok) return response;
      world.hit();
      return failed(409, 'Name already taken', 'name_conflict');
    },
  },
  'update-wakes-the-suspended': {
    quote: 'Stops the runtime and keeps its disk and configuration for a later provision call.',
    wrong: (world) => {
      const suspended = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'suspend' && response.ok) suspended.add(call.id);
        if (call.op === 'update' && response.ok && suspended.delete(call.id)) {
          if ((await world.ask('POST', `/interns/${call.id}/provision`)).ok) world.hit();
        }
        return response;
      };
    },
  },
  'peers-updates-not-kept': {
    quote: 'Changes name, description, instructions or model.',
    wrong: (world) => async (call, next) => {
      if (call.op !== 'update' || call.who !== 'peer_api_key') return next();
      const old = await seen(world, call.id);
      const response = await next();
      if (!response.ok) return response;
      const body = Object.fromEntries(FIELDS.filter((field) => field in old).map((field) => [field, old[field]]));
      if ((await world.ask('PATCH', `/interns/${call.id}`, { body })).ok) world.hit();
      return response;
    },
  },
  'second-of-two-quick-updates-undoes-the-first': {
    quote: 'Omitted fields stay unchanged.',
    wrong: (world) => {
      const last = new Map<string, { at: number; old: Json }>();
      return async (call, next) => {
        if (call.op !== 'update') return next();
        const now = world.setting.host.now();
        const old = await seen(world, call.id);
        const known = last.get(call.id);
        let sent = call.request;
        if (known && now - known.at < 2000) {
          const back = Object.fromEntries(
            FIELDS.filter(
              (field) => !(field in call.body) && field in known.old && known.old[field] !== old[field],
            ).map((field) => [field, known.old[field]]),
          );
          if (Object.keys(back).length > 0 && Object.keys(call.body).length > 0) {
            world.hit();
            sent = withBody(call, { ...back, ...call.body });
          }
        }
        const response = await next(sent);
        if (response.ok) last.set(call.id, { at: now, old });
        return response;
      };
    },
  },
  'update-refused-by-type-but-done': {
    quote: 'The 1048576-byte cap, 413 and 415 rules apply as for create.',
    wrong: (world) =>
      world.later('update', async (response, { text, who, id }) => {
        if (response.status !== 415) return undefined;
        if ((await world.ask('PATCH', `/interns/${id}`, { as: who, body: text })).ok) world.hit();
        return undefined;
      }),
  },
  'update-type-by-its-beginning': {
    quote: 'The 1048576-byte cap, 413 and 415 rules apply as for create.',
    wrong: (world) =>
      world.later('update', (response, call) =>
        response.status === 415 && /^application\/json[^;\s]/i.test(typeOf(call))
          ? world.ask('PATCH', `/interns/${call.id}`, { as: call.who, body: call.text })
          : undefined,
      ),
  },
  'update-415-for-charset': {
    quote: 'The 1048576-byte cap, 413 and 415 rules apply as for create.',
    wrong: ({ later }) =>
      later('update', (response, call) =>
        response.ok && typeOf(call).includes(';') ? failed(415, wrongType, 'unsupported_media_type') : undefined,
      ),
  },
  'model-update-spreads-to-neighbours': {
    quote: 'Changes name, description, instructions or model.',
    wrong: (world) => {
      const last = new Map<string, string>();
      return world.later('update', async (response, { id, who, body }) => {
        const before = last.get(who);
        last.set(who, id);
        if (!response.ok || !('model' in body) || before === undefined || before === id) return undefined;
        const done = await world.ask('PATCH', `/interns/${before}`, { as: who, body: { model: body.model } });
        if (done.ok) world.hit();
        return undefined;
      });
    },
  },
};
