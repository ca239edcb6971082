import { withRequest } from '../../../emulator/wire/request.js';
import { failed } from '../answers.js';
import { read, recordOf, rowsOf, way } from '../blind32/helpers.js';
import type { Call } from '../call.js';
import type { Way } from '../world.js';

const NO_BODY = 'It takes no request body; a body carrying any field is refused with 400.';
const STOPS = 'Stops the runtime and keeps its disk and configuration for a later provision call.';
const ANY =
  '| delete_intern | Any visible intern | Starts safe teardown of the intern, its runtime and its private vault. |';
const ACCEPTING = 'Deletes the intern, accepting that its workspace is not backed up.';

const hasFields = ({ body }: Call) => Object.keys(body).length > 0;
const bare = ({ request }: Call) => withRequest(request, { body: undefined, headers: { 'content-type': undefined } });

export const lifecycle: readonly Way[] = [
  way('suspend-reads-typed-bodies-only', NO_BODY, (w) =>
    w.asked('suspend', (call) =>
      hasFields(call) && !/json/i.test(call.request.headers.get('content-type') ?? '') ? bare(call) : undefined,
    ),
  ),
  way('resume-takes-fields', NO_BODY, (w) => async (call, next) => {
    const record = call.op === 'provision' && hasFields(call) ? await recordOf(w, call.id, call.who) : undefined;
    if (record?.status !== 'stopped' || record.hostname === null) return next();
    w.hit();
    return next(bare(call));
  }),
  way('suspend-by-the-beginning-of-a-name', STOPS, (w) => async (call, next) => {
    const response = await next();
    const record = call.op === 'suspend' && response.ok ? await recordOf(w, call.id, call.who) : undefined;
    if (record === undefined) return response;
    const list = (await read(w, '/interns?status=running', call.who)) ?? {};
    for (const { id, name } of rowsOf(list)) {
      if (!String(name).startsWith(String(record.name))) continue;
      const stopped = await w.ask('POST', `/interns/${id}/suspend`, { as: call.who });
      if (stopped.ok) w.hit();
    }
    return response;
  }),
  way('delete-of-the-unbooted-refused', ANY, (w) =>
    w.instead('delete', async ({ id, who }) =>
      (await recordOf(w, id, who))?.status === 'failed'
        ? failed(409, 'The intern is in a state that does not allow this', 'intern_busy')
        : undefined,
    ),
  ),
  way('delete-again-gives-the-workspace-up', ACCEPTING, (w) => async (call, next) => {
    const record = call.op === 'delete' ? await recordOf(w, call.id, call.who) : undefined;
    if (record?.status !== 'destroy_failed') return next();
    if (call.body.acknowledge_workspace_loss !== undefined) return next();
    w.hit();
    const body = JSON.stringify({ acknowledge_workspace_loss: true });
    return next(withRequest(call.request, { body, headers: { 'content-type': 'application/json' } }));
  }),
];
