import { failed } from '../answers.js';
import { withBody, withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { bodyOf, bytes, CAP, contentType, interns, record, suspended, way } from './tools.js';

const DELETE = 'Starts safe teardown of the intern, its runtime and its private vault.';
const OPTIONAL = 'The body is optional';
const NO_FIELDS = 'It takes no request body; a body carrying any field is refused with 400.';
const KEEPS = 'Stops the runtime and keeps its disk and configuration for a later provision call.';
const BOOT = 'Starts the first boot, or resumes the intern.';

export const deletes: readonly Way[] = [
  way('a delete only suspends', DELETE, (w) =>
    w.instead('delete', async ({ id, who }) => {
      const now = await record(w, id, who);
      if (now?.status !== 'running') return undefined;
      await w.ask('POST', `/interns/${id}/suspend`, { as: who });
      return Response.json({ deleting: true }, { status: 202 });
    }),
  ),
  way('a delete that says false of the loss is refused', OPTIONAL, (w) =>
    w.instead('delete', ({ body }) =>
      body.acknowledge_workspace_loss === false ? failed(400, 'Invalid request body', 'invalid_body') : undefined,
    ),
  ),
  way('a delete with an empty object is answered and forgotten', OPTIONAL, (w) =>
    w.instead('delete', async ({ id, who, text }) =>
      text.trim() === '{}' && (await record(w, id, who)) !== undefined
        ? Response.json({ deleting: true }, { status: 202 })
        : undefined,
    ),
  ),
  way('a delete of what is being deleted breaks the service', 'Any visible intern', (w) => {
    const gone = new Set<string>();
    return w.later('delete', async (r, { id, who }) => {
      if (gone.has(id) && (await record(w, id, who)) !== undefined)
        return failed(500, 'The request could not be completed', 'internal_error', true);
      if (r.ok) gone.add(id);
      return undefined;
    });
  }),
  way('a delete has no cap', 'The 1048576-byte cap, 413 and 415 rules apply.', (w) =>
    w.asked('delete', (call) => (bytes(call.text) > CAP ? withBody(call, {}) : undefined)),
  ),
  way('a delete of one that never ran is a conflict', 'Any visible intern', (w) =>
    w.instead('delete', async ({ id, who }) => {
      const now = await record(w, id, who);
      return now?.status === 'stopped' && now.hostname === null ? failed(409, 'Conflict', 'conflict') : undefined;
    }),
  ),
  way('a delete takes a body of any type', 'The 1048576-byte cap, 413 and 415 rules apply.', (w) =>
    w.asked('delete', (call) =>
      call.text !== '' && !/^application\/json\b/i.test(contentType(call))
        ? withHeaders(call, { 'content-type': 'application/json' })
        : undefined,
    ),
  ),
];

export const running: readonly Way[] = [
  way('a provision with a field that is null passes', NO_FIELDS, (w) =>
    w.asked('provision', (call) => {
      const given = Object.values(call.body);
      return given.length > 0 && given.every((value) => value === null || value === false)
        ? withBody(call, {})
        : undefined;
    }),
  ),
  way('a suspend with a field is refused and done', NO_FIELDS, (w) =>
    w.later('suspend', async (r, { id, who }) => {
      if (r.status !== 400) return undefined;
      return (await w.ask('POST', `/interns/${id}/suspend`, { as: who })).ok ? r : undefined;
    }),
  ),
  way('a suspend empties the description', KEEPS, (w) => {
    const emptied = new Set<unknown>();
    return w.ok('suspend get list', (body, { op, id }) => {
      if (op === 'suspend') emptied.add(id);
      else for (const intern of interns(body)) if (emptied.has(intern.id)) intern.description = null;
    });
  }),
  way('a resumed intern has another vault', KEEPS, (w) => {
    const times = new Map<string, number>();
    return w.ok('provision get list', (body, { op, id }) => {
      if (op === 'provision') times.set(id, (times.get(id) ?? 0) + 1);
      else
        for (const intern of interns(body))
          if ((times.get(String(intern.id)) ?? 0) > 1 && typeof intern.vault_id === 'string')
            intern.vault_id = intern.vault_id.replace(/^./, (digit) => (digit === 'f' ? '0' : 'f'));
    });
  }),
  way('a suspended intern is not resumed', BOOT, (w) =>
    w.instead('provision', async ({ id, who, text }) =>
      text === '' && suspended(await record(w, id, who))
        ? Response.json({ provisioning: true }, { status: 202 })
        : undefined,
    ),
  ),
  way('a read wakes a suspended intern', KEEPS, (w) =>
    w.later('get', async (r, { id, who }) => {
      if (!r.ok || !suspended(await bodyOf(r))) return undefined;
      await w.ask('POST', `/interns/${id}/provision`, { as: who });
      return r;
    }),
  ),
  way('a new name wakes a suspended intern', KEEPS, (w) =>
    w.later('update', async (r, { id, who, body }) => {
      if (!r.ok || !('name' in body) || !suspended(await bodyOf(r))) return undefined;
      return (await w.ask('POST', `/interns/${id}/provision`, { as: who })).ok ? r : undefined;
    }),
  ),
  way("an intern's own key cannot really suspend it", "An intern's own API key sees only that intern.", (w) =>
    w.instead('suspend', async ({ id, who, text }) =>
      who === 'own_key' && text === '' && (await record(w, id, who))?.status === 'running'
        ? Response.json({ suspended: true })
        : undefined,
    ),
  ),
];

export const bodies: readonly Way[] = [
  way('a too large update is called invalid', 'larger gives 413', (w) =>
    w.later('update', (r) => (r.status === 413 ? failed(400, 'Invalid request body', 'invalid_body') : undefined)),
  ),
  way('an update without a media type is taken', 'The 1048576-byte cap, 413 and 415 rules apply as for create.', (w) =>
    w.asked('update', (call) =>
      contentType(call) === '' && call.text !== ''
        ? withHeaders(call, { 'content-type': 'application/json' })
        : undefined,
    ),
  ),
  way('an update with a charset is refused', 'must declare `Content-Type: application/json`', (w) =>
    w.instead('update', (call) =>
      /^application\/json;/i.test(contentType(call))
        ? failed(415, 'Request body must be sent as application/json', 'unsupported_media_type')
        : undefined,
    ),
  ),
  way('a create with its media type in capitals is refused', 'must declare `Content-Type: application/json`', (w) =>
    w.later('create', (r, call) =>
      r.ok && /[A-Z]/.test(contentType(call).split(';')[0] ?? '')
        ? failed(415, 'Request body must be sent as application/json', 'unsupported_media_type')
        : undefined,
    ),
  ),
  way('a create in plain text is invalid rather than of the wrong type', 'or it is refused with 415', (w) =>
    w.later('create', (r, call) =>
      r.status === 415 && contentType(call).startsWith('text/plain')
        ? failed(400, 'Invalid request body', 'invalid_body')
        : undefined,
    ),
  ),
  way('a too large create is taken when much of it is space', 'The body is capped at 1048576 bytes', (w) =>
    w.asked('create', (call) =>
      bytes(call.text) > CAP && bytes(JSON.stringify(call.body)) <= CAP && Object.keys(call.body).length > 0
        ? withBody(call, call.body)
        : undefined,
    ),
  ),
];
