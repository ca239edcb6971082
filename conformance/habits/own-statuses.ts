import { rewritten } from '../../emulator/wire/answer.js';
import { isRecord } from '../../emulator/wire/json.js';
import { GATEWAY } from '../probe/gateway.js';
import type { Habit } from './habit.js';
import { READS } from './visit.js';
import { eachRecord } from './wire.js';

/** The published statuses and what the deployment calls them. */
const WORDS: Readonly<Record<string, string>> = {
  queued: 'waiting_for_capacity',
  provisioning: 'booting',
  running: 'ready',
  failed: 'broken',
  stopped: 'asleep',
  destroying: 'removing',
};

export const ownStatuses: Habit = {
  id: 'own-statuses',
  what: 'has statuses of its own',
  kit: 'treats the status in which prompts are accepted as `running`; warns once, where the names are published',
  differs: ['GET-1', 'LIST-2'],
  /** Statuses have names of its own; one alone is stated. */
  serve: (next) => async (request) => {
    const url = new URL(request.url);
    const filters = url.searchParams.getAll('status');
    const canonical = (word: string) =>
      Object.entries(WORDS).find(([, own]) => own === word)?.[0] ?? (word in WORDS ? `no ${word}` : word);
    url.searchParams.delete('status');
    for (const filter of filters) url.searchParams.append('status', filter.split(',').map(canonical).join(','));
    return rewritten(await next(filters.length === 0 ? request : new Request(url, request)), {
      json: (json) =>
        eachRecord(json, (record) => {
          record.status = WORDS[String(record.status)] ?? record.status;
        }),
    });
  },
  address: (url, { learnt }) => learnt.words.address(url),
  /** The state that a write brings an intern to is the one it is shown with next. */
  learn: ({ send, id, rest, status, json, made }, { learnt: { words } }) => {
    const { method = 'GET', path = '' } = send;
    if (id !== undefined && !READS.has(method)) words.answered(id);
    if (!/^\/interns(?=[/?]|$)/.test(path)) return;
    const writes = id !== undefined && method !== 'PATCH' && !READS.has(method);
    if (writes && GATEWAY.has(status)) words.lost(id);
    if (status >= 300) return;
    if (made !== undefined) words.done(made, isRecord(send.json) && send.json.provision === true ? 'boot' : 'create');
    else if (writes) words.done(id, rest);
    if (isRecord(json))
      for (const record of Array.isArray(json.data) ? json.data : [json]) if (isRecord(record)) words.read(record);
  },
};
