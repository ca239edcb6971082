import { rewritten } from '../../emulator/wire/answer.js';
import type { Serve } from '../../emulator/wire/serve.js';
import type { Habit } from './habit.js';
import { eachRecord, pathOf } from './wire.js';

/** A new intern is `queued` for a while before it is what it was created as. */
const serve: Serve = (next, { host }) => {
  const until = new Map<string, number>();
  return async (request) =>
    rewritten(await next(request), {
      json(json) {
        // One that is suspended has been more than new.
        const suspended = /^\/interns\/([^/]+)\/suspend$/.exec(pathOf(request))?.[1];
        if (suspended !== undefined) until.delete(suspended);
        eachRecord(json, (record) => {
          const id = String(record.id);
          if (request.method === 'POST' && pathOf(request) === '/interns') until.set(id, host.now() + 1_500);
          if (record.status === 'stopped' && host.now() < (until.get(id) ?? 0)) record.status = 'queued';
        });
      },
    });
};

export const settlesFirst: Habit = {
  id: 'settles-first',
  what: 'queues a new intern for a moment',
  kit: 'waits for the status that it was created for',
  serve,
};
