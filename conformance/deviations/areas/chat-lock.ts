import { wrap } from '../combinators/parts.js';
import { answers, errors, withoutHeader } from '../combinators/replies.js';
import { busy, refusesPrompts, streamingIn } from '../combinators/runs.js';
import { cannedReply } from '../combinators/streams.js';
import { defineDeviations } from '../mutant.js';

export const CHAT_LOCK = defineDeviations({
  // A prompt to an intern that is busy is answered by another of its kind.
  'lock-not-there': answers({ of: 'chat', reason: 'busy', status: 409 }, cannedReply('Hm.')),
  // While a chat run streams no other intern takes a prompt.
  'lock-of-all-interns': refusesPrompts((request, runs) =>
    streamingIn(runs.list()).some((run) => run.intern_id !== request.intern.id),
  ),
  // A run that waits on a question keeps the lock.
  'lock-kept-while-waiting': refusesPrompts((request, runs) => {
    const waiting = runs.list(request.intern.id).find((run) => run.status === 'waiting');
    return waiting !== undefined && waiting.session_id !== request.sessionId;
  }),
  // A run of invoke holds the lock.
  'lock-held-by-invoke': refusesPrompts((request, runs) =>
    runs.list(request.intern.id).some((run) => run.origin === 'invoke' && run.status === 'running'),
  ),
  // While a chat run streams invoke is 409 busy.
  'lock-keeps-invoke-out': wrap({
    createRuns: (usual) => ({
      async invoke(request) {
        if (streamingIn(usual.list(request.intern.id)).length > 0) throw busy();
        return usual.invoke(request);
      },
    }),
  }),
  // A run that was cancelled keeps the lock.
  'lock-kept-after-a-cancellation': refusesPrompts(
    (request, runs) => runs.list(request.intern.id).find((run) => run.origin === 'chat')?.ended === 'cancelled',
  ),
  // busy says that trying again does not help.
  'busy-for-good': errors({ reason: 'busy', status: 409 }, { retryable: false }),
  'busy-is-423': errors({ reason: 'busy', status: 409 }, { status: 423 }),
  'busy-does-not-say-until-when': withoutHeader('retry-after', { status: 409 }),
});
