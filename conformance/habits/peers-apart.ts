import { rewritten } from '../../emulator/wire/answer.js';
import { isRecord } from '../../emulator/wire/json.js';
import { tokenOf } from '../../emulator/wire/request.js';
import type { Serve } from '../../emulator/wire/serve.js';
import type { Habit } from './habit.js';
import { idIn, pathOf, refusal } from './wire.js';

/** A member sees the interns that it made, and no others. */
const serve: Serve = (next, { keys }) => {
  const peers = new Set<string>();
  return async (request) => {
    const id = /^\/interns\/([^/]+)/.exec(pathOf(request))?.[1];
    if (tokenOf(request) === keys.peer && id !== undefined && !peers.has(id))
      return refusal(404, 'Intern not found', 'not_found');
    const response = await next(request);
    if (tokenOf(request) === keys.peer && request.method === 'GET' && id === undefined)
      return rewritten(response, {
        json(list) {
          if (isRecord(list) && Array.isArray(list.data))
            list.data = list.data.filter((one) => isRecord(one) && peers.has(String(one.id)));
        },
      });
    if (tokenOf(request) === keys.peer && request.method === 'POST' && response.status === 201)
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
