import { failed } from '../answers.js';
import { withBody, withHeaders } from '../call.js';
import { bodyOf, bytes, fieldsOf, type Part, remade, seen, typeOf } from './parts.js';

export const teardown: Part = {
  'delete-ack-by-presence': {
    quote: 'acknowledge_workspace_loss` (boolean, true to accept that the workspace is not backed up',
    wrong: (w) =>
      w.asked('delete', ({ body }) =>
        body.acknowledge_workspace_loss === false ? { ...body, acknowledge_workspace_loss: true } : undefined,
      ),
  },
  'delete-ack-ignored': {
    quote: 'Deletes the intern, accepting that its workspace is not backed up.',
    wrong: (w) =>
      w.asked('delete', ({ body }) =>
        body.acknowledge_workspace_loss === true ? { ...body, acknowledge_workspace_loss: false } : undefined,
      ),
  },
  'delete-ack-for-any-retry': {
    quote: 'delete_intern with `acknowledge_workspace_loss` true',
    // A second deletion counts as acknowledged.
    wrong: (w) => async (call, next) => {
      if (call.op !== 'delete' || 'acknowledge_workspace_loss' in call.body) return next();
      if ((await seen(w, call.id)).status !== 'destroy_failed') return next();
      w.hit();
      const request = call.text === '' ? withHeaders(call, { 'content-type': 'application/json' }) : call.request;
      return next(withBody({ ...call, request }, { acknowledge_workspace_loss: true }));
    },
  },
  'delete-by-creator-only': {
    quote: 'delete_intern | Any visible intern',
    wrong: (w) => {
      const creator = new Map<string, string>();
      return async (call, next) => {
        const by = creator.get(call.id);
        if (call.op === 'delete' && by !== undefined && by !== call.who && call.who === 'peer_api_key') {
          w.hit();
          return failed(404, 'Intern not found', 'not_found');
        }
        const response = await next();
        if (call.op === 'create' && response.ok) creator.set(String((await bodyOf(response)).id), call.who);
        return response;
      };
    },
  },
  'delete-before-boot-409': {
    quote: 'delete_intern | Any visible intern | Starts safe teardown',
    // An intern that never booted has nothing to tear down.
    wrong: (w) => {
      const waiting = new Map<string, unknown>();
      return async (call, next) => {
        if (call.op === 'delete' && call.text === '' && waiting.has(call.id)) {
          const { status } = await seen(w, call.id, call.who);
          if (status !== undefined && status !== 'running' && status === waiting.get(call.id)) {
            w.hit();
            return failed(409, 'Intern was never provisioned', 'not_provisioned');
          }
        }
        const response = await next();
        if (call.op === 'provision') waiting.delete(call.id);
        if (call.op === 'create' && response.ok) {
          const { id, status } = await bodyOf(response);
          waiting.set(String(id), status);
        }
        return response;
      };
    },
  },
  'delete-typed-empty-400': {
    quote: 'The body is optional',
    // A declared type makes the parser read the empty body.
    wrong: (w) =>
      w.later('delete', (response, call) =>
        response.ok && call.text === '' && typeOf(call).startsWith('application/json')
          ? failed(400, 'Invalid request body', 'invalid_body')
          : undefined,
      ),
  },
  'delete-other-type-empty-415': {
    quote: 'A non-empty body must declare `Content-Type: application/json`',
    wrong: (w) =>
      w.later('delete', (response, call) =>
        response.ok && call.text === '' && !/^(?:application\/json.*)?$/.test(typeOf(call))
          ? failed(415, 'Request body must be sent as application/json', 'unsupported_media_type')
          : undefined,
      ),
  },
  'delete-charset-415': {
    quote: 'The 1048576-byte cap, 413 and 415 rules apply.',
    wrong: (w) =>
      w.later('delete', (response, call) =>
        response.ok && /^application\/json\s*;/.test(typeOf(call))
          ? failed(415, 'Request body must be sent as application/json', 'unsupported_media_type')
          : undefined,
      ),
  },
  'delete-cap-of-1-kB': {
    quote: 'The 1048576-byte cap, 413 and 415 rules apply.',
    wrong: (w) =>
      w.later('delete', (response, { text }) =>
        response.ok && bytes(text) > 1024
          ? failed(413, 'Request body exceeds 1024 bytes', 'payload_too_large')
          : undefined,
      ),
  },
  'delete-wrong-type-acts': {
    quote: 'A non-empty body must declare `Content-Type: application/json`, or it is refused with 415.',
    wrong: (w) => async (call, next) => {
      const response = await next();
      if (call.op !== 'delete' || response.status !== 415) return response;
      if ((await w.ask('DELETE', `/interns/${call.id}`, { as: call.who })).ok) w.hit();
      return response;
    },
  },
  'delete-daemon-stays': {
    quote: 'get_intern_daemon | Intern is visible and running',
    wrong: (w) => {
      const kept = new Map<string, string>();
      const deleted = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'delete' && response.ok) deleted.add(call.id);
        if (call.op !== 'daemon') return response;
        if (response.ok) kept.set(`${call.who} ${call.id}`, await response.clone().text());
        const last = kept.get(`${call.who} ${call.id}`);
        if (response.ok || last === undefined || !deleted.has(call.id)) return response;
        w.hit();
        return new Response(last, {
          status: 200,
          headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
        });
      };
    },
  },
  'suspend-stops-the-sibling': {
    quote: 'suspend_intern | Intern runtime is up | Stops the runtime',
    // The intern made just before stops as well.
    wrong: (w) => {
      const made: string[] = [];
      return async (call, next) => {
        const response = await next();
        if (!response.ok) return response;
        if (call.op === 'create') made.push(String((await bodyOf(response)).id));
        const sibling = made[made.indexOf(call.id) - 1];
        if (call.op === 'suspend' && sibling !== undefined)
          if ((await w.ask('POST', `/interns/${sibling}/suspend`)).ok) w.hit();
        return response;
      };
    },
  },
  'second-resume-does-nothing': {
    quote: 'Starts the first boot, or resumes after suspension.',
    wrong: (w) => {
      const suspensions = new Map<string, number>();
      const answers = new Map<string, Response>();
      return async (call, next) => {
        const count = suspensions.get(call.id) ?? 0;
        const last = answers.get(call.id);
        if (call.op === 'provision' && count > 1 && last !== undefined && fieldsOf(call) === 0) {
          w.hit();
          return last.clone();
        }
        const response = await next();
        if (call.op === 'suspend' && response.ok) suspensions.set(call.id, count + 1);
        if (call.op === 'provision' && response.ok && count === 1) answers.set(call.id, response.clone());
        return response;
      };
    },
  },
  'suspend-ignores-body': {
    quote: 'It takes no request body; a body carrying any field is refused with 400.',
    wrong: (w) => w.asked('suspend', (call) => (fieldsOf(call) > 0 ? {} : undefined)),
  },
  'provision-known-field-taken': {
    quote: 'It takes no request body; a body carrying any field is refused with 400.',
    // Fields of the record are let through.
    wrong: (w) =>
      w.asked('provision', (call) =>
        Object.keys(call.body).some((field) => ['name', 'model', 'workspace_id', 'id'].includes(field))
          ? {}
          : undefined,
      ),
  },
  'suspend-false-field-taken': {
    quote: 'It takes no request body; a body carrying any field is refused with 400.',
    wrong: (w) =>
      w.asked('suspend', (call) =>
        fieldsOf(call) > 0 && Object.values(call.body).every((value) => !value) ? {} : undefined,
      ),
  },
  'suspend-field-422': {
    quote: '400 when provision or suspend receives a body carrying any field.',
    wrong: (w) =>
      w.later('suspend provision', async (response, call) => {
        if (response.status !== 400 || fieldsOf(call) === 0) return undefined;
        const body = await bodyOf(response);
        return remade(response, { error: { ...(body.error as object), code: 422 } }, 422);
      }),
  },
  'provision-400-no-metadata': {
    quote: 'The `metadata` object is absent on the 401 error of the signing route and on all SCIM errors.',
    wrong: (w) =>
      w.error('provision', 400, (error) => {
        delete error.metadata;
      }),
  },
  'suspend-forgets-sessions': {
    quote: 'Sending the same `session_id` later continues the conversation.',
    // A resumed intern knows none of the earlier sessions.
    wrong: (w) => {
      const suspended = new Set<string>();
      const before = new Map<string, string>();
      return async (call, next) => {
        const { session_id } = call.body;
        if (call.op === 'invoke' && typeof session_id === 'string' && suspended.has(before.get(session_id) ?? '')) {
          const response = await next();
          if (response.status !== 202) return response;
          w.hit();
          return failed(404, 'Session not found', 'not_found');
        }
        const response = await next();
        if (call.op === 'suspend' && response.ok) suspended.add(call.id);
        if (call.op === 'invoke' && response.ok && !suspended.has(call.id))
          before.set(String((await bodyOf(response)).session_id), call.id);
        return response;
      };
    },
  },
};
