import { isJson, type Json, withBody } from '../call.js';
import type { Way } from '../world.js';
import { bodyOf, MEMBERS, SETTINGS, seen } from './tools.js';

const CHANGES = 'Changes name, description, instructions or model.';
const settingsOf = (intern: Json): Json => Object.fromEntries(SETTINGS.map((name) => [name, intern[name]]));

export const updates: readonly Way[] = [
  // plain
  {
    name: 'update-leaves-the-name',
    quote: CHANGES,
    wrong: (w) =>
      w.asked('update', ({ body }) => {
        const { name, ...rest } = body;
        return name === undefined ? undefined : rest;
      }),
  },
  // subtle
  {
    name: 'update-on-top-of-the-first-record',
    quote: 'Omitted fields stay unchanged.',
    wrong: (w) => {
      const first = new Map<unknown, Json>();
      return async (call, next) => {
        const known = first.get(call.id);
        if (call.op === 'update' && known !== undefined && Object.keys(call.body).length > 0) {
          const { name: _, ...before } = settingsOf(await seen(w, call.id));
          const { name: __, ...settings } = known;
          const merged = { ...settings, ...call.body };
          if (Object.keys(before).some((one) => !(one in call.body) && before[one] !== settings[one])) w.hit();
          return next(withBody(call, merged));
        }
        const response = await next();
        if (call.op === 'create' && response.ok) {
          const body = await bodyOf(response);
          if (!first.has(body.id)) first.set(body.id, settingsOf(body));
        }
        return response;
      };
    },
  },
  // state
  {
    name: 'update-lost-while-booting',
    quote: CHANGES,
    wrong: (w) =>
      w.instead('update', async ({ id, body, who }) => {
        const names: readonly string[] = SETTINGS;
        const keys = Object.keys(body);
        if (!MEMBERS.includes(who) || keys.length === 0 || keys.some((key) => !names.includes(key))) return undefined;
        const intern = await seen(w, id);
        return intern.status === 'provisioning' ? Response.json({ ...intern, ...body }) : undefined;
      }),
  },
  // plain
  {
    name: 'update-answers-the-old-record',
    quote: CHANGES,
    wrong: (w) => async (call, next) => {
      if (call.op !== 'update') return next();
      const before = await seen(w, call.id);
      const response = await next();
      if (!response.ok || before.id === undefined) return response;
      const after = await bodyOf(response);
      if (SETTINGS.some((name) => before[name] !== after[name])) w.hit();
      return Response.json(before);
    },
  },
  // subtle
  {
    name: 'update-trims-instructions',
    quote: CHANGES,
    wrong: (w) =>
      w.asked('update', ({ body }) => {
        const { instructions } = body;
        return typeof instructions === 'string' && instructions !== instructions.trim()
          ? { ...body, instructions: instructions.trim() }
          : undefined;
      }),
  },
  // subtle
  {
    name: 'update-cuts-long-descriptions',
    quote: CHANGES,
    wrong: (w) =>
      w.asked('update', ({ body }) => {
        const { description } = body;
        return typeof description === 'string' && description.length > 200
          ? { ...body, description: description.slice(0, 200) }
          : undefined;
      }),
  },
  // state
  {
    name: 'model-shown-from-next-boot',
    quote: CHANGES,
    wrong: (w) => {
      const old = new Map<unknown, unknown>();
      const shown = w.ok('get list update', (body) => {
        for (const one of Array.isArray(body.data) ? body.data.filter(isJson) : [body])
          if (old.has(one.id)) one.model = old.get(one.id);
      });
      return async (call, next) => {
        if (call.op === 'update' && 'model' in call.body) {
          const intern = await seen(w, call.id);
          if (intern.status === 'running' && !old.has(call.id)) old.set(call.id, intern.model);
        }
        const response = await shown(call, next);
        if (call.op === 'suspend' && response.ok) old.delete(call.id);
        return response;
      };
    },
  },
  // subtle
  {
    name: 'update-takes-first-field-alone',
    quote: CHANGES,
    wrong: (w) =>
      w.asked('update', ({ body }) => {
        const [first, ...more] = Object.entries(body);
        return first === undefined || more.length === 0 ? undefined : Object.fromEntries([first]);
      }),
  },
];
