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

/** Who may create interns beside the holder of the API key, is not stated. */
const explains: Habit['explains'] = ({ got, missedSuccess, seen }) => {
  if (!missedSuccess || got?.status !== 403) return undefined;
  const refused = seen.find(({ method, path, status }) => method === 'POST' && path === '/interns' && status === 403);
  const credential = refused?.as;
  if (credential === undefined || credential === 'api_key') return undefined;
  return { skip: { kind: 'need', because: { kind: 'may-not-create', credential, got } } };
};

export const membersRead: Habit = {
  id: 'members-read',
  what: 'lets nobody else create interns',
  kit: "skips the checks that need a peer's or a stranger's intern",
  serve,
  explains,
};
