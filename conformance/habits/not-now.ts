import { GATEWAY } from '../probe/gateway.js';
import type { Habit } from './habit.js';
import { LATER, type Sighting } from './visit.js';

/** Statuses that say that it cannot be done now, whatever else they say. */
const NOW: ReadonlySet<number> = new Set([408, 429, ...GATEWAY]);

/** Whether an answer says that it cannot be done now (5xx: stated to be retryable for signing and by CHAT-16). */
export const isNow = ({ status, reason, retryable }: NonNullable<Sighting['got']>): boolean =>
  NOW.has(status) || (status >= 500 && retryable === true) || (status === 409 && reason === 'intern_unreachable');

/** Whether an answer says that the intern is busy, in the published word for it or in one of its own. */
export const isBusy = (got: Sighting['got']): got is NonNullable<Sighting['got']> =>
  got?.status === 409 && (got.reason === 'busy' || got.retryable === true);

export const notNow: Habit = {
  id: 'not-now',
  what: 'answers 5xx that may be tried again',
  kit: 'retries, 2 and 4 s later',
  explains: ({ got, missedSuccess }) => {
    if (got === undefined || !isNow(got)) return undefined;
    // A gateway may answer in between, and then the refusal was not seen: it is expected again, and its absence counts.
    if (!missedSuccess && got.status !== 429) return GATEWAY.has(got.status) ? { again: LATER } : undefined;
    return { again: LATER, skip: { kind: 'need', because: { kind: 'not-now', got } } };
  },
};
