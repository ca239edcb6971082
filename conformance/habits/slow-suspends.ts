import { rewritten } from '../../emulator/wire/answer.js';
import type { Serve } from '../../emulator/wire/serve.js';
import type { Habit } from './habit.js';
import { eachRecord, pathOf, refusal } from './wire.js';

/** ms that a suspend goes on after its answer. */
const STOPPING = 1_200;

/** A suspend takes a moment: runs end and prompts are refused at once, the record is `running` a little longer. */
const serve: Serve = (next, { host }) => {
  const until = new Map<string, number>();
  return async (request) => {
    const [, id = '', act] = /^\/interns\/([^/]+)(?:\/(provision|suspend))?$/.exec(pathOf(request)) ?? [];
    const stopping = (one: unknown) => host.now() < (until.get(String(one)) ?? 0);
    if (act !== undefined && stopping(id)) return refusal(409, 'The intern is busy', 'intern_busy');
    const response = await next(request);
    if (act === 'suspend' && response.ok) until.set(id, host.now() + STOPPING);
    return rewritten(response, {
      json: (json) =>
        eachRecord(json, (record) => {
          if (record.status === 'stopped' && stopping(record.id)) record.status = 'running';
        }),
    });
  };
};

export const slowSuspends: Habit = {
  id: 'slow-suspends',
  what: 'takes a moment to suspend',
  kit: 'waits until the intern runs no more',
  serve,
};
