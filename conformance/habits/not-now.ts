import { GATEWAY } from '../probe/gateway.js';
import type { Habit } from './habit.js';
import { LATER, type Sighting } from './visit.js';

/** Statuses of temporary refusals. */
const NOW: ReadonlySet<number> = new Set([408, 429, ...GATEWAY]);

/** Whether an answer is a temporary refusal. A 5xx is stated to be retryable for signing and by CHAT-16. */
export const isNow = ({ status, reason, retryable }: NonNullable<Sighting['got']>): boolean =>
  NOW.has(status) || (status >= 500 && retryable === true) || (status === 409 && reason === 'intern_unreachable');

/** Whether an answer says that the intern is busy, with the published reason or another one. */
export const isBusy = (got: Sighting['got']): got is NonNullable<Sighting['got']> =>
  got?.status === 409 && (got.reason === 'busy' || got.retryable === true);

export const notNow: Habit = {
  id: 'not-now',
  what: 'answers retryable 5xx',
  kit: 'retries, 2 and 4 s later',
  explains: ({ got, missedSuccess }) => {
    if (got === undefined || !isNow(got)) return undefined;
    // A gateway may have answered in place of the expected refusal: the check is repeated.
    if (!missedSuccess && got.status !== 429) return GATEWAY.has(got.status) ? { again: LATER } : undefined;
    return { again: LATER, skip: { kind: 'need', because: { kind: 'not-now', got } } };
  },
};
