import { failed } from '../answers.js';
import { withBody } from '../call.js';
import type { Way } from '../world.js';
import { MEMBERS, seen } from './tools.js';

export const teardown: readonly Way[] = [
  // plain
  {
    name: 'delete-only-says-so',
    quote: 'Starts safe teardown of the intern, its runtime and its private vault.',
    wrong: (w) =>
      w.instead('delete', async ({ id, who, text, regional }) =>
        !regional &&
        MEMBERS.includes(who) &&
        text === '' &&
        ['running', 'stopped'].includes(String((await seen(w, id)).status))
          ? Response.json({ deleting: true }, { status: 202 })
          : undefined,
      ),
  },
  // state
  {
    name: 'delete-again-404',
    quote: 'Any visible intern',
    wrong: (w) =>
      w.instead('delete', async ({ id, who, text }) =>
        MEMBERS.includes(who) && text === '' && (await seen(w, id)).status === 'destroying'
          ? failed(404, 'Intern not found', 'not_found')
          : undefined,
      ),
  },
  // state
  {
    name: 'delete-refused-before-first-boot',
    quote: 'Any visible intern',
    wrong: (w) =>
      w.instead('delete', async ({ id, who, text }) => {
        if (!MEMBERS.includes(who) || text !== '') return undefined;
        const { status, hostname } = await seen(w, id);
        return status === 'stopped' && hostname === null
          ? failed(409, 'The intern was never provisioned', 'intern_busy')
          : undefined;
      }),
  },
  // state
  {
    name: 'vault-outlives-its-intern',
    quote: 'Starts safe teardown of the intern, its runtime and its private vault.',
    wrong: (w) => {
      const deleted = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'delete' && response.ok) deleted.add(call.id);
        if (call.op !== 'vault-list' || response.status !== 404 || !deleted.has(call.id)) return response;
        if (![...MEMBERS, 'oauth_token', 'peer_oauth_token'].includes(call.who)) return response;
        w.hit();
        return Response.json({ data: [], has_more: false });
      };
    },
  },
  // state
  {
    name: 'acknowledgement-ignored',
    quote: 'Deletes the intern, accepting that its workspace is not backed up.',
    wrong: (w) => async (call, next) => {
      if (call.op !== 'delete' || call.body.acknowledge_workspace_loss !== true) return next();
      if ((await seen(w, call.id)).status !== 'destroy_failed') return next();
      w.hit();
      return next(withBody(call, {}));
    },
  },
  // subtle
  {
    name: 'acknowledgement-by-presence',
    quote: 'boolean, true to accept that the workspace is not backed up',
    wrong: (w) => async (call, next) => {
      if (call.op !== 'delete' || call.body.acknowledge_workspace_loss !== false) return next();
      if ((await seen(w, call.id)).status !== 'destroy_failed') return next();
      w.hit();
      return next(withBody(call, { acknowledge_workspace_loss: true }));
    },
  },
];
