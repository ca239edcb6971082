import { Refusal } from '../../../emulator/contract/errors.js';
import { wrap } from '../combinators/parts.js';
import { answers, typed } from '../combinators/replies.js';
import { answerInstead, rewriteAnswers } from '../combinators/requests.js';
import { answering, REFUSED, refusesAnswers, streamingIn } from '../combinators/runs.js';
import { DONE } from '../combinators/streams.js';
import { defineDeviations } from '../mutant.js';

export const CHAT_REFUSALS = defineDeviations({
  // A reply without session_id is 404.
  'reply-without-session-is-unknown': rewriteAnswers((body) => ({ session_id: 'none', ...body })),
  // A call that was never asked is 409 interaction_not_pending.
  'reply-to-an-unknown-call-is-409': refusesAnswers(({ reason }) =>
    reason === 'interaction_unknown' ? REFUSED.notPending : undefined,
  ),
  // The call of a run that has ended is unknown.
  'reply-forgets-ended-runs': refusesAnswers(({ reason }, { sessionId }, runs) =>
    reason === 'interaction_not_pending' &&
    !runs.some((run) => run.session_id === sessionId && run.status === 'waiting')
      ? REFUSED.unknown
      : undefined,
  ),
  'reply-busy-before-ended': refusesAnswers(({ reason }, _answer, runs) =>
    reason === 'interaction_not_pending' && streamingIn(runs).length > 0 ? REFUSED.busy : undefined,
  ),
  // An unacceptable answer is 400 before anything of its run is looked at.
  'reply-content-before-all': answerInstead(async (exchange) =>
    (await answering(exchange))?.content === 'no such option' ? REFUSED.unacceptable : undefined,
  ),
  // While the run streams an answer to its old question is interaction_not_pending.
  'reply-stale-before-streaming': refusesAnswers(({ reason }) =>
    reason === 'attachment_failed' ? REFUSED.notPending : undefined,
  ),
  // The call of a run that was cancelled, as by a suspend, is unknown.
  'reply-to-a-cancelled-run-is-404': refusesAnswers(({ reason }, { sessionId }, runs) =>
    reason === 'interaction_not_pending' &&
    runs.some((run) => run.session_id === sessionId && run.ended === 'cancelled')
      ? REFUSED.unknown
      : undefined,
  ),
  // A reply with stream false is taken.
  'reply-need-not-stream': rewriteAnswers((body) => ({ ...body, stream: true })),
  // An answer that comes second is answered with an empty stream.
  'reply-that-comes-second-is-200': answers({ of: ({ operation }) => operation === 'chat', status: 409 }, (reply) =>
    /attachment_failed|interaction_not_pending/.test(String(reply.body))
      ? { ...typed(reply, 'text/event-stream', DONE), status: 200 }
      : reply,
  ),
  // An answer to a run that streams is steered into it.
  'reply-delivered-to-the-streaming-run': wrap({
    createRuns: (usual) => ({
      async reply(request) {
        try {
          return await usual.reply(request);
        } catch (error) {
          if (error instanceof Refusal && error.key === 'attachment_failed')
            await usual.prompt({ ...request, prompt: request.content });
          throw error;
        }
      },
    }),
  }),
});
