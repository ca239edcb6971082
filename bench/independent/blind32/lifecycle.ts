import { failed } from '../answers.js';
import type { Json } from '../call.js';
import type { Way } from '../world.js';
import { finishing, finishOf, recordOf, records, way } from './helpers.js';

const TEARDOWN = 'Starts safe teardown of the intern, its runtime and its private vault.';
const ANY = 'delete_intern: Any visible intern: Starts safe teardown';
const ACKNOWLEDGED =
  'Intern is `destroy_failed` and `last_failure_message` names `workspace_archive_failed`: Deletes the intern, accepting that its workspace is not backed up.';
const TRUE_ONLY = '`acknowledge_workspace_loss` (boolean, true to accept that the workspace is not backed up)';
const OPTIONAL = 'The body is optional';
const FIRST_BOOT = 'Starts the first boot, or resumes after suspension.';
const NO_BODY = 'It takes no request body; a body carrying any field is refused with 400.';
const KEEPS = 'Stops the runtime, keeping disk and configuration.';
const STOPS = 'Stops the runtime and keeps its disk and configuration for a later provision call.';

const busy = () => failed(409, 'The intern is in a state that does not allow this', 'intern_busy');
const booted = (record: Json | undefined) => typeof record?.hostname === 'string';
const fieldless = (body: Json) =>
  Object.values(body).every((value) => value === null || value === false || value === '');

export const lifecycle: readonly Way[] = [
  way('delete-acknowledged-by-false', TRUE_ONLY, (w) =>
    w.asked('delete', ({ body }) =>
      body.acknowledge_workspace_loss === false ? { acknowledge_workspace_loss: true } : undefined,
    ),
  ),
  way('delete-acknowledged-the-second-time', ACKNOWLEDGED, (w) => {
    const once = new Set<string>();
    return w.asked('delete', ({ id, body }) => {
      if (body.acknowledge_workspace_loss !== true || once.has(id)) return undefined;
      once.add(id);
      return {};
    });
  }),
  way('delete-acknowledgement-refused-for-the-well', ANY, (w) =>
    w.instead('delete', async ({ id, body }) => {
      const record = body.acknowledge_workspace_loss === true ? await recordOf(w, id) : undefined;
      return record && record.status !== 'destroy_failed'
        ? failed(400, 'Invalid request body', 'invalid_body')
        : undefined;
    }),
  ),
  way('delete-without-fields-refused', OPTIONAL, (w) =>
    w.instead('delete', ({ text }) =>
      text.trim() === '{}' ? failed(400, 'Invalid request body', 'invalid_body') : undefined,
    ),
  ),
  way('delete-before-the-first-boot-refused', ANY, (w) =>
    w.instead('delete', async ({ id, who }) => {
      const record = await recordOf(w, id, who);
      return record?.status === 'stopped' && !booted(record) ? busy() : undefined;
    }),
  ),
  way('delete-lost-in-a-boot', TEARDOWN, (w) =>
    w.instead('delete', async ({ id, who }) =>
      /^(queued|provisioning)$/.test(String((await recordOf(w, id, who))?.status))
        ? Response.json({ deleting: true }, { status: 202 })
        : undefined,
    ),
  ),
  way('delete-leaves-the-vault', TEARDOWN, (w) => {
    const deleted = new Set<string>();
    return async (call, next) => {
      const response = await next();
      if (call.op === 'delete' && response.ok) deleted.add(call.id);
      if (call.op !== 'vault-list' || response.status !== 404 || !deleted.has(call.id)) return response;
      w.hit();
      return Response.json({ data: [], has_more: false });
    };
  }),
  way('provision-empty-fields-pass', NO_BODY, (w) =>
    w.asked('provision', ({ body }) => (Object.keys(body).length > 0 && fieldless(body) ? {} : undefined)),
  ),
  way('provision-refused-but-begun', NO_BODY, (w) => async (call, next) => {
    const response = await next();
    if (call.op !== 'provision' || response.status !== 400) return response;
    const begun = await w.ask('POST', `/interns/${call.id}/provision`, { as: call.who });
    if (begun.ok) w.hit();
    return response;
  }),
  way('suspend-looks-at-the-state-first', NO_BODY, (w) =>
    w.later('suspend', async (response, { id, who }) =>
      response.status === 400 && (await recordOf(w, id, who))?.status === 'stopped' ? busy() : undefined,
    ),
  ),
  way('resume-without-the-model', KEEPS, (w) => async (call, next) => {
    const record = call.op === 'provision' ? await recordOf(w, call.id) : undefined;
    if (record?.status === 'stopped' && booted(record) && record.model !== null) {
      w.hit();
      await w.ask('PATCH', `/interns/${call.id}`, { body: { model: null } });
    }
    return next();
  }),
  way('resume-with-the-settings-of-the-first-boot', KEEPS, (w) => {
    const first = new Map<string, Json>();
    return async (call, next) => {
      const record = call.op === 'provision' ? await recordOf(w, call.id) : undefined;
      if (record !== undefined && !booted(record)) first.set(call.id, { instructions: record.instructions });
      const old = first.get(call.id);
      if (record?.status === 'stopped' && booted(record) && old && old.instructions !== record.instructions) {
        w.hit();
        await w.ask('PATCH', `/interns/${call.id}`, { body: old });
      }
      return next();
    };
  }),
  way('resume-lost-after-a-change', FIRST_BOOT, (w) => {
    const changed = new Set<string>();
    return async (call, next) => {
      const record = /^(update|provision)$/.test(call.op) ? await recordOf(w, call.id) : undefined;
      if (record?.status !== 'stopped' || !booted(record)) return next();
      if (call.op === 'update') changed.add(call.id);
      else if (changed.delete(call.id)) {
        w.hit();
        return Response.json({ provisioning: true }, { status: 202 });
      }
      return next();
    };
  }),
  way('suspend-works-once', STOPS, (w) => {
    const done = new Set<string>();
    return async (call, next) => {
      if (call.op !== 'suspend') return next();
      if (done.has(call.id) && (await recordOf(w, call.id))?.status === 'running') {
        w.hit();
        return Response.json({ suspended: true });
      }
      const response = await next();
      if (response.ok) done.add(call.id);
      return response;
    };
  }),
  way('suspend-ends-streams-as-finished', 'This error reports only an ending that the intern confirmed.', (w) => {
    const suspended = new Set<string>();
    return async (call, next) => {
      if (call.op === 'suspend') suspended.add(call.id);
      if (call.op === 'provision') suspended.delete(call.id);
      return w.stream(({ id }) => (_, chunk) => {
        if (finishOf(chunk) !== 'error' || chunk === undefined || !suspended.has(id)) return undefined;
        const { error, ...others } = finishing(chunk, 'stop');
        return error === undefined ? undefined : others;
      })(call, next);
    };
  }),
  way('chat-wakes-the-suspended', STOPS, (w) => async (call, next) => {
    const response = await next();
    if (!/^(chat|invoke)$/.test(call.op) || response.status !== 409) return response;
    const record = await recordOf(w, call.id, call.who);
    if (record?.status !== 'stopped' || !booted(record)) return response;
    w.hit();
    await w.ask('POST', `/interns/${call.id}/provision`, { as: call.who });
    return response;
  }),
  way(
    'suspended-still-shown-running',
    'The interface also speaks of an intern that is running, one that is suspended',
    (w) => {
      const suspended = new Set<unknown>();
      return async (call, next) => {
        if (call.op === 'suspend') suspended.add(call.id);
        if (call.op === 'provision') suspended.delete(call.id);
        return records(w, 'get list', (record) => {
          if (record.status === 'stopped' && suspended.has(record.id)) record.status = 'running';
        })(call, next);
      };
    },
  ),
];
