import { failed } from '../answers.js';
import type { Json } from '../call.js';
import { withBody } from '../call.js';
import type { Way } from '../world.js';
import { bodyOf, internOf, talking } from './common.js';

const NO_BODY = 'It takes no request body; a body carrying any field is refused with 400.';
const TEARDOWN = 'Starts safe teardown of the intern, its runtime and its private vault.';
const ACKNOWLEDGED = 'Deletes the intern, accepting that its workspace is not backed up.';

const fielded = (body: Json) => Object.keys(body).length > 0;

export const lifecycle: readonly Way[] = [
  {
    name: 'suspend-ignores-its-body',
    quote: NO_BODY,
    wrong: ({ asked }) => asked('suspend', ({ body }) => (fielded(body) ? {} : undefined)),
  },
  {
    name: 'suspend-field-fine-when-stopped',
    quote: NO_BODY,
    wrong: (world) => {
      return async (call, next) => {
        if (call.op !== 'suspend' || !fielded(call.body)) return next();
        if ((await internOf(world, call.id)).status !== 'stopped') return next();
        world.hit();
        return next(withBody(call, {}));
      };
    },
  },
  {
    name: 'provision-unread-unless-json',
    quote: NO_BODY,
    wrong: ({ later, ask }) =>
      later('provision', async ({ status }, { body, id, who, request }) =>
        (status === 400 || status === 415) && fielded(body) && !/json/i.test(request.headers.get('content-type') ?? '')
          ? ask('POST', `/interns/${id}/provision`, { as: who })
          : undefined,
      ),
  },
  {
    name: 'provision-bodied-422',
    quote: '400 when provision or suspend receives a body carrying any field.',
    wrong: ({ later }) =>
      later('provision', ({ status }, { body }) =>
        status === 400 && fielded(body) ? failed(422, 'Invalid request body', 'invalid_body') : undefined,
      ),
  },
  {
    name: 'suspend-bodied-409-when-busy',
    quote: '400 when provision or suspend receives a body carrying any field.',
    wrong: (world) => {
      const { busy, watch } = talking(world);
      return async (call, next) => {
        if (call.op === 'chat') return watch(call, next);
        const response = await next();
        if (call.op !== 'suspend' || response.status !== 400 || !busy(call.id)) return response;
        world.hit();
        return failed(409, 'Intern is busy', 'intern_busy', true);
      };
    },
  },
  {
    name: 'daemon-read-wakes',
    quote: 'Stops the runtime and keeps its disk and configuration for a later provision call.',
    wrong: ({ ask, hit }) => {
      const suspended = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'suspend' && response.ok) suspended.add(call.id);
        if (call.op !== 'daemon' || response.ok || !suspended.has(call.id) || !call.who.includes('oauth'))
          return response;
        suspended.delete(call.id);
        if ((await ask('POST', `/interns/${call.id}/provision`)).ok) hit();
        return response;
      };
    },
  },
  {
    name: 'update-wakes',
    quote: 'Stops the runtime and keeps its disk and configuration for a later provision call.',
    wrong: ({ ask, hit }) => {
      const suspended = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (!response.ok) return response;
        if (call.op === 'suspend') suspended.add(call.id);
        if (call.op === 'update' && suspended.delete(call.id))
          if ((await ask('POST', `/interns/${call.id}/provision`)).ok) hit();
        return response;
      };
    },
  },
  {
    name: 'second-resume-only-answers',
    quote: 'Starts the first boot, or resumes after suspension.',
    wrong: ({ hit }) => {
      const suspensions = new Map<string, number>();
      const resumed = new Map<string, Response>();
      return async (call, next) => {
        if (call.op === 'provision') {
          const kept = resumed.get(call.id);
          if (kept !== undefined && (suspensions.get(call.id) ?? 0) > 1) {
            hit();
            return kept.clone();
          }
        }
        const response = await next();
        if (call.op === 'suspend' && response.ok) suspensions.set(call.id, (suspensions.get(call.id) ?? 0) + 1);
        if (call.op === 'provision' && response.ok && suspensions.has(call.id)) resumed.set(call.id, response.clone());
        return response;
      };
    },
  },
  {
    name: 'later-deletes-only-answer',
    quote: TEARDOWN,
    wrong: ({ hit }) => {
      let first: { readonly id: string; readonly response: Response } | undefined;
      return async (call, next) => {
        if (call.op !== 'delete' || call.who !== 'api_key' || call.text !== '') return next();
        if (first !== undefined && first.id !== call.id) {
          hit();
          const { response } = first;
          const text = (await response.clone().text()).replaceAll(first.id, call.id);
          return new Response(text, { status: response.status, headers: { 'content-type': 'application/json' } });
        }
        const response = await next();
        if (response.ok) first ??= { id: call.id, response: response.clone() };
        return response;
      };
    },
  },
  {
    name: 'deleted-reads-running',
    quote: TEARDOWN,
    wrong: ({ hit }) => {
      const last = new Map<string, Json>();
      const deleted = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'delete' && response.ok) deleted.add(call.id);
        if (call.op !== 'get' || call.who !== 'api_key') return response;
        if (!deleted.has(call.id)) {
          if (response.ok) last.set(call.id, await bodyOf(response));
          return response;
        }
        const kept = last.get(call.id);
        if (kept === undefined || kept.status !== 'running') return response;
        hit();
        return Response.json(kept);
      };
    },
  },
  {
    name: 'deleted-keeps-daemon',
    quote:
      'Returns the origin and the daemon token that attach the terminal client in host mode to one visible, running intern.',
    wrong: ({ hit }) => {
      const last = new Map<string, Response>();
      const deleted = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'delete' && response.ok) deleted.add(call.id);
        if (call.op !== 'daemon' || !call.who.includes('oauth')) return response;
        if (response.ok) last.set(call.id, response.clone());
        const kept = last.get(call.id);
        if (response.ok || kept === undefined || !deleted.has(call.id)) return response;
        hit();
        return kept.clone();
      };
    },
  },
  {
    name: 'deleted-keeps-secrets',
    quote: TEARDOWN,
    wrong: ({ hit }) => {
      const last = new Map<string, Response>();
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'vault-list') return response;
        const at = `${call.who} ${call.id}`;
        if (response.ok) last.set(at, response.clone());
        const kept = last.get(at);
        if (response.status !== 404 || kept === undefined) return response;
        hit();
        return kept.clone();
      };
    },
  },
  {
    name: 'delete-unprovisioned-409',
    quote: 'delete_intern | Any visible intern',
    wrong: (world) => {
      const made = new Set<string>();
      return async (call, next) => {
        if (call.op === 'provision') made.delete(call.id);
        if (call.op === 'delete' && made.has(call.id)) {
          const { status } = await internOf(world, call.id);
          if (typeof status === 'string' && status !== 'running') {
            world.hit();
            return failed(409, 'Intern was never provisioned', 'intern_not_provisioned');
          }
        }
        const response = await next();
        if (call.op === 'create' && response.ok) made.add(String((await bodyOf(response)).id));
        return response;
      };
    },
  },
  {
    name: 'delete-while-talking-409',
    quote: 'delete_intern | Any visible intern',
    wrong: (world) => {
      const { busy, watch } = talking(world);
      return async (call, next) => {
        if (call.op === 'chat') return watch(call, next);
        if (call.op !== 'delete' || !busy(call.id)) return next();
        world.hit();
        return failed(409, 'Intern is busy', 'intern_busy', true);
      };
    },
  },
  {
    name: 'delete-acknowledge-false-400',
    quote: 'The body is optional; the only stated field is `acknowledge_workspace_loss` (boolean',
    wrong: ({ instead }) =>
      instead('delete', ({ body }) =>
        body.acknowledge_workspace_loss === false ? failed(400, 'Invalid request body', 'invalid_body') : undefined,
      ),
  },
  {
    name: 'acknowledgement-lost',
    quote: ACKNOWLEDGED,
    wrong: (world) => {
      return async (call, next) => {
        if (call.op !== 'delete' || call.body.acknowledge_workspace_loss !== true) return next();
        if ((await internOf(world, call.id)).status !== 'destroy_failed') return next();
        world.hit();
        return next(withBody(call, {}));
      };
    },
  },
];
