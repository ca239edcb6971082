import type { Way } from '../world.js';
import { bodyOf, now, restore, SETTINGS, saying, seen } from './service.js';

const OMITTED = 'Omitted fields stay unchanged.';
const CHANGES = 'Changes name, description, instructions or model.';

export const settings: readonly Way[] = [
  {
    name: 'update-empty-text-is-omitted',
    quote: CHANGES,
    wrong: (w) =>
      w.asked('update', ({ body }) => {
        const given = Object.entries(body).filter(([, value]) => value !== '');
        return given.length === Object.keys(body).length ? undefined : Object.fromEntries(given);
      }),
  },
  {
    name: 'update-of-model-clears-instructions',
    quote: OMITTED,
    wrong: (w) =>
      w.asked('update', ({ body }) =>
        typeof body.model === 'string' && !('instructions' in body) ? { ...body, instructions: null } : undefined,
      ),
  },
  {
    name: 'update-of-name-answers-old-name',
    quote: '**update_intern** … Response `Intern`.',
    wrong: (w) => async (call, next) => {
      if (call.op !== 'update' || typeof call.body.name !== 'string') return next();
      const before = await seen(w, call.id, call.who);
      const response = await next();
      if (!response.ok || before === undefined || before.name === call.body.name) return response;
      w.hit();
      return saying(response, { ...(await bodyOf(response)), name: before.name });
    },
  },
  {
    name: 'update-soon-after-another-is-lost',
    quote: CHANGES,
    wrong: (w) => {
      const last = new Map<string, number>();
      return async (call, next) => {
        if (call.op !== 'update') return next();
        const before = await seen(w, call.id, call.who);
        const response = await next();
        const at = last.get(call.id) ?? Number.NEGATIVE_INFINITY;
        if (!response.ok || before === undefined) return response;
        last.set(call.id, now(w));
        const after = await bodyOf(response);
        if (now(w) - at < 1_000 && SETTINGS.some((field) => before[field] !== after[field])) {
          w.hit();
          await restore(w, before);
        }
        return response;
      };
    },
  },
  {
    name: 'update-while-suspended-undone-by-resume',
    quote: 'Stops the runtime and keeps its disk and configuration for a later provision call.',
    wrong: (w) => {
      const kept = new Map<string, Record<string, unknown>>();
      return async (call, next) => {
        const response = await next();
        if (!response.ok) return response;
        if (call.op === 'suspend') kept.set(call.id, (await seen(w, call.id)) ?? {});
        const before = kept.get(call.id);
        if (call.op !== 'provision' || before === undefined) return response;
        const after = await seen(w, call.id);
        if (SETTINGS.some((field) => before[field] !== after?.[field])) {
          w.hit();
          await restore(w, before);
        }
        kept.delete(call.id);
        return response;
      };
    },
  },
  {
    name: 'update-loses-characters-beyond-the-bmp',
    quote: '| description | string | Changeable through `update_intern`. |',
    wrong: (w) =>
      w.asked('update', ({ body }) => {
        const { description } = body;
        if (typeof description !== 'string' || !/[\u{10000}-\u{10ffff}]/u.test(description)) return undefined;
        return { ...body, description: description.replace(/[\u{10000}-\u{10ffff}]/gu, '?') };
      }),
  },
  {
    name: 'get-of-second-member-stale',
    quote: 'Returns the public lifecycle state and settings of one visible intern.',
    wrong: (w) => {
      const kept = new Map<string, Record<string, unknown>>();
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'get' || !response.ok || !call.who.startsWith('peer')) return response;
        const body = await bodyOf(response);
        const before = kept.get(call.id) ?? body;
        kept.set(call.id, before);
        const stale = { ...body, ...Object.fromEntries(SETTINGS.map((field) => [field, before[field]])) };
        if (JSON.stringify(stale) === JSON.stringify(body)) return response;
        w.hit();
        return saying(response, stale);
      };
    },
  },
];
