import { failed } from '../answers.js';
import type { Way } from '../world.js';
import { seen } from './service.js';

export const states: readonly Way[] = [
  {
    name: 'delete-acknowledged-by-false',
    quote: '`acknowledge_workspace_loss` (boolean, true to accept that the workspace is not backed up …)',
    wrong: (w) =>
      w.asked('delete', ({ body }) =>
        body.acknowledge_workspace_loss === false ? { acknowledge_workspace_loss: true } : undefined,
      ),
  },
  {
    name: 'delete-of-suspended-refused',
    quote:
      '| delete_intern | Any visible intern | Starts safe teardown of the intern, its runtime and its private vault. |',
    wrong: (w) => {
      const suspended = new Set<string>();
      return async (call, next) => {
        if (call.op === 'delete' && suspended.has(call.id)) {
          w.hit();
          return failed(409, 'The intern is in a state that does not allow this', 'intern_busy');
        }
        const response = await next();
        if (call.op === 'suspend' && response.ok) suspended.add(call.id);
        if (call.op === 'provision' && response.ok) suspended.delete(call.id);
        return response;
      };
    },
  },
  {
    name: 'suspend-by-second-member-does-nothing',
    quote: '| suspend_intern | Intern runtime is up | Stops the runtime … |',
    wrong: (w) =>
      w.instead('suspend', async ({ who, id, text }) => {
        if (who !== 'peer_api_key' || text !== '') return undefined;
        return (await seen(w, id, who))?.status === 'running' ? Response.json({ suspended: true }) : undefined;
      }),
  },
  {
    name: 'suspend-passes-null-fields',
    quote: 'It takes no request body; a body carrying any field is refused with 400.',
    wrong: (w) =>
      w.asked('suspend', ({ body }) => {
        const values = Object.values(body);
        return values.length > 0 && values.every((value) => value === null) ? {} : undefined;
      }),
  },
  {
    name: 'provision-passes-known-settings',
    quote: 'It takes no request body; a body carrying any field is refused with 400.',
    wrong: (w) =>
      w.asked('provision', ({ body }) => {
        const names = Object.keys(body);
        return names.length > 0 && names.every((name) => ['name', 'model', 'provision'].includes(name))
          ? {}
          : undefined;
      }),
  },
  {
    name: 'resume-works-once',
    quote:
      '| provision_intern | First boot, or the intern is suspended | Starts the first boot, or resumes the intern. |',
    wrong: (w) => {
      const suspensions = new Map<string, number>();
      return async (call, next) => {
        if (call.op === 'provision' && (suspensions.get(call.id) ?? 0) > 1 && call.text === '') {
          if ((await seen(w, call.id, call.who))?.status === 'stopped') {
            w.hit();
            return Response.json({ provisioning: true }, { status: 202 });
          }
        }
        const response = await next();
        if (call.op === 'suspend' && response.ok) suspensions.set(call.id, (suspensions.get(call.id) ?? 0) + 1);
        return response;
      };
    },
  },
];
