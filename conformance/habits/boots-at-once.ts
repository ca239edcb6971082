import type { Habit } from './habit.js';
import type { Serve } from './serve.js';
import { pathOf } from './wire.js';

/** A create boots the intern at once, whatever it asks for. */
const serve: Serve = (next) => async (request) => {
  const response = await next(request);
  if (request.method !== 'POST' || pathOf(request) !== '/interns' || response.status !== 201) return response;
  const { id, status } = (await response.clone().json()) as { id: string; status: string };
  const headers = { authorization: request.headers.get('authorization') ?? '' };
  if (status === 'stopped')
    await next(new Request(`${request.url.replace(/\?.*/, '')}/${id}/provision`, { method: 'POST', headers }));
  return response;
};

export const bootsAtOnce: Habit = {
  id: 'boots-at-once',
  what: 'boots at once what it creates',
  kit: 'suspends it, and makes another if that boot fails',
  serve,
};
