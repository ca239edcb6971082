import { type Json, withBody, withHeaders } from '../call.js';
import { bodyOf, bytesOf, CAP, edited, type Fresh, internsOf, now, record, shortened } from './shared.js';

const CHANGES = 'Changes name, description, instructions or model.';
const OMITTED = 'Omitted fields stay unchanged.';
const RULES = 'The 1048576-byte cap, 413 and 415 rules apply as for create.';

export const updates: Fresh = {
  'update-answers-the-record-before': {
    quote:
      'The intern operations return these named types: `InternListResponse` (list), `Intern` (create, get, update)',
    wrong: (w) => async (call, next) => {
      if (call.op !== 'update') return next();
      const before = await record(w, call.id, call.who);
      const response = await next();
      if (!response.ok) return response;
      return edited(w, response, (body) => {
        for (const key of ['name', 'description', 'instructions', 'model']) if (key in before) body[key] = before[key];
      });
    },
  },
  'update-one-field-at-a-time': {
    quote: CHANGES,
    wrong: (w) =>
      w.asked('update', ({ body }) => {
        const [first, ...rest] = Object.entries(body);
        return first === undefined || rest.length === 0 ? undefined : { [first[0]]: first[1] };
      }),
  },
  'update-of-name-clears-description': {
    quote: OMITTED,
    wrong: (w) =>
      w.asked('update', ({ body }) =>
        'name' in body && !('description' in body) ? { ...body, description: null } : undefined,
      ),
  },
  'update-of-nothing-clears-instructions': {
    quote: OMITTED,
    wrong: (w) =>
      w.asked('update', ({ body, text }) =>
        text.trim().startsWith('{') && Object.keys(body).length === 0 ? { instructions: null } : undefined,
      ),
  },
  'update-instructions-appended': {
    quote: CHANGES,
    wrong: (w) => {
      const once = new Set<string>();
      return async (call, next) => {
        const { instructions } = call.body;
        if (call.op !== 'update' || typeof instructions !== 'string') return next();
        if (!once.has(call.id)) {
          const response = await next();
          if (response.ok) once.add(call.id);
          return response;
        }
        const { instructions: before } = await record(w, call.id, call.who);
        if (typeof before !== 'string') return next();
        w.hit();
        return next(withBody(call, { ...call.body, instructions: `${before}\n${instructions}` }));
      };
    },
  },
  'update-shows-when-no-longer-running': {
    quote: CHANGES,
    wrong: (w) => {
      const old = new Map<string, unknown>();
      return async (call, next) => {
        if (call.op === 'update' && 'instructions' in call.body) {
          const before = await record(w, call.id, call.who);
          const response = await next();
          if (response.ok && before.status === 'running' && !old.has(call.id)) old.set(call.id, before.instructions);
          return response;
        }
        const response = await next();
        if (call.op !== 'get' || !response.ok || !old.has(call.id)) return response;
        return edited(w, response, (body) => {
          if (body.status === 'running') body.instructions = old.get(call.id);
          else old.delete(call.id);
        });
      };
    },
  },
  'update-name-lowered': {
    quote: '| name | string | Changeable through `update_intern`. |',
    wrong: (w) =>
      w.asked('update', ({ body }) =>
        typeof body.name === 'string' && body.name !== body.name.toLowerCase()
          ? { ...body, name: body.name.toLowerCase() }
          : undefined,
      ),
  },
  'update-instructions-cut-at-4096': {
    quote: CHANGES,
    wrong: (w) =>
      w.asked('update', ({ body }) =>
        typeof body.instructions === 'string' && body.instructions.length > 4096
          ? { ...body, instructions: body.instructions.slice(0, 4096) }
          : undefined,
      ),
  },
  'update-description-in-latin': {
    quote: CHANGES,
    wrong: (w) =>
      w.asked('update', ({ body }) => {
        const { description } = body;
        if (typeof description !== 'string') return undefined;
        const latin = [...description].map((one) => ((one.codePointAt(0) ?? 0) > 255 ? '?' : one)).join('');
        return latin === description ? undefined : { ...body, description: latin };
      }),
  },
  'update-second-within-a-second-dropped': {
    quote: CHANGES,
    wrong: (w) => {
      const last = new Map<string, number>();
      return async (call, next) => {
        if (call.op !== 'update') return next();
        const before = last.get(call.id);
        if (before === undefined || now(w) - before >= 1000) {
          const response = await next();
          if (response.ok) last.set(call.id, now(w));
          return response;
        }
        const old = await record(w, call.id, call.who);
        const response = await next();
        if (!response.ok) return response;
        const back: Json = {};
        for (const key of Object.keys(call.body)) back[key] = old[key];
        if ((await w.ask('PATCH', `/interns/${call.id}`, { as: call.who, body: back })).ok) w.hit();
        return response;
      };
    },
  },
  'get-cached-five-seconds': {
    quote: 'Returns the public lifecycle state and settings of one visible intern.',
    wrong: (w) => {
      const kept = new Map<string, { at: number; body: Json }>();
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'get' || !response.ok) return response;
        const key = `${call.who} ${call.id}`;
        const last = kept.get(key);
        if (last === undefined || now(w) - last.at > 5000) {
          kept.set(key, { at: now(w), body: await bodyOf(response) });
          return response;
        }
        return edited(w, response, (body) => {
          for (const name of ['name', 'description', 'instructions', 'model']) body[name] = last.body[name];
        });
      };
    },
  },
  'update-of-model-by-resume-only': {
    quote: CHANGES,
    wrong: (w) => {
      const model = new Map<string, unknown>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'create' && response.ok) {
          const made = await bodyOf(response);
          model.set(String(made.id), made.model);
        }
        if (call.op === 'provision' && response.ok) model.delete(call.id);
        if (!['get', 'list'].includes(call.op) || !response.ok) return response;
        return edited(w, response, (body) => {
          for (const one of internsOf(body)) if (model.has(String(one.id))) one.model = model.get(String(one.id));
        });
      };
    },
  },
  'update-cap-decimal-megabyte': {
    quote: RULES,
    wrong: (w) =>
      w.instead('update', ({ text }) => {
        const bytes = bytesOf(text);
        return bytes > 1_000_000 && bytes <= CAP
          ? Response.json(
              {
                error: {
                  code: 413,
                  message: 'Request body exceeds 1048576 bytes',
                  metadata: { reason: 'payload_too_large', retryable: false },
                },
              },
              { status: 413 },
            )
          : undefined;
      }),
  },
  'update-merge-patch-taken': {
    quote: RULES,
    wrong: (w) =>
      w.asked('update', (call) =>
        /^application\/(merge-patch|json-patch)\+json/i.test(call.request.headers.get('content-type') ?? '')
          ? withHeaders(call, { 'content-type': 'application/json' })
          : undefined,
      ),
  },
  'update-type-guessed-from-the-body': {
    quote: RULES,
    wrong: (w) =>
      w.asked('update', (call) =>
        call.request.headers.get('content-type') === null && call.text.startsWith('{')
          ? withHeaders(call, { 'content-type': 'application/json' })
          : undefined,
      ),
  },
  'update-cap-not-checked': {
    quote: RULES,
    wrong: (w) => w.asked('update', (call) => (bytesOf(call.text) > CAP ? shortened(call, 1000) : undefined)),
  },
};
