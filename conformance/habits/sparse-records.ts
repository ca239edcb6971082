import { rewritten } from '../../emulator/wire/answer.js';
import type { Serve } from '../../emulator/wire/serve.js';
import type { Habit } from './habit.js';
import { about } from './wire.js';

/** Nulls are left out of a record, and a list has only id and status of each intern. */
const serve: Serve = (next) => async (request) =>
  rewritten(await next(request), {
    json(json) {
      const record = json as Record<string, unknown> | null;
      if (typeof record !== 'object' || record === null) return;
      if ('vault_id' in record) for (const key of Object.keys(record)) if (record[key] === null) delete record[key];
      if (Array.isArray(record.data) && about(request).path === '/interns')
        record.data = record.data.map(({ id, name, status }) => ({ id, name, status }));
    },
  });

export const sparseRecords: Habit = {
  id: 'sparse-records',
  what: 'leaves fields out of records that the interface lets it leave out',
  kit: 'reads a field that is left out as null; warns if only a published sentence asks for the field',
  differs: ['GET-1'],
  serve,
};
