import type { Serve } from '../../emulator/wire/serve.js';
import type { Habit } from './habit.js';
import { pathOf } from './wire.js';

/** A create boots the intern at once, whatever it asks for. */
const serve: Serve = (next) => {
  const booted = new Set<string>();
  return async (request) => {
    const response = await next(request);
    if (request.method !== 'POST' || pathOf(request) !== '/interns' || response.status !== 201) return response;
    const { id, status } = (await response.clone().json()) as { id: string; status: string };
    const headers = { authorization: request.headers.get('authorization') ?? '' };
    // A retried create answers the same again, and creates nothing.
    if (status === 'stopped' && !booted.has(id))
      await next(new Request(`${request.url.replace(/\?.*/, '')}/${id}/provision`, { method: 'POST', headers }));
    booted.add(id);
    return response;
  };
};

export const bootsAtOnce: Habit = {
  id: 'boots-at-once',
  what: 'boots at once what it creates',
  kit: 'suspends it, and makes another if that boot fails',
  serve,
};
