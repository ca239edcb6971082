import { isRecord, jsonOf } from '../../emulator/wire/json.js';
import type { Serve } from '../../emulator/wire/serve.js';
import type { Habit } from './habit.js';
import { excused, refusedWith } from './measured.js';
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

/** Who may create interns beside the holder of the API key, is not stated: who may not, may not create a plain one either. */
const explains: Habit['explains'] = async ({ got, missedSuccess, seen }, visit) => {
  if (!missedSuccess || got?.status !== 403) return undefined;
  const refused = seen.find(({ method, path, status }) => method === 'POST' && path === '/interns' && status === 403);
  const credential = refused?.as;
  if (credential === undefined || credential === 'api_key') return undefined;
  const sent = jsonOf(refused?.sent ?? '');
  const where = isRecord(sent) && 'workspace_id' in sent ? { workspace_id: sent.workspace_id } : {};
  const may = async () => refusedWith(await visit.send({ ...visit.creating(where), as: credential }), 403);
  const skip = { kind: 'need', because: { kind: 'may-not-create', credential, got } } as const;
  return excused(visit, `members-read ${credential}`, { skip }, may);
};

export const membersRead: Habit = {
  id: 'members-read',
  what: 'lets nobody else create interns',
  kit: "skips the checks that need a peer's or a stranger's intern",
  serve,
  explains,
};
