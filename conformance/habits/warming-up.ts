import type { Habit } from './habit.js';
import { excused, takesPrompts } from './measured.js';
import { isNow } from './not-now.js';
import { LATER } from './visit.js';
import { about, beside, bodyOf, idIn, refusal } from './wire.js';

/** ms from a provision on in which an intern takes no prompt, whether it runs by then or not. */
const WARMING = 5_000;

/** ms after which a prompt is sent again to an intern that does not take its first one yet. */
const READY = 2_000;

/** ms from its first prompt on in which an intern that runs may not be ready yet. */
const READY_AFTER = 10_000;

/** How often a plain prompt is tried until one is taken. */
const TRIES = 30;

export const warmingUp: Habit = {
  id: 'warming-up',
  what: 'needs a moment before it takes prompts',
  kit: 'tries again',
  /** An intern that has come to run takes a moment until it takes prompts. */
  serve: (next, { host }) => {
    const from = new Map<string, number>();
    return async (request) => {
      const { id, act, creates } = about(request);
      if (id !== undefined && /^(chat|invoke)/.test(act) && host.now() < (from.get(id) ?? 0)) {
        // An error in the prompt itself comes first.
        const { messages, input } = await bodyOf(request);
        const seen = await next(beside(request, id, 'GET'));
        // A failure that keeps it from looking keeps it from the prompt too.
        if (seen.status >= 500) return seen;
        if (seen.ok && (typeof input === 'string' || Array.isArray(messages)))
          return refusal(409, 'The intern is not ready', 'intern_not_ready', true);
      }
      const response = await next(request);
      if (!response.ok) return response;
      if (act === 'provision' && id !== undefined) from.set(id, host.now() + WARMING);
      // A create that is replayed boots nothing.
      if (creates && response.status === 201) from.set(await idIn(response), host.now() + WARMING);
      return response;
    };
  },
  again: ({ id = '', first, status }, { dealings }) => {
    const { prompts, ran, took } = dealings.with(id);
    // The one prompt that it got since it was last provisioned.
    return status === 409 && ran && !took && prompts.size === 1 && prompts.has(first) ? READY : undefined;
  },
  explains: async ({ got, missedSuccess, seen }, visit) => {
    if (got?.status !== 409 || got.retryable !== true || isNow(got) || !missedSuccess) return undefined;
    const id = seen.at(-1)?.id;
    const { prompted, took } = visit.dealings.with(id ?? '');
    if (id === undefined || took || prompted === undefined || visit.now() - prompted >= READY_AFTER) return undefined;
    // An intern that has taken no prompt yet runs nothing that could keep it busy.
    if (got.reason === 'busy') return { again: LATER };
    const getsReady = async () => {
      for (let tries = 0; tries < TRIES; tries++) {
        const taken = await takesPrompts(visit, id);
        if (taken === true || taken === undefined) return taken;
        await visit.sleep(READY);
      }
      return false;
    };
    const skip = { kind: 'need', because: { kind: 'not-now', got } } as const;
    return excused(visit, 'warming-up', { again: LATER, skip }, getsReady);
  },
};
