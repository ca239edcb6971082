import { rewritten } from '../../emulator/wire/answer.js';
import type { Habit } from './habit.js';
import { about, beside, bodyOf, refusal, retryAfter } from './wire.js';

/** ms after the end of a stream in which the turn that it showed still closes. */
const CLOSES = 400;

/** The longest wait that counts as a moment, in ms. */
const MOMENT = 2_000;

export const closingTurns: Habit = {
  id: 'closing-turns',
  what: 'puts off answers to a question while the turn that asked it closes',
  kit: 'sends them again, where `Retry-After` says so and 2 s at most',
  serve: (next, { host }) => {
    /** Until when the turn of a tool call closes. */
    const closing = new Map<string, number>();
    return async (request) => {
      const { id, act } = about(request);
      if (id === undefined || act !== 'chat/completions') return next(request);
      const { messages } = await bodyOf(request);
      const last = Array.isArray(messages) ? messages.at(-1) : undefined;
      if (host.now() < (closing.get(last?.tool_call_id) ?? 0)) {
        // A caller who does not see the intern is refused first.
        const read = await next(beside(request, id, 'GET'));
        return read.ok ? refusal(409, 'The turn is closing', 'busy', true, { 'retry-after': '1' }) : read;
      }
      return rewritten(await next(request), {
        heard(sofar) {
          const call = /"id":"(call_[^"]+)"/.exec(sofar)?.[1];
          if (call !== undefined && sofar.includes('[DONE]')) closing.set(call, host.now() + CLOSES);
        },
      });
    };
  },
  again: ({ status, headers, answers }, { now }) => {
    const wait = status === 409 && answers ? retryAfter(headers.get('retry-after'), now()) : undefined;
    return wait !== undefined && wait <= MOMENT ? wait : undefined;
  },
};
