import { defineMutants, together } from '../mutant.js';
import { exchanges } from '../operators/answers.js';
import { settings } from '../operators/parts.js';
import { answering, endsRuns, showsRuns, withEnd } from '../operators/runs.js';
import { staysOpenAfterDone, whenLeft } from '../operators/streams.js';

export const DISCONNECT = defineMutants({
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
  'disconnect-while-it-speaks-not-noticed': whenLeft(({ said }) => said < 2),
  // A client that leaves cancels every run of the intern.
  'disconnect-ends-all': withEnd((end) =>
    whenLeft(({ exchange }) => {
      setImmediate(() => end(exchange.internId));
      return true;
    }),
  ),
  // A client that leaves cancels the runs of all other interns.
  'disconnect-ends-others': withEnd((end) => {
    const prompted = new Set<string | undefined>();
    return together(
      whenLeft(({ exchange: { internId } }) => {
        for (const other of prompted) if (other !== internId) setImmediate(() => end(other));
        return true;
      }),
      exchanges((exchange, next) => {
        if (exchange.operation === 'chat') prompted.add(exchange.internId);
        return next(exchange.request);
      }),
    );
  }),
  'disconnect-a-minute-later': settings({ interaction_deadline: 60_000 }),
  // The run that a prompt was steered into ends with the connection of that prompt.
  'disconnect-of-who-steered-cancels': endsRuns({ of: 'chat', status: 202 }),
  // The control interface shows a run that stopped by itself as cancelled.
  'run-shown-as-cancelled-when-its-client-goes': showsRuns((run) =>
    run.ended === 'stop' ? { ...run, ended: 'cancelled' } : run,
  ),
  // The body ends a moment after [DONE], and a client that closes meanwhile has left its run.
  'disconnect-after-done-counts': withEnd((end) => staysOpenAfterDone(({ internId }) => end(internId))),
});
