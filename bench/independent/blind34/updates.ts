import { jsonIn, recordOf, records, way } from '../blind32/helpers.js';
import { type Json, withBody } from '../call.js';
import type { Answer, Way, World } from '../world.js';
import { CHANGEABLE, settingsIn, showing } from './helpers.js';

const CHANGES = 'Changes name, description, instructions or model.';
const OMITTED = 'Omitted fields stay unchanged.';
const UPDATED =
  'The intern operations return these named types: `InternListResponse` (list), `Intern` (create, get, update)';
const SETTINGS = 'Returns the public lifecycle state and settings of one visible intern.';
const CREDENTIAL = 'The token is a credential.';
const KEEPS = 'Stops the runtime and keeps its disk and configuration for a later provision call.';

/** Sets settings back when `at` says so, to those that `before` keeps. */
const settingBack = (
  w: World,
  keeps: (op: string, now: Json | undefined) => boolean,
  at: 'suspend' | 'provision',
): Answer => {
  const kept = new Map<string, Json>();
  const meant = new Map<string, Json>();
  return async (call, next) => {
    const known = /^(update|suspend|provision)$/.test(call.op) ? await recordOf(w, call.id, call.who) : undefined;
    const response = await next();
    if (known && response.ok && keeps(call.op, known)) {
      if (call.op !== 'update' || !kept.has(call.id)) kept.set(call.id, settingsIn(known));
    }
    if (call.op === 'update' && response.ok) meant.delete(call.id);
    const old = kept.get(call.id);
    if (call.op === at && response.ok && known && old) {
      kept.delete(call.id);
      meant.set(call.id, settingsIn(known));
      await w.ask('PATCH', `/interns/${call.id}`, { as: call.who, body: old });
    }
    await showing(w, call, response, (record) => {
      const right = meant.get(String(record.id));
      return right !== undefined && CHANGEABLE.some((field) => right[field] !== record[field]);
    });
    return response;
  };
};

export const updates: readonly Way[] = [
  way('model-in-lower-case', CHANGES, (w) =>
    records(w, 'get list update', (record) => {
      if (typeof record.model === 'string') record.model = record.model.toLowerCase();
    }),
  ),
  way('empty-description-is-no-change', CHANGES, (w) => async (call, next) => {
    const { description, ...others } = call.body;
    if (call.op !== 'update' || description !== '') return next();
    const response = await next(withBody(call, others));
    const record = await jsonIn(response);
    if (record && record.description !== '') w.hit();
    return response;
  }),
  way('rename-forgets-the-model', OMITTED, (w) => async (call, next) => {
    const before = call.op === 'update' ? await recordOf(w, call.id, call.who) : undefined;
    const { name, model } = call.body;
    if (!before || model !== undefined || name === undefined || name === before.name) return next();
    const response = await next(withBody(call, { ...call.body, model: null }));
    if (response.ok && before.model !== null) w.hit();
    return response;
  }),
  way('update-answers-what-was', UPDATED, (w) => async (call, next) => {
    const before = call.op === 'update' ? await recordOf(w, call.id, call.who) : undefined;
    const response = await next();
    const after = await jsonIn(response);
    if (!before || !after || CHANGEABLE.every((field) => before[field] === after[field])) return response;
    w.hit();
    return Response.json(before);
  }),
  way('update-soon-after-another-is-dropped', CHANGES, (w) => {
    const last = new Map<string, number>();
    const dropped = new Map<unknown, Json>();
    return async (call, next) => {
      const now = w.setting.host.now();
      const at = call.op === 'update' ? last.get(call.id) : undefined;
      const record = at !== undefined && now - at < 400 ? await recordOf(w, call.id, call.who) : undefined;
      const names = Object.keys(call.body);
      const fine = names.every((name) => (CHANGEABLE as readonly string[]).includes(name)) && !('name' in call.body);
      if (record && fine && Object.values(call.body).every((value) => typeof value === 'string')) {
        dropped.set(record.id, { ...dropped.get(record.id), ...call.body });
        return Response.json({ ...record, ...call.body });
      }
      const response = await next();
      if (call.op === 'update' && response.ok) {
        last.set(call.id, now);
        const rest = Object.entries(dropped.get(call.id) ?? {}).filter(([name]) => !names.includes(name));
        dropped.set(call.id, Object.fromEntries(rest));
      }
      await showing(w, call, response, (row) =>
        Object.entries(dropped.get(row.id) ?? {}).some(([name, value]) => row[name] !== value),
      );
      return response;
    };
  }),
  way('get-of-the-booted-model', SETTINGS, (w) => {
    const booted = new Map<unknown, unknown>();
    const answer = records(w, 'get', (record) => {
      if (record.status === 'running' && booted.has(record.id)) record.model = booted.get(record.id);
    });
    return async (call, next) => {
      const response = await answer(call, next);
      if (call.op === 'provision' && response.ok)
        booted.set(call.id, (await recordOf(w, call.id, call.who))?.model ?? null);
      return response;
    };
  }),
  way('get-carries-the-daemon-token', CREDENTIAL, (w) => async (call, next) => {
    const read =
      call.op === 'get' ? await w.ask('GET', `/interns/${call.id}/daemon`, { as: 'oauth_token' }) : undefined;
    const token = read && (await jsonIn(read))?.token;
    return w.ok('get', (record) => (token === undefined ? undefined : Object.assign(record, { daemon_token: token })))(
      call,
      next,
    );
  }),
  way('suspend-sets-back-what-was-booted', KEEPS, (w) =>
    settingBack(w, (op, now) => op === 'update' && now?.status === 'running', 'suspend'),
  ),
  way('update-of-the-suspended-lost-in-a-boot', KEEPS, (w) =>
    settingBack(w, (op, now) => op === 'update' && now?.status === 'stopped', 'provision'),
  ),
];
