import { rewritten } from '../../emulator/wire/answer.js';
import { eachRecord, type Habit } from './habit.js';

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
  /** Statuses have other names. The interface states only `destroy_failed`. */
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
};
