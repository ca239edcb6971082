import { failed } from '../answers.js';
import { type Json, withBody } from '../call.js';
import { bodyOf, bytesOf, CAP, type Fresh, record } from './shared.js';

const FIELD = 'It takes no request body; a body carrying any field is refused with 400.';
const KEEPS = 'Stops the runtime and keeps its disk and configuration for a later provision call.';
const TEARDOWN = 'Starts safe teardown of the intern, its runtime and its private vault.';

export const lifecycle: Fresh = {
  'second-resume-refused': {
    quote: 'Starts the first boot, or resumes after suspension.',
    wrong: (w) => {
      const suspended = new Map<string, number>();
      return async (call, next) => {
        if (call.op === 'provision' && (suspended.get(call.id) ?? 0) > 1) {
          w.hit();
          return failed(409, 'Intern was resumed already', 'intern_busy');
        }
        const response = await next();
        if (call.op === 'suspend' && response.ok) suspended.set(call.id, (suspended.get(call.id) ?? 0) + 1);
        return response;
      };
    },
  },
  'suspend-restarts-at-once': {
    quote: KEEPS,
    wrong: (w) =>
      w.later('suspend', async (response, { id, who }) => {
        if (response.ok && (await w.ask('POST', `/interns/${id}/provision`, { as: who })).ok) w.hit();
        return undefined;
      }),
  },
  'read-wakes-suspended': {
    quote: KEEPS,
    wrong: (w) =>
      w.later('get', async (response, { id, who }) => {
        if (!response.ok || (await bodyOf(response)).status !== 'stopped') return undefined;
        if ((await w.ask('POST', `/interns/${id}/provision`, { as: who })).ok) w.hit();
        return undefined;
      }),
  },
  'update-wakes-suspended': {
    quote: KEEPS,
    wrong: (w) => {
      const suspended = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'suspend' && response.ok) suspended.add(call.id);
        if (call.op === 'provision') suspended.delete(call.id);
        if (call.op !== 'update' || !response.ok || !suspended.delete(call.id)) return response;
        if ((await w.ask('POST', `/interns/${call.id}/provision`, { as: call.who })).ok) w.hit();
        return response;
      };
    },
  },
  'suspend-forgets-what-was-updated': {
    quote: KEEPS,
    wrong: (w) => {
      const first = new Map<string, Json>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'create' && response.ok) {
          const made = await bodyOf(response);
          first.set(String(made.id), made);
        }
        const made = first.get(call.id);
        if (call.op !== 'suspend' || !response.ok || made === undefined) return response;
        const { name, description } = await record(w, call.id);
        const back = { name: made.name, description: made.description ?? null };
        if (name === back.name && description === back.description) return response;
        if ((await w.ask('PATCH', `/interns/${call.id}`, { body: back })).ok) w.hit();
        return response;
      };
    },
  },
  'provision-field-ok-when-running': {
    quote: FIELD,
    wrong: (w) => async (call, next) => {
      if (call.op !== 'provision' || Object.keys(call.body).length === 0) return next();
      if ((await record(w, call.id)).status !== 'running') return next();
      w.hit();
      return next(withBody(call, '{}'));
    },
  },
  'suspend-field-unread-without-json-type': {
    quote: FIELD,
    wrong: (w) =>
      w.asked('suspend provision', (call) =>
        Object.keys(call.body).length > 0 && !/json/i.test(call.request.headers.get('content-type') ?? '')
          ? {}
          : undefined,
      ),
  },
  'suspend-empty-values-ok': {
    quote: FIELD,
    wrong: (w) =>
      w.asked('suspend', ({ body }) => {
        const values = Object.values(body);
        return values.length > 0 && values.every((one) => !one) ? {} : undefined;
      }),
  },
  'suspend-fields-ignored': {
    quote: FIELD,
    wrong: (w) => w.asked('suspend', ({ body }) => (Object.keys(body).length > 0 ? {} : undefined)),
  },
  'provision-field-422': {
    quote: FIELD,
    wrong: (w) =>
      w.later('provision', (response) =>
        response.status === 400 ? failed(422, 'Invalid request body', 'invalid_body') : undefined,
      ),
  },
  'suspend-field-409-when-stopped': {
    quote: FIELD,
    wrong: (w) =>
      w.later('suspend', async (response, { id }) =>
        response.status === 400 && (await record(w, id)).status !== 'running'
          ? failed(409, 'Intern is not running', 'intern_not_running')
          : undefined,
      ),
  },
  'delete-leaves-it-stopped': {
    quote: TEARDOWN,
    wrong: (w) => {
      const left = new Map<string, Json>();
      return async (call, next) => {
        if (call.op === 'delete') {
          const before = await record(w, call.id, call.who);
          const response = await next();
          if (response.ok && typeof before.id === 'string') left.set(call.id, { ...before, status: 'stopped' });
          return response;
        }
        const kept = left.get(call.id);
        const response = await next();
        if (call.op !== 'get' || kept === undefined || (response.status !== 404 && !response.ok)) return response;
        w.hit();
        return Response.json(kept);
      };
    },
  },
  'delete-keeps-the-vault': {
    quote: TEARDOWN,
    wrong: (w) => {
      const last = new Map<string, Json>();
      return async (call, next) => {
        if (call.op === 'delete') {
          const vault = await w.ask('GET', `/vault/interns/${call.id}/secrets`, { as: call.who });
          const response = await next();
          if (response.ok && vault.ok) last.set(call.id, await bodyOf(vault));
          return response;
        }
        const response = await next();
        const kept = last.get(call.id);
        if (call.op !== 'vault-list' || response.status !== 404 || kept === undefined) return response;
        w.hit();
        return Response.json(kept);
      };
    },
  },
  'delete-keeps-the-runtime': {
    quote: TEARDOWN,
    wrong: (w) => {
      const gone = new Map<string, Json>();
      const seen = new Map<string, Json>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'daemon' && response.ok) seen.set(call.id, await bodyOf(response));
        const access = seen.get(call.id);
        if (call.op === 'delete' && response.ok && access !== undefined) gone.set(call.id, access);
        if (call.op !== 'daemon' || response.ok || response.status === 403 || !gone.has(call.id)) return response;
        w.hit();
        return Response.json(gone.get(call.id), { headers: { 'cache-control': 'no-store' } });
      };
    },
  },
  'delete-refused-type-yet-started': {
    quote: 'The 1048576-byte cap, 413 and 415 rules apply.',
    wrong: (w) =>
      w.later('delete', async (response, { id, who }) => {
        if (response.status !== 415) return undefined;
        if ((await w.ask('DELETE', `/interns/${id}`, { as: who })).ok) w.hit();
        return undefined;
      }),
  },
  'delete-form-taken': {
    quote: 'The 1048576-byte cap, 413 and 415 rules apply.',
    wrong: (w) => async (call, next) => {
      const type = call.request.headers.get('content-type') ?? '';
      if (call.op !== 'delete' || call.text === '' || !/^(application\/x-www-form|text\/)/i.test(type)) return next();
      w.hit();
      return next(withTyped(withBody(call, '{}')));
    },
  },
  'delete-cap-off-by-one': {
    quote: 'The 1048576-byte cap, 413 and 415 rules apply.',
    wrong: (w) => w.asked('delete', ({ text, body }) => (bytesOf(text) === CAP + 1 ? { ...body } : undefined)),
  },
  'delete-acknowledged-without-a-word': {
    quote: 'true to accept that the workspace is not backed up',
    wrong: (w) => async (call, next) => {
      if (call.op !== 'delete' || call.body.acknowledge_workspace_loss === true) return next();
      if ((await record(w, call.id)).status !== 'destroy_failed') return next();
      w.hit();
      const { who, id } = call;
      return w.ask('DELETE', `/interns/${id}`, { as: who, body: { acknowledge_workspace_loss: true } });
    },
  },
  'delete-acknowledgement-ignored': {
    quote: 'Deletes the intern, accepting that its workspace is not backed up.',
    wrong: (w) =>
      w.asked('delete', ({ body }) =>
        body.acknowledge_workspace_loss === true ? { acknowledge_workspace_loss: false } : undefined,
      ),
  },
  'destroy-failed-named-failed': {
    quote: 'One value is `destroy_failed`.',
    wrong: (w) =>
      w.ok('get list', (body) => {
        for (const one of Array.isArray(body.data) ? (body.data as Json[]) : [body])
          if (one.status === 'destroy_failed') one.status = 'failed';
      }),
  },
};

/** The same request, declared as JSON. */
function withTyped(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.set('content-type', 'application/json');
  return new Request(request, { headers });
}
