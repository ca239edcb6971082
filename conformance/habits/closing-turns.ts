import { refusal, rewritten } from '../../emulator/wire/answer.js';
import { isRecord, type Json } from '../../emulator/wire/json.js';
import { about, isPrompt } from '../../emulator/wire/request.js';
import { PROMPTS, TURNING } from './dealings.js';
import { beside, bodyOf, type Habit, retryAfter } from './habit.js';

/** ms for which a turn begins, and for which it ends. */
const TURNS = 400;

export const closingTurns: Habit = {
  id: 'closing-turns',
  what: 'refuses prompts and answers for a moment while a turn of the session begins or ends',
  kit: 'sends them again if `Retry-After` says so and less than 2 s have passed',
  serve: (next, { host }) => {
    /** The time until which a turn of a session begins, or one of an intern ends. */
    const turning = new Map<string, number>();
    const turns = (name: string) => host.now() < (turning.get(name) ?? 0);
    return async (request) => {
      const { operation, id } = about(request);
      if (id === undefined || !isPrompt(operation)) return next(request);
      const { session_id } = await bodyOf(request);
      if (turns(id) || turns(`${id} ${session_id}`)) {
        // A caller who does not see the intern is refused first, and an intern that does not run says so.
        const read = await next(beside(request, id, 'GET'));
        if (read.ok && ((await read.json()) as { status: string }).status === 'running')
          return refusal(409, 'The turn is closing', 'busy', true, { 'retry-after': '1' });
      }
      const response = await next(request);
      const soon = () => host.now() + TURNS;
      // An invoke says which session its turn is in.
      const begun =
        operation === 'invoke' && response.ok ? ((await response.clone().json()) as Json).session_id : session_id;
      if (response.ok && begun !== undefined) turning.set(`${id} ${begun}`, soon());
      return rewritten(response, { heard: (sofar) => void (sofar.includes('[DONE]') && turning.set(id, soon())) });
    };
  },
  // A longer busy intern is a finding. A run has no known end after its client left, so it excuses nothing.
  again: ({ send, id = '', rest, status, headers, headAfter }, { dealings, now }) => {
    const { turned } = dealings.with(id);
    if (!PROMPTS.test(rest) || turned === undefined || status !== 409) return undefined;
    const isOf = turned.session === undefined || (isRecord(send.json) && send.json.session_id === turned.session);
    const wait = retryAfter(headers.get('retry-after'), now()) ?? Number.POSITIVE_INFINITY;
    return isOf && now() - headAfter + wait - turned.at <= TURNING ? wait : undefined;
  },
};
