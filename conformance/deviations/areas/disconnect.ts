import { settings } from '../combinators/parts.js';
import { exchanges } from '../combinators/replies.js';
import { answering, endsRuns, showsRuns, withEnd } from '../combinators/runs.js';
import { staysOpenAfterDone, whenLeft } from '../combinators/streams.js';
import { defineDeviations, together } from '../mutant.js';

export const DISCONNECT = defineDeviations({
  'disconnect-not-noticed': {
    description: 'A run goes on when its client leaves.',
    mutant: whenLeft(() => false),
  },
  'disconnect-after-an-answer-not-noticed': {
    description: 'A client that leaves the stream after an answer cancels nothing.',
    mutant: () => {
      const answers = new WeakSet<Request>();
      return together(
        whenLeft(({ exchange }) => !answers.has(exchange.request)),
        exchanges(async (exchange, next) => {
          if (await answering(exchange)) answers.add(exchange.request);
          return next(exchange.request);
        }),
      );
    },
  },
  'disconnect-while-it-speaks-not-noticed': {
    description: 'A run is cancelled only when its client leaves in silence.',
    mutant: whenLeft(({ said }) => said < 2),
  },
  'disconnect-ends-all': {
    description: 'A client that leaves cancels every run of the intern.',
    mutant: withEnd((end) =>
      whenLeft(({ exchange }) => {
        setImmediate(() => end(exchange.internId, 'reset'));
        return true;
      }),
    ),
  },
  'disconnect-a-minute-later': {
    description: 'A run that waits is ended after a minute without a client.',
    mutant: settings({ interaction_deadline: 60_000 }),
  },
  'disconnect-of-who-steered-cancels': {
    description: 'The run that a prompt was steered into ends with the connection of that prompt.',
    mutant: endsRuns(({ operation }, { status }) => operation === 'chat' && status === 202),
  },
  'run-shown-as-cancelled-when-its-client-goes': {
    description: 'The control interface shows a run that stopped by itself as cancelled.',
    mutant: showsRuns((run) => (run.ended === 'stop' ? { ...run, ended: 'cancelled' } : run)),
  },
  'disconnect-after-done-counts': {
    description: 'The body ends a moment after [DONE], and a client that closes meanwhile has left its run.',
    mutant: withEnd((end) => staysOpenAfterDone(({ internId }) => end(internId, 'reset'))),
  },
});
