import { wrap } from '../combinators/parts.js';
import { answers, errors, withoutHeader } from '../combinators/replies.js';
import { busy, refusesPrompts, streamingIn } from '../combinators/runs.js';
import { cannedReply } from '../combinators/streams.js';
import { defineDeviations } from '../mutant.js';

export const CHAT_LOCK = defineDeviations({
  'lock-not-there': {
    description: 'A prompt to an intern that is busy is answered by another of its kind.',
    mutant: answers({ of: 'chat', reason: 'busy', status: 409 }, cannedReply('Hm.')),
  },
  'lock-of-all-interns': {
    description: 'While a chat run streams no other intern takes a prompt.',
    mutant: refusesPrompts((request, runs) =>
      streamingIn(runs.list()).some((run) => run.intern_id !== request.intern.id),
    ),
  },
  'lock-kept-while-waiting': {
    description: 'A run that waits on a question keeps the lock.',
    mutant: refusesPrompts((request, runs) => {
      const waiting = runs.list(request.intern.id).find((run) => run.status === 'waiting');
      return waiting !== undefined && waiting.session_id !== request.sessionId;
    }),
  },
  'lock-held-by-invoke': {
    description: 'A run of invoke holds the lock.',
    mutant: refusesPrompts((request, runs) =>
      runs.list(request.intern.id).some((run) => run.origin === 'invoke' && run.status === 'running'),
    ),
  },
  'lock-keeps-invoke-out': {
    description: 'While a chat run streams invoke is 409 busy.',
    mutant: wrap({
      createRuns: (usual) => ({
        async invoke(request) {
          if (streamingIn(usual.list(request.intern.id)).length > 0) throw busy();
          return usual.invoke(request);
        },
      }),
    }),
  },
  'lock-kept-after-a-cancellation': {
    description: 'A run that was cancelled keeps the lock.',
    mutant: refusesPrompts(
      (request, runs) => runs.list(request.intern.id).find((run) => run.origin === 'chat')?.ended === 'cancelled',
    ),
  },
  'busy-for-good': {
    description: 'busy says that trying again does not help.',
    mutant: errors({ reason: 'busy', status: 409 }, { retryable: false }),
  },
  'busy-is-423': {
    description: 'busy is 423.',
    mutant: errors({ reason: 'busy', status: 409 }, { status: 423 }),
  },
  'busy-does-not-say-until-when': {
    description: 'The 409 of a busy intern has no Retry-After.',
    mutant: withoutHeader('retry-after', { status: 409 }),
  },
});
