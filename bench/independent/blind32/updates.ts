import { failed } from '../answers.js';
import type { Call, Json } from '../call.js';
import type { Way } from '../world.js';
import { jsonIn, recordOf, records, way } from './helpers.js';

const CHANGES = 'Changes name, description, instructions or model.';
const OMITTED = 'Omitted fields stay unchanged.';
const RETURNS = 'Returns the public lifecycle state and settings of one visible intern.';

const SETTINGS = ['name', 'description', 'instructions', 'model'] as const;
const settingsIn = (record: Json, like: Json = record): Json =>
  Object.fromEntries(SETTINGS.filter((key) => key in like).map((key) => [key, record[key]]));
const only = ({ body }: Call, field: string) => field in body && Object.keys(body).length === 1;
const booting = (record: Json | undefined) => /^(queued|provisioning)$/.test(String(record?.status));

export const updates: readonly Way[] = [
  way('update-of-the-model-clears-instructions', OMITTED, (w) =>
    w.asked('update', (call) => (only(call, 'model') ? { ...call.body, instructions: null } : undefined)),
  ),
  way('update-to-nothing-ignored', CHANGES, (w) =>
    w.asked('update', ({ body }) => {
      if (body.description !== '' && body.instructions !== '') return undefined;
      return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== ''));
    }),
  ),
  way('update-during-boot-undone', CHANGES, (w) => {
    const before = new Map<string, Json>();
    return async (call, next) => {
      const old = before.get(call.id);
      const now = old !== undefined || call.op === 'update' ? await recordOf(w, call.id) : undefined;
      if (old !== undefined && now?.status === 'running') {
        before.delete(call.id);
        w.hit();
        await w.ask('PATCH', `/interns/${call.id}`, { body: old });
      }
      if (call.op === 'update' && now !== undefined && booting(now)) before.set(call.id, settingsIn(now, call.body));
      return next();
    };
  }),
  way('update-never-gives-a-name-back', CHANGES, (w) => {
    const given = new Map<string, string>();
    return async (call, next) => {
      if (call.op !== 'update' || typeof call.body.name !== 'string') return next();
      if (given.get(call.body.name) === call.id) {
        w.hit();
        return failed(409, 'An intern of this name exists', 'name_conflict');
      }
      const before = await recordOf(w, call.id);
      const response = await next();
      if (response.ok && before !== undefined && before.name !== call.body.name)
        given.set(String(before.name), call.id);
      return response;
    };
  }),
  way('update-answers-what-was', 'Response `Intern`.', (w) => async (call, next) => {
    const before = call.op === 'update' && Object.keys(call.body).length > 1 ? await recordOf(w, call.id) : undefined;
    const response = await next();
    if (before === undefined || !response.ok) return response;
    w.hit();
    return Response.json(before);
  }),
  way('update-model-shown-after-suspension', CHANGES, (w) => {
    const old = new Map<unknown, unknown>();
    return async (call, next) => {
      const before = call.op === 'update' && 'model' in call.body ? await recordOf(w, call.id) : undefined;
      if (before?.status === 'running' && !old.has(call.id)) old.set(call.id, before.model);
      return records(w, 'get list update', (record) => {
        if (record.status !== 'running') old.delete(record.id);
        if (old.has(record.id)) record.model = old.get(record.id);
      })(call, next);
    };
  }),
  way(
    'update-wakes-the-suspended',
    'Stops the runtime and keeps its disk and configuration for a later provision call.',
    (w) => async (call, next) => {
      const response = await next();
      const record = call.op === 'update' ? await jsonIn(response) : undefined;
      if (record?.status !== 'stopped' || typeof record.hostname !== 'string') return response;
      w.hit();
      await w.ask('POST', `/interns/${call.id}/provision`);
      return response;
    },
  ),
  way('update-of-a-peer-not-seen', RETURNS, (w) => {
    const seen = new Map<string, Json>();
    return async (call, next) => {
      const key = `${call.who} ${call.id}`;
      if (/^(update|suspend|provision|delete)$/.test(call.op)) seen.delete(key);
      const response = await next();
      const record = call.op === 'get' ? await jsonIn(response) : undefined;
      if (record === undefined) return response;
      const cached = seen.get(key);
      const shown = { ...record, ...cached };
      seen.set(key, settingsIn(shown));
      if (JSON.stringify(shown) === JSON.stringify(record)) return response;
      w.hit();
      return Response.json(shown);
    };
  }),
  way('update-of-instructions-cut', CHANGES, (w) =>
    w.asked('update', ({ body }) =>
      typeof body.instructions === 'string' && body.instructions.length > 4_096
        ? { ...body, instructions: body.instructions.slice(0, 4_096) }
        : undefined,
    ),
  ),
];
