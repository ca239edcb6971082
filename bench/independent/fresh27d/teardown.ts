import { failed } from '../answers.js';
import { withBody } from '../call.js';
import {
  type Area,
  bytesOf,
  CAP,
  eachIntern,
  edited,
  recordOf,
  seen,
  shrunk,
  tooLarge,
  typeOf,
  wrongType,
} from './form.js';

const KEPT = 'Stops the runtime and keeps its disk and configuration for a later provision call.';
const FIELD = 'It takes no request body; a body carrying any field is refused with 400.';

export const teardown: Area = {
  'delete-again-409': {
    quote: 'delete_intern: Any visible intern: Starts safe teardown of the intern, its runtime and its private vault.',
    wrong: (world) => {
      const deleted = new Set<string>();
      return world.later('delete', (response, { id }) => {
        if (!response.ok) return undefined;
        const again = deleted.has(id);
        deleted.add(id);
        return again ? failed(409, 'Intern is being destroyed', 'conflict') : undefined;
      });
    },
  },
  'acknowledgement-lost': {
    quote: 'Deletes the intern, accepting that its workspace is not backed up.',
    wrong: ({ asked }) => asked('delete', ({ body }) => (body.acknowledge_workspace_loss === true ? {} : undefined)),
  },
  'acknowledgement-by-presence': {
    quote:
      'The only stated field is `acknowledge_workspace_loss` (boolean, true to accept that the workspace is not backed up).',
    wrong: ({ asked }) =>
      asked('delete', ({ body }) =>
        body.acknowledge_workspace_loss === false ? { acknowledge_workspace_loss: true } : undefined,
      ),
  },
  'second-delete-acknowledges': {
    quote:
      'The only stated field is `acknowledge_workspace_loss` (boolean, true to accept that the workspace is not backed up).',
    wrong: (world) => {
      const deleted = new Set<string>();
      return async (call, next) => {
        if (call.op !== 'delete') return next();
        if (deleted.has(call.id) && call.text === '' && (await seen(world, call.id)).status === 'destroy_failed') {
          world.hit();
          const body = { acknowledge_workspace_loss: true };
          return world.ask('DELETE', `/interns/${call.id}`, { as: call.who, body });
        }
        deleted.add(call.id);
        return next();
      };
    },
  },
  'unneeded-acknowledgement-refused': {
    quote: 'delete_intern: Any visible intern: Starts safe teardown of the intern, its runtime and its private vault.',
    wrong: (world) => async (call, next) => {
      const early =
        call.op === 'delete' &&
        call.body.acknowledge_workspace_loss === false &&
        (await seen(world, call.id)).status !== 'destroy_failed';
      const response = early ? undefined : await next();
      if (response !== undefined) return response;
      world.hit();
      return failed(400, 'Nothing to acknowledge', 'invalid_body');
    },
  },
  'failure-message-emptied': {
    quote: 'When status is `destroy_failed` it may name `workspace_archive_failed`.',
    wrong: ({ ok }) =>
      ok('get list', (body) =>
        eachIntern(body, (intern) => {
          if (typeof intern.last_failure_message === 'string')
            intern.last_failure_message = intern.last_failure_message.replaceAll(
              'workspace_archive_failed',
              'archive failure',
            );
        }),
      ),
  },
  'failed-teardown-named-failed': {
    quote: 'Known status value of an intern: `destroy_failed`.',
    wrong: ({ ok }) =>
      ok('get list update', (body) =>
        eachIntern(body, (intern) => {
          if (intern.status === 'destroy_failed') intern.status = 'failed';
        }),
      ),
  },
  'deleted-read-from-a-copy': {
    quote: 'Deletes the intern, accepting that its workspace is not backed up.',
    wrong: (world) => {
      const copies = new Map<string, unknown>();
      const acknowledged = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'delete' && response.ok && call.body.acknowledge_workspace_loss === true)
          acknowledged.add(call.id);
        if (call.op !== 'get') return response;
        if (response.ok) copies.set(call.id, await recordOf(response));
        if (response.status !== 404 || !acknowledged.has(call.id) || !copies.has(call.id)) return response;
        world.hit();
        return Response.json(copies.get(call.id));
      };
    },
  },
  'delete-refused-by-type-but-started': {
    quote: 'The 1048576-byte cap, 413 and 415 rules apply.',
    wrong: (world) =>
      world.later('delete', async (response, { id, who }) => {
        if (response.status !== 415) return undefined;
        if ((await world.ask('DELETE', `/interns/${id}`, { as: who })).ok) world.hit();
        return undefined;
      }),
  },
  'delete-large-body-unread': {
    quote: 'The 1048576-byte cap, 413 and 415 rules apply.',
    wrong: (world) =>
      world.later('delete', (response, { text, id, who }) =>
        response.status === 413
          ? world.ask('DELETE', `/interns/${id}`, { as: who, body: shrunk(text) || '{}' })
          : undefined,
      ),
  },
  'delete-cap-of-64k': {
    quote: 'Request body size: 1048576 bytes: create, update, delete, signing; larger gives 413.',
    wrong: ({ later }) =>
      later('delete', (response, { text }) =>
        response.ok && bytesOf(text) > 65_536 && bytesOf(text) <= CAP
          ? failed(413, tooLarge, 'payload_too_large')
          : undefined,
      ),
  },
  'delete-of-nothing-with-type-400': {
    quote: 'The body is optional.',
    wrong: ({ later }) =>
      later('delete', (response, call) =>
        response.ok && call.text === '' && typeOf(call) !== ''
          ? failed(400, 'Invalid JSON', 'invalid_body')
          : undefined,
      ),
  },
  'delete-of-nothing-as-text-415': {
    quote: 'A non-empty body must declare `Content-Type: application/json`, or it is refused with 415.',
    wrong: ({ later }) =>
      later('delete', (response, call) =>
        response.ok && call.text === '' && typeOf(call) !== '' && !/json/i.test(typeOf(call))
          ? failed(415, wrongType, 'unsupported_media_type')
          : undefined,
      ),
  },
  'delete-by-peer-403': {
    quote: 'delete_intern: Any visible intern: Starts safe teardown of the intern, its runtime and its private vault.',
    wrong: ({ instead }) =>
      instead('delete', ({ who }) => (who === 'peer_api_key' ? failed(403, 'Not the owner', 'forbidden') : undefined)),
  },
  'delete-takes-the-neighbour': {
    quote: 'Starts safe teardown of the intern, its runtime and its private vault.',
    wrong: (world) => {
      const made = new Map<string, string>();
      return async (call, next) => {
        const response = await next();
        const { name, id } = call.op === 'create' && response.ok ? await recordOf(response) : {};
        if (typeof name === 'string' && typeof id === 'string') made.set(id, name);
        if (call.op !== 'delete' || !response.ok) return response;
        const start = made.get(call.id)?.slice(0, 6);
        const other = [...made].find(([one, called]) => one !== call.id && called.slice(0, 6) === start)?.[0];
        made.delete(call.id);
        if (other !== undefined && (await world.ask('DELETE', `/interns/${other}`)).ok) {
          made.delete(other);
          world.hit();
        }
        return response;
      };
    },
  },
  'resume-stops-again': {
    unseen: 'the suspend that it sends comes while the intern boots',
    quote: 'Starts the first boot, or resumes the intern.',
    wrong: (world) => {
      const suspended = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'suspend' && response.ok) suspended.add(call.id);
        if (call.op !== 'provision' || !response.ok || !suspended.delete(call.id)) return response;
        if ((await world.ask('POST', `/interns/${call.id}/suspend`)).ok) world.hit();
        return response;
      };
    },
  },
  'resume-brings-the-first-name-back': {
    quote: KEPT,
    wrong: (world) => {
      const names = new Map<string, unknown>();
      const suspended = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'create' && response.ok) {
          const { id, name } = await recordOf(response);
          names.set(String(id), name);
        }
        if (call.op === 'suspend' && response.ok) suspended.add(call.id);
        if (call.op !== 'provision' || !response.ok || !suspended.delete(call.id) || !names.has(call.id))
          return response;
        const name = names.get(call.id);
        if ((await seen(world, call.id)).name !== name) world.hit();
        await world.ask('PATCH', `/interns/${call.id}`, { body: { name } });
        return response;
      };
    },
  },
  'suspend-cuts-the-description': {
    quote: KEPT,
    wrong: (world) =>
      world.later('suspend', async (response, { id }) => {
        if (!response.ok) return undefined;
        const { description } = await seen(world, id);
        if (typeof description !== 'string' || description === '') return undefined;
        if ((await world.ask('PATCH', `/interns/${id}`, { body: { description: '' } })).ok) world.hit();
        return undefined;
      }),
  },
  'suspend-takes-the-neighbour': {
    quote: 'Stops the runtime, keeping disk and configuration.',
    wrong: (world) => {
      const up: string[] = [];
      return async (call, next) => {
        const response = await next();
        if (call.op === 'provision' && response.ok) up.push(call.id);
        if (call.op !== 'suspend' || !response.ok) return response;
        const other = up.findLast((id) => id !== call.id);
        if (other !== undefined && (await world.ask('POST', `/interns/${other}/suspend`)).ok) world.hit();
        return response;
      };
    },
  },
  'provision-wakes-the-neighbour': {
    quote: KEPT,
    wrong: (world) => {
      const down = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'suspend' && response.ok) down.add(call.id);
        if (call.op !== 'provision' || !response.ok) return response;
        down.delete(call.id);
        for (const id of down) {
          down.delete(id);
          if ((await world.ask('POST', `/interns/${id}/provision`)).ok) world.hit();
        }
        return response;
      };
    },
  },
  'peer-provision-403': {
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong: ({ later }) =>
      later('provision suspend', (response, { who }) =>
        response.ok && who === 'peer_api_key' ? failed(403, 'Not the owner', 'forbidden') : undefined,
      ),
  },
  'suspend-takes-false-fields': {
    quote: FIELD,
    wrong: ({ asked }) =>
      asked('suspend', (call) => {
        const values = Object.values(call.body);
        return values.length > 0 && values.every((value) => !value) ? withBody(call, {}) : undefined;
      }),
  },
  'provision-field-422': {
    quote: FIELD,
    wrong: ({ later }) =>
      later('provision', (response, { body }) =>
        response.status === 400 && Object.keys(body).length > 0
          ? failed(422, 'Unexpected field', 'invalid_body')
          : undefined,
      ),
  },
  'suspend-field-without-type-passes': {
    quote: FIELD,
    wrong: (world) =>
      world.later('suspend', (response, call) =>
        response.status === 400 && Object.keys(call.body).length > 0 && !/json/i.test(typeOf(call))
          ? world.ask('POST', `/interns/${call.id}/suspend`, { as: call.who })
          : undefined,
      ),
  },
  'provision-many-fields-pass': {
    quote: FIELD,
    wrong: ({ asked }) =>
      asked('provision', (call) =>
        ['name', 'model', 'force', 'wait'].some((field) => field in call.body) || Object.keys(call.body).length > 1
          ? withBody(call, {})
          : undefined,
      ),
  },
  'get-says-stopped-after-resume': {
    quote: 'Returns the public lifecycle state and settings of one visible intern.',
    wrong: (world) => {
      const stopped = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'suspend' && response.ok) stopped.add(call.id);
        if (call.op === 'update' && response.ok) stopped.delete(call.id);
        if (call.op !== 'get' || !response.ok || !stopped.has(call.id)) return response;
        return edited(response, (body) => {
          if (body.status !== 'running') return;
          world.hit();
          body.status = 'stopped';
        });
      };
    },
  },
};
