import type { Habit } from './habit.js';
import type { Serve } from './serve.js';
import { about, refusal } from './wire.js';

/** Others than the holder of the API key may only read. */
const serve: Serve =
  (next, { keys }) =>
  async (request) => {
    const { creates, token } = about(request);
    return creates && token !== undefined && keys.api.slice(1).includes(token) && token !== keys.api[3]
      ? refusal(403, 'Your role may not create interns', 'forbidden')
      : next(request);
  };

export const membersRead: Habit = {
  id: 'members-read',
  what: 'lets nobody else create interns',
  kit: "skips what needs a peer's or a stranger's",
  serve,
};
