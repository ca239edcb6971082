import { failed } from '../answers.js';
import { withHeaders } from '../call.js';
import { type Area, bytesOf, CAP, eachIntern, edited, recordOf, shrunk, typeOf, wrongType } from './form.js';

const keyOf = (request: Request) => request.headers.get('idempotency-key');

export const creates: Area = {
  'retry-makes-another': {
    quote: 'A retry with the same idempotency key and the same body resumes unfinished work.',
    wrong: (world) => {
      const used = new Set<string>();
      return world.asked('create', (call) => {
        const key = keyOf(call.request);
        if (key === null) return undefined;
        const again = used.has(`${call.who} ${key}`);
        used.add(`${call.who} ${key}`);
        return again ? withHeaders(call, { 'idempotency-key': `${key}-2` }) : undefined;
      });
    },
  },
  'retry-after-a-minute-makes-another': {
    quote: 'A retry with the same idempotency key and the same body resumes unfinished work.',
    wrong: (world) => {
      const used = new Map<string, number>();
      return world.asked('create', (call) => {
        const key = keyOf(call.request);
        if (key === null) return undefined;
        const now = world.setting.host.now();
        const at = used.get(`${call.who} ${key}`);
        if (at === undefined) used.set(`${call.who} ${key}`, now);
        return at !== undefined && now - at > 60_000
          ? withHeaders(call, { 'idempotency-key': `${key}-${now}` })
          : undefined;
      });
    },
  },
  'retry-after-suspend-conflicts': {
    quote: 'A retry with the same idempotency key and the same body resumes unfinished work.',
    wrong: (world) => {
      const ids = new Map<string, string>();
      const suspended = new Set<string>();
      return async (call, next) => {
        const key = `${call.who} ${keyOf(call.request)}`;
        if (call.op === 'create' && suspended.has(ids.get(key) ?? '')) {
          world.hit();
          return failed(409, 'Idempotency key already used', 'idempotency_conflict');
        }
        const response = await next();
        if (call.op === 'suspend' && response.ok) suspended.add(call.id);
        if (call.op === 'create' && response.ok && keyOf(call.request) !== null)
          ids.set(key, String((await recordOf(response)).id));
        return response;
      };
    },
  },
  'idempotency-key-of-anybody': {
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong: (world) => {
      const first = new Map<string, { who: string; intern: unknown }>();
      return async (call, next) => {
        const key = call.op === 'create' ? keyOf(call.request) : null;
        const known = key === null ? undefined : first.get(key);
        const response = await next();
        if (key === null || !response.ok) return response;
        if (known !== undefined && known.who !== call.who) {
          world.hit();
          return Response.json(known.intern, { status: response.status });
        }
        first.set(key, { who: call.who, intern: await recordOf(response) });
        return response;
      };
    },
  },
  'second-retry-refused': {
    quote: 'A retry with the same idempotency key and the same body resumes unfinished work.',
    wrong: (world) => {
      const tries = new Map<string, number>();
      return world.later('create', (response, { who, request }) => {
        const key = `${who} ${keyOf(request)}`;
        if (keyOf(request) === null || !response.ok) return undefined;
        tries.set(key, (tries.get(key) ?? 0) + 1);
        return (tries.get(key) ?? 0) > 2 ? failed(422, 'Too many retries', 'too_many_retries') : undefined;
      });
    },
  },
  'create-refused-by-type-but-made': {
    quote: 'A non-empty body must declare `Content-Type: application/json`, or it is refused with 415.',
    wrong: (world) =>
      world.later('create', async (response, { text, who }) => {
        if (response.status !== 415) return undefined;
        if ((await world.ask('POST', '/interns', { as: who, body: text })).ok) world.hit();
        return undefined;
      }),
  },
  'create-cap-in-characters': {
    quote: 'The body is capped at 1048576 bytes, and a larger body is refused with 413.',
    wrong: (world) =>
      world.later('create', (response, { text, who }) =>
        response.status === 413 && text.length <= CAP
          ? world.ask('POST', '/interns', { as: who, body: shrunk(text) })
          : undefined,
      ),
  },
  'create-cap-of-a-million': {
    quote: 'The body is capped at 1048576 bytes, and a larger body is refused with 413.',
    wrong: ({ instead }) =>
      instead('create', ({ text, who }) =>
        who.endsWith('api_key') && who !== 'outsider_api_key' && bytesOf(text) > 1_000_000 && bytesOf(text) <= CAP
          ? failed(413, 'Request body exceeds 1000000 bytes', 'payload_too_large')
          : undefined,
      ),
  },
  'create-cap-of-one-more': {
    quote: 'The body is capped at 1048576 bytes, and a larger body is refused with 413.',
    wrong: (world) =>
      world.later('create', (response, { text, who }) =>
        response.status === 413 && bytesOf(text) === CAP + 1
          ? world.ask('POST', '/interns', { as: who, body: shrunk(text) })
          : undefined,
      ),
  },
  'create-space-counts-not': {
    quote: 'The body is capped at 1048576 bytes, and a larger body is refused with 413.',
    wrong: (world) =>
      world.later('create update', (response, { text, who, op, id }) =>
        response.status === 413 && bytesOf(text.trim()) <= CAP
          ? world.ask(op === 'create' ? 'POST' : 'PATCH', op === 'create' ? '/interns' : `/interns/${id}`, {
              as: who,
              body: text.trim(),
            })
          : undefined,
      ),
  },
  'create-upper-case-type-415': {
    quote: 'A non-empty body must declare `Content-Type: application/json`, or it is refused with 415.',
    wrong: ({ later }) =>
      later('create', (response, call) =>
        response.ok && /[A-Z]/.test(typeOf(call).split(';')[0] ?? '')
          ? failed(415, wrongType, 'unsupported_media_type')
          : undefined,
      ),
  },
  'create-type-of-quoted-charset-415': {
    quote: 'A non-empty body must declare `Content-Type: application/json`, or it is refused with 415.',
    wrong: ({ later }) =>
      later('create update sign', (response, call) =>
        response.ok && /^application\/json ?;.*(["]| ;|;$)/i.test(typeOf(call))
          ? failed(415, wrongType, 'unsupported_media_type')
          : undefined,
      ),
  },
  'create-instructions-lost-without-description': {
    quote: 'Creates an intern in an explicit workspace and its private vault.',
    wrong: ({ asked }) =>
      asked('create', ({ body }) => {
        if (!('instructions' in body) || 'description' in body) return undefined;
        const { instructions: _, ...rest } = body;
        return rest;
      }),
  },
  'create-answer-of-the-one-before': {
    quote: 'create_intern: Response `Intern`.',
    wrong: (world) => {
      const before = new Map<string, string>();
      return world.later('create', async (response, { who, request }) => {
        if (!response.ok || keyOf(request) === null) return undefined;
        const id = String((await recordOf(response)).id);
        const last = before.get(who);
        before.set(who, id);
        if (last === undefined || last === id) return undefined;
        return edited(response, (body) => {
          body.id = last;
        });
      });
    },
  },
  'workspace-of-the-stopped-mixed-up': {
    quote: 'Creates an intern in an explicit workspace and its private vault.',
    wrong: (world) =>
      world.ok('get list', (body) =>
        eachIntern(body, (intern) => {
          if (typeof intern.workspace_id === 'string' && intern.status === 'stopped')
            intern.workspace_id = world.workspaces.foreign || 'default';
        }),
      ),
  },
};
