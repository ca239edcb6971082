import { refusal } from '../../emulator/wire/answer.js';
import { about, isPrompt } from '../../emulator/wire/request.js';
import { beside, bodyOf, type Habit, idIn } from './habit.js';
import { excused, takesPrompts } from './measured.js';
import { isNow } from './not-now.js';
import { LATER } from './visit.js';

/** ms after a provision in which an intern takes no prompt, even if it runs. */
const WARMING = 5_000;

/** ms after which a refused first prompt is repeated. */
const PAUSE = 2_000;

/** ms after its first prompt within which a running intern may still be warming up. */
const READY_WITHIN = 10_000;

/** Most plain prompts until the intern takes one. */
const TRIES = 30;

export const warmingUp: Habit = {
  id: 'warming-up',
  what: 'needs a moment before it takes prompts',
  kit: 'tries again',
  /** A running intern needs a moment before it takes prompts. */
  serve: (next, { host }) => {
    const from = new Map<string, number>();
    return async (request) => {
      const { operation, id } = about(request);
      if (id !== undefined && isPrompt(operation) && host.now() < (from.get(id) ?? 0)) {
        // An error in the prompt itself comes first.
        const { messages, input } = await bodyOf(request);
        const seen = await next(beside(request, id, 'GET'));
        // If the read of the intern fails, the prompt fails, too.
        if (seen.status >= 500) return seen;
        if (seen.ok && (typeof input === 'string' || Array.isArray(messages)))
          return refusal(409, 'The intern is not ready', 'intern_not_ready', true);
      }
      const response = await next(request);
      if (!response.ok) return response;
      if (operation === 'provision' && id !== undefined) from.set(id, host.now() + WARMING);
      // A retried create boots nothing.
      if (operation === 'create' && response.status === 201) from.set(await idIn(response), host.now() + WARMING);
      return response;
    };
  },
  again: ({ id = '', first, status }, { dealings }) => {
    const { prompts, ran, took } = dealings.with(id);
    // Only for the first prompt since the last provision.
    return status === 409 && ran && !took && prompts.size === 1 && prompts.has(first) ? PAUSE : undefined;
  },
  explains: async ({ got, missedSuccess, seen }, visit) => {
    if (got?.status !== 409 || got.retryable !== true || isNow(got) || !missedSuccess) return undefined;
    const id = seen.at(-1)?.id;
    const { prompted, took } = visit.dealings.with(id ?? '');
    if (id === undefined || took || prompted === undefined || visit.now() - prompted >= READY_WITHIN) return undefined;
    // Before its first accepted prompt nothing can keep an intern busy.
    if (got.reason === 'busy') return { again: LATER };
    const getsReady = async () => {
      for (let tries = 0; tries < TRIES; tries++) {
        const taken = await takesPrompts(visit, id);
        if (taken === true || taken === undefined) return taken;
        await visit.sleep(PAUSE);
      }
      return false;
    };
    const skip = { kind: 'need', because: { kind: 'not-now', got } } as const;
    return excused(visit, 'warming-up', { again: LATER, skip }, getsReady);
  },
};
