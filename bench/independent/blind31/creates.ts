import { withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { bodyOf, isMember, MINUTE, seen, tokenOf } from './helpers.js';

const KEY = 'idempotency-key';
const RETRY = 'A retry with the same idempotency key and the same body resumes unfinished work.';

export const creates: readonly Way[] = [
  {
    // The caller's row has a column for the last key.
    name: 'of each caller only the newest idempotency key is remembered',
    quote: RETRY,
    wrong: (world) => {
      const used = new Set<string>();
      const newest = new Map<string, string>();
      let again = 0;
      return async (call, next) => {
        const key = call.request.headers.get(KEY);
        if (call.op !== 'create' || key === null || key === '' || !isMember(call) || call.regional) return next();
        const forgotten = used.has(`${call.who}\n${key}`) && newest.get(call.who) !== key;
        if (forgotten) world.hit();
        const sent = forgotten ? withHeaders(call, { [KEY]: `${key.slice(0, 200)} again ${again++}` }) : undefined;
        const response = await next(sent);
        if (response.ok) {
          used.add(`${call.who}\n${key}`);
          newest.set(call.who, key);
        }
        return response;
      };
    },
  },
  {
    // The retry goes through an upsert.
    name: 'a retry of a finished create puts its fields over what was updated since',
    quote: RETRY,
    wrong: (world) => async (call, next) => {
      const response = await next();
      if (call.op !== 'create' || response.status !== 200) return response;
      const { id } = await bodyOf(response);
      const now = await seen(world, call, String(id));
      const fields = ['name', 'description', 'instructions'].filter((field) => call.body[field] !== undefined);
      if (now === undefined || fields.every((field) => now[field] === call.body[field])) return response;
      const body = Object.fromEntries(fields.map((field) => [field, call.body[field]]));
      const put = await world.ask('PATCH', `/interns/${String(id)}`, { as: tokenOf(call), body });
      if (put.ok) world.hit();
      return response;
    },
  },
  {
    // The last step of a create, the start, is taken by every retry.
    name: 'a retry of a finished create resumes the intern if it was suspended since',
    quote: RETRY,
    wrong: (world) => async (call, next) => {
      const response = await next();
      if (call.op !== 'create' || response.status !== 200 || call.body.provision !== true) return response;
      const { id } = await bodyOf(response);
      const now = await seen(world, call, String(id));
      if (now?.status !== 'stopped') return response;
      const started = await world.ask('POST', `/interns/${String(id)}/provision`, { as: tokenOf(call) });
      if (started.ok) world.hit();
      return response;
    },
  },
  {
    // A job sweeps up what was created and not started.
    name: 'an intern that waits for its provision call boots by itself after a minute',
    quote: 'Provisioning may start at once or wait for a later provision call.',
    wrong: (world) => {
      const started = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'provision' && response.ok) started.add(call.id);
        if (call.op !== 'create' || response.status !== 201 || call.body.provision === true) return response;
        const id = String((await bodyOf(response)).id);
        world.setting.host.later(MINUTE, () => {
          if (started.has(id)) return;
          void world
            .ask('POST', `/interns/${id}/provision`, { as: tokenOf(call) })
            .then(({ ok }) => (ok ? world.hit() : undefined))
            .catch(() => {});
        });
        return response;
      };
    },
  },
];
