import { rewritten } from '../../emulator/wire/answer.js';
import { isRecord } from '../../emulator/wire/json.js';
import type { Serve } from '../../emulator/wire/serve.js';
import type { Habit } from './habit.js';
import { eachRecord, pathOf } from './wire.js';

/** An intern that waits for its first provision is `queued`, however long. */
const serve: Serve = (next) => {
  const waiting = new Set<string>();
  return async (request) => {
    const url = new URL(request.url);
    const statuses = url.searchParams.get('status')?.split(',') ?? [];
    const filters = pathOf(request) === '/interns' && statuses.includes('queued') && statuses.length < 8;
    if (filters) url.searchParams.set('status', [...statuses, 'stopped'].slice(-8).join(','));
    return rewritten(await next(filters ? new Request(url, request) : request), {
      json(json) {
        const id = /^\/interns\/([^/]+)\/provision$/.exec(pathOf(request))?.[1];
        if (id !== undefined && isRecord(json) && json.error === undefined) waiting.delete(id);
        eachRecord(json, (record) => {
          if (request.method === 'POST' && record.status === 'stopped') waiting.add(String(record.id));
          if (record.status === 'stopped' && waiting.has(String(record.id))) record.status = 'queued';
        });
        if (statuses.length > 0 && isRecord(json) && Array.isArray(json.data))
          json.data = json.data.filter((entry) => isRecord(entry) && statuses.includes(String(entry.status)));
      },
    });
  };
};

export const queued: Habit = {
  id: 'queued',
  what: 'queues what waits for a provision',
  kit: 'accepts that as waiting',
  serve,
};
