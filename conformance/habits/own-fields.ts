import { rewritten } from '../../emulator/wire/answer.js';
import { isRecord } from '../../emulator/wire/json.js';
import type { Serve } from '../../emulator/wire/serve.js';
import type { Habit } from './habit.js';
import { eachRecord } from './wire.js';

/** Fields of its own that change with each answer, among those it shares with everybody. */
const serve: Serve = (next, { random }) => {
  const any = () => Math.floor(random() * 1e9).toString(36);
  return async (request) =>
    rewritten(await next(request), {
      headers(headers) {
        headers.set('server', `edge-${Math.floor(random() * 3)}`);
        headers.set('x-served-by', any());
        headers.set('etag', `W/"${any()}"`);
        if (random() < 0.5) headers.set('x-cache', 'MISS');
      },
      json(json) {
        // A create is answered again as it was answered first.
        const changes = request.method === 'POST' ? () => {} : eachRecord;
        changes(json, (record) => {
          record.last_seen_at = any();
          record.updated_at = new Date(
            Date.parse(String(record.updated_at)) + Math.floor(random() * 1e6),
          ).toISOString();
          record.secret_count = Math.floor(random() * 9);
        });
        if (!isRecord(json)) return;
        if (new URL(request.url).pathname.includes('/vault/'))
          for (const secret of [json.data].flat()) if (isRecord(secret)) secret.version = any();
        if (typeof json.token === 'string' && typeof json.origin === 'string') json.expires_at = any();
        if (isRecord(json.error) && isRecord(json.error.metadata)) json.error.metadata.request = any();
      },
    });
};

export const ownFields: Habit = {
  id: 'own-fields',
  what: 'has fields of its own',
  kit: 'passes over them; fields that change with each answer are not compared',
  serve,
};
