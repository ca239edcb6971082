import { settings } from '../combinators/parts.js';
import { exchanges } from '../combinators/replies.js';
import { answering, endsRuns, showsRuns, withEnd } from '../combinators/runs.js';
import { staysOpenAfterDone, whenLeft } from '../combinators/streams.js';
import { defineDeviations, together } from '../mutant.js';

export const DISCONNECT = defineDeviations({
  // A run goes on when its client leaves.
  'disconnect-not-noticed': whenLeft(() => false),
  // A client that leaves the stream after an answer cancels nothing.
  'disconnect-after-an-answer-not-noticed': () => {
    const answers = new WeakSet<Request>();
    return together(
      whenLeft(({ exchange }) => !answers.has(exchange.request)),
      exchanges(async (exchange, next) => {
        if (await answering(exchange)) answers.add(exchange.request);
        return next(exchange.request);
      }),
    );
  },
  // A run is cancelled only when its client leaves in silence.
  'disconnect-while-it-speaks-not-noticed': whenLeft(({ said }) => said < 2),
  // A client that leaves cancels every run of the intern.
  'disconnect-ends-all': withEnd((end) =>
    whenLeft(({ exchange }) => {
      setImmediate(() => end(exchange.internId, 'reset'));
      return true;
    }),
  ),
  // A run that waits is ended after a minute without a client.
  'disconnect-a-minute-later': settings({ interaction_deadline: 60_000 }),
  // The run that a prompt was steered into ends with the connection of that prompt.
  'disconnect-of-who-steered-cancels': endsRuns(({ operation }, { status }) => operation === 'chat' && status === 202),
  // The control interface shows a run that stopped by itself as cancelled.
  'run-shown-as-cancelled-when-its-client-goes': showsRuns((run) =>
    run.ended === 'stop' ? { ...run, ended: 'cancelled' } : run,
  ),
  // The body ends a moment after [DONE], and a client that closes meanwhile has left its run.
  'disconnect-after-done-counts': withEnd((end) => staysOpenAfterDone(({ internId }) => end(internId, 'reset'))),
});
