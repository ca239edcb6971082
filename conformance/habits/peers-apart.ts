import type { Habit } from './habit.js';
import type { Serve } from './serve.js';
import { bearer, idIn, pathOf, refusal } from './wire.js';

/** A member sees the interns that it made, and no others. */
const serve: Serve = (next, { keys }) => {
  const peers = new Set<string>();
  return async (request) => {
    const id = /^\/interns\/([^/]+)/.exec(pathOf(request))?.[1];
    if (bearer(request) === keys.peer && id !== undefined && !peers.has(id))
      return refusal(404, 'Intern not found', 'not_found');
    const response = await next(request);
    if (bearer(request) === keys.peer && request.method === 'POST' && response.status === 201)
      peers.add(await idIn(response));
    return response;
  };
};

export const peersApart: Habit = {
  id: 'peers-apart',
  what: 'shows each member the interns that it made, and no others',
  kit: 'skips what needs a peer that sees them',
  serve,
};
