import { withRequest } from '../../../emulator/wire/request.js';
import { failed } from '../answers.js';
import { jsonIn, recordOf, saidIn, way } from '../blind32/helpers.js';
import { type Call, withBody } from '../call.js';
import type { Way } from '../world.js';
import { closing, served, showing, stopping } from './helpers.js';

const NO_BODY = 'It takes no request body; a body carrying any field is refused with 400.';
const STOPS = '| suspend_intern | Intern runtime is up | Stops the runtime';
const BOOTS = 'Starts the first boot, or resumes after suspension.';
const ANY =
  '| delete_intern | Any visible intern | Starts safe teardown of the intern, its runtime and its private vault. |';
const LOSS = 'the only stated field is `acknowledge_workspace_loss` (boolean, true to accept';

const bare = ({ request }: Call) => withRequest(request, { body: undefined, headers: { 'content-type': undefined } });
const busy = () => failed(409, 'The intern is in a state that does not allow this', 'intern_busy');

export const lifecycle: readonly Way[] = [
  way('field-of-null-is-no-field', NO_BODY, (w) => (call, next) => {
    const values = Object.values(call.body);
    return /^(provision|suspend)$/.test(call.op) && values.length > 0 && values.every((value) => value === null)
      ? served(w, next, bare(call))
      : next();
  }),
  way('suspend-with-fields-is-unprocessable', NO_BODY, (w) =>
    w.later('suspend', ({ status }) =>
      status === 400 ? failed(422, 'Invalid request body', 'invalid_body') : undefined,
    ),
  ),
  way('provision-refused-but-begun', NO_BODY, (w) => {
    const begun = new Set<unknown>();
    return async (call, next) => {
      const response = await next();
      if (call.op === 'provision') {
        if (begun.has(call.id) && response.status === 409) w.hit();
        const refused = response.status === 400 && Object.keys(call.body).length > 0;
        if (refused && (await w.ask('POST', `/interns/${call.id}/provision`, { as: call.who })).ok) begun.add(call.id);
        else if (response.ok) begun.delete(call.id);
      }
      if (call.op === 'suspend' && response.ok) begun.delete(call.id);
      await showing(w, call, response, ({ id, status }) => begun.has(id) && status !== 'stopped');
      return response;
    };
  }),
  way('suspend-refused-but-done', NO_BODY, (w) => {
    const stopped = new Set<unknown>();
    return async (call, next) => {
      const response = await next();
      const refused = call.op === 'suspend' && response.status === 400 && Object.keys(call.body).length > 0;
      if (refused && (await w.ask('POST', `/interns/${call.id}/suspend`, { as: call.who })).ok) stopped.add(call.id);
      if (call.op === 'suspend' && response.status === 409 && stopped.has(call.id)) w.hit();
      if (call.op === 'provision' && response.ok) stopped.delete(call.id);
      await showing(w, call, response, ({ id, status }) => stopped.has(id) && status === 'stopped');
      return response;
    };
  }),
  way('second-resume-does-nothing', BOOTS, (w) => {
    const suspensions = new Map<string, number>();
    const asleep = new Set<unknown>();
    return async (call, next) => {
      const times = suspensions.get(call.id) ?? 0;
      if (call.op === 'provision' && times > 1 && (await recordOf(w, call.id, call.who))?.status === 'stopped') {
        asleep.add(call.id);
        return Response.json({ provisioning: true }, { status: 202 });
      }
      const response = await next();
      if (call.op === 'suspend' && response.ok) suspensions.set(call.id, times + 1);
      await showing(w, call, response, ({ id, status }) => asleep.has(id) && status === 'stopped');
      return response;
    };
  }),
  {
    ...way('suspended-run-speaks-on', STOPS, (w) => {
      const suspended = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'suspend' && response.ok) suspended.add(call.id);
        if (call.op === 'provision' && response.ok) suspended.delete(call.id);
        return w.stream(({ id }) => (_, chunk) => {
          if (suspended.has(id) && saidIn(chunk) !== '') w.hit();
          return undefined;
        })(call, async () => response);
      };
    }),
    factories: (usual) => ({
      createProvisioning: (interns, deps) =>
        usual.createProvisioning(interns, {
          ...deps,
          endRuns: (id, cause) => (cause === 'suspended' ? undefined : deps.endRuns(id, cause)),
        }),
    }),
  },
  way('delete-by-a-peer-unknown', ANY, (w) => {
    const makers = new Map<unknown, string>();
    return async (call, next) => {
      const maker = makers.get(call.id);
      if (call.op === 'delete' && call.who === 'peer_api_key' && maker === 'api_key') {
        w.hit();
        return failed(404, 'Intern not found', 'not_found');
      }
      const response = await next();
      if (call.op === 'create') makers.set((await jsonIn(response))?.id, call.who);
      return response;
    };
  }),
  way('delete-waits-for-the-run', ANY, (w) => {
    const streaming = new Map<string, number>();
    return async (call, next) => {
      if (call.op === 'delete' && (streaming.get(call.id) ?? 0) > 0) {
        w.hit();
        return busy();
      }
      const response = await next();
      if (call.op !== 'chat' || !response.ok) return response;
      streaming.set(call.id, (streaming.get(call.id) ?? 0) + 1);
      let over = false;
      return closing(response, () => {
        if (!over) streaming.set(call.id, (streaming.get(call.id) ?? 1) - 1);
        over = true;
      });
    };
  }),
  way('delete-without-loss-refused', LOSS, (w) =>
    w.later('delete', ({ ok }, { body }) =>
      ok && body.acknowledge_workspace_loss === false ? failed(400, 'Invalid request body', 'invalid_body') : undefined,
    ),
  ),
  way('delete-takes-a-text-for-a-boolean', LOSS, (w) => (call, next) => {
    const loss = call.body.acknowledge_workspace_loss;
    return call.op === 'delete' && (loss === 'true' || loss === 'false')
      ? served(w, next, withBody(call, { acknowledge_workspace_loss: loss === 'true' }))
      : next();
  }),
  way('vault-outlives-its-intern', ANY, (w) => {
    const vaults = new Map<string, unknown>();
    const deleted = new Set<string>();
    return async (call, next) => {
      const response = await next();
      if (call.op === 'delete' && response.ok) deleted.add(call.id);
      if (call.op !== 'vault-list' || call.who === 'foreign_api_key') return response;
      if (response.ok) vaults.set(call.id, await jsonIn(response));
      if (response.status !== 404 || !deleted.has(call.id)) return response;
      w.hit();
      return Response.json(vaults.get(call.id) ?? { data: [], has_more: false });
    };
  }),
  way('deleted-intern-answers-to-get', ANY, (w) => {
    const last = new Map<string, unknown>();
    return async (call, next) => {
      const before = call.op === 'delete' ? await recordOf(w, call.id, call.who) : undefined;
      const response = await next();
      if (before && response.ok) last.set(call.id, before);
      if (call.op !== 'get' || response.status !== 404 || !last.has(call.id) || call.who !== 'peer_api_key')
        return response;
      w.hit();
      return Response.json(last.get(call.id));
    };
  }),
  way('deleted-run-speaks-no-end', ANY, (w) => {
    const deleted = new Set<string>();
    return async (call, next) => {
      if (call.op === 'delete') deleted.add(call.id);
      return w.stream(
        ({ id }) =>
          (_, chunk) =>
            chunk?.error && deleted.has(id) ? stopping(chunk) : undefined,
      )(call, next);
    };
  }),
];
