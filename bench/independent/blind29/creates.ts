import { failed } from '../answers.js';
import { type Json, withBody, withHeaders } from '../call.js';
import { also, bodyOf, contentType, shown } from '../newer/tools.js';
import type { Way } from '../world.js';
import { asking, keyOf, named, rows } from './tools.js';

const RETRY = 'A retry with the same idempotency key and the same body resumes unfinished work.';
const CAP = 'The body is capped at 1048576 bytes, and a larger body is refused with 413.';
const MEDIA = 'A non-empty body must declare `Content-Type: application/json`, or it is refused with 415.';
const OWN =
  'An intern is a managed agent runtime with its own disk, configuration and private vault, living in one explicit workspace.';
const LIMIT = 1_048_576;
const bytes = (text: string) => new TextEncoder().encode(text).length;

export const creates: readonly Way[] = [
  named('an idempotency key serves for one retry only', RETRY, (w) => {
    const times = new Map<string, number>();
    return async (call, next) => {
      const key = keyOf(call);
      if (call.op !== 'create' || key === undefined) return next();
      const name = `${call.who} ${key} ${call.text}`;
      const time = (times.get(name) ?? 0) + 1;
      times.set(name, time);
      if (time < 3) return next();
      w.hit();
      return next(withHeaders(call, { 'idempotency-key': `${key}-${time}` }));
    };
  }),
  named('a retry is refused while the intern is not stopped', RETRY, (w) =>
    w.later('create', async (r) =>
      r.status === 200 && (await bodyOf(r)).status !== 'stopped'
        ? failed(409, 'An intern of this name exists', 'name_conflict')
        : undefined,
    ),
  ),
  named('the cap of a body counts its characters', CAP, (w) =>
    w.later('create update', (r, { text }) =>
      r.status === 413 && text.length <= LIMIT ? failed(400, 'Invalid request body', 'invalid_body') : undefined,
    ),
  ),
  named('a body of just the size of the cap is refused', CAP, (w) =>
    w.instead('create update sign', (call) =>
      bytes(call.text) === LIMIT ? failed(413, `Request body exceeds ${LIMIT} bytes`, 'payload_too_large') : undefined,
    ),
  ),
  named('every media type that ends with +json will do', MEDIA, (w) =>
    asking(w, 'create update', (call) =>
      /\+json\b/.test(contentType(call)) ? withHeaders(call, { 'content-type': 'application/json' }) : undefined,
    ),
  ),
  named(
    'an update that is refused for its media type is done all the same',
    'The 1048576-byte cap, 413 and 415 rules apply as for create.',
    (w) =>
      w.later('update', async (r, call) => {
        if (r.status === 415 && (await also(w, call, 'PATCH', '', call.body)).ok) w.hit();
        return undefined;
      }),
  ),
  named('every second intern is given the vault of the one before', OWN, (w) => {
    const vaults = new Map<unknown, unknown>();
    let before: unknown;
    return w.ok('create get list update', (body, call) => {
      if (call.op === 'create' && !vaults.has(body.id)) {
        vaults.set(body.id, before ?? body.vault_id);
        before = before === undefined ? body.vault_id : undefined;
      }
      for (const row of call.op === 'list' ? rows(body) : [body]) row.vault_id = vaults.get(row.id) ?? row.vault_id;
    });
  }),
  named(
    "a create in somebody else's workspace goes to the caller's own",
    'An intern is created in an explicit workspace.',
    (w) =>
      asking(w, 'create', ({ body, who }) =>
        body.workspace_id === w.workspaces.foreign && !who.startsWith('foreign')
          ? { ...body, workspace_id: w.workspaces.own }
          : undefined,
      ),
  ),
];

const UPDATE = 'Changes name, description, instructions or model.';
const OMITTED = 'Omitted fields stay unchanged.';
const FIELDS = ['name', 'description', 'instructions', 'model'] as const;
const settings = (record: Json): Json => Object.fromEntries(FIELDS.map((field) => [field, record[field]]));

export const updates: readonly Way[] = [
  named('an update back to what an intern was created with is not seen', UPDATE, (w) => {
    const first = new Map<string, Json>();
    return async (call, next) => {
      if (call.op === 'update' && contentType(call).startsWith('application/json')) {
        const made = first.get(call.id.toLowerCase()) ?? {};
        const now = (await shown(w, call)) ?? {};
        const rest = Object.entries(call.body).filter(
          ([field, value]) => !(field in made) || made[field] !== value || now[field] === value,
        );
        if (rest.length < Object.keys(call.body).length) {
          w.hit();
          return rest.length === 0 ? Response.json(now) : next(withBody(call, Object.fromEntries(rest)));
        }
      }
      const r = await next();
      if (call.op === 'create' && r.ok) {
        const record = await bodyOf(r);
        first.set(String(record.id), settings(record));
      }
      return r;
    };
  }),
  named('a new name takes away the model', OMITTED, (w) =>
    asking(w, 'update', async (call) =>
      'name' in call.body && !('model' in call.body) && typeof (await shown(w, call))?.model === 'string'
        ? { ...call.body, model: null }
        : undefined,
    ),
  ),
  named('characters beyond the first plane become question marks', UPDATE, (w) =>
    asking(w, 'update create', ({ body }) => {
      const { instructions } = body;
      return typeof instructions === 'string' && /[\u{10000}-\u{10ffff}]/u.test(instructions)
        ? { ...body, instructions: instructions.replace(/[\u{10000}-\u{10ffff}]/gu, '?') }
        : undefined;
    }),
  ),
  named('an update of an intern that never booted is answered and not kept', UPDATE, (w) => async (call, next) => {
    const before = call.op === 'update' ? await shown(w, call) : undefined;
    const r = await next();
    if (!before || !r.ok || before.hostname !== null || before.status !== 'stopped') return r;
    const record = await bodyOf(r);
    if (JSON.stringify(settings(record)) === JSON.stringify(settings(before))) return r;
    w.hit();
    await also(w, call, 'PATCH', '', settings(before));
    return r;
  }),
  named(
    'what is changed while an intern is suspended is lost when it resumes',
    'Stops the runtime and keeps its disk and configuration for a later provision call.',
    (w) => {
      const kept = new Map<string, Json>();
      return async (call, next) => {
        const r = await next();
        const id = call.id.toLowerCase();
        if (call.op === 'suspend' && r.ok) kept.set(id, settings((await shown(w, call)) ?? {}));
        const before = kept.get(id);
        if (call.op !== 'provision' || !r.ok || !before) return r;
        const now = settings((await shown(w, call)) ?? {});
        if (JSON.stringify(now) !== JSON.stringify(before)) {
          w.hit();
          await also(w, call, 'PATCH', '', before);
        }
        return r;
      };
    },
  ),
  named('an update with all four fields keeps the old instructions', UPDATE, (w) =>
    asking(w, 'update', ({ body }) => {
      if (!FIELDS.every((field) => field in body)) return undefined;
      const { instructions: _, ...rest } = body;
      return rest;
    }),
  ),
];
