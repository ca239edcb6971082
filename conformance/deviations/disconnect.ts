import type { Runs } from '../../emulator/domain/runs.js';
import type { Alterable } from './alterations.js';
import { makes, watches } from './change-runs.js';
import { defineDeviations, together } from './deviation.js';

export const DISCONNECT = defineDeviations([
  {
    name: 'disconnect-not-noticed',
    requirement: 'CHAT-10',
    description: 'A run goes on when its client leaves.',
    alters: makes('reader', (attach) => (run, cancel) => {
      const reader = attach(run, cancel);
      return { ...reader, leave: reader.finish };
    }),
    caughtBy: [
      'disconnect/while-silent',
      'disconnect/cancels',
      'disconnect/while-it-speaks',
      'disconnect/before-first-word',
      'disconnect/answered-run',
      'chat-lock/let-go-by-disconnect',
    ],
  },
  {
    name: 'disconnect-noticed-at-the-next-word',
    requirement: 'CHAT-10',
    description: 'A client that leaves a silent stream is noticed when the intern speaks again.',
    alters: () => {
      let clock: Alterable['clock'] | undefined;
      return {
        clock(usual) {
          clock = usual;
          return usual;
        },
        ...makes('reader', (attach) => (run, cancel) => {
          const reader = attach(run, cancel);
          return {
            ...reader,
            leave() {
              clock?.timer(45_000, reader.leave);
            },
          };
        }),
      };
    },
    caughtBy: ['disconnect/while-silent', 'disconnect/cancels', 'disconnect/before-first-word'],
  },
  {
    name: 'disconnect-before-a-word-not-noticed',
    requirement: 'CHAT-10',
    description: 'A client that leaves before the first word cancels nothing.',
    alters: makes('reader', (attach) => (run, cancel) => {
      const reader = attach(run, cancel);
      return { ...reader, leave: () => (run.yielded === 0 ? reader.finish() : reader.leave()) };
    }),
    caughtBy: ['disconnect/before-first-word'],
  },
  {
    name: 'disconnect-after-an-answer-not-noticed',
    requirement: 'CHAT-10',
    description: 'A client that leaves the stream after an answer cancels nothing.',
    alters: makes('reader', (attach) => (run, cancel) => {
      const reader = attach(run, cancel);
      return { ...reader, leave: () => (run.asked ? reader.finish() : reader.leave()) };
    }),
    caughtBy: ['disconnect/answered-run'],
  },
  {
    name: 'disconnect-while-it-speaks-not-noticed',
    requirement: 'CHAT-10',
    description: 'A run is cancelled only when its client leaves in silence.',
    alters: makes('reader', (attach) => (run, cancel) => {
      const reader = attach(run, cancel);
      return { ...reader, leave: () => (run.yielded > 2 ? reader.finish() : reader.leave()) };
    }),
    caughtBy: ['disconnect/while-it-speaks'],
  },
  {
    name: 'disconnect-ends-all',
    requirement: 'CHAT-10',
    description: 'A client that leaves cancels every run of the intern.',
    alters: () => {
      let endAll: Runs['endAll'] = () => {};
      return {
        runs(usual) {
          endAll = usual.endAll;
          return usual;
        },
        ...makes('reader', (attach) => (run, cancel) => {
          const reader = attach(run, cancel);
          return {
            ...reader,
            leave() {
              reader.leave();
              endAll(run.internId, 'reset');
            },
          };
        }),
      };
    },
    caughtBy: ['disconnect/only-its-own'],
  },
  {
    name: 'disconnect-after-done-counts',
    requirement: 'CHAT-9',
    description: 'The body ends a moment after [DONE], and a client that cancels it meanwhile has left its run.',
    alters: () => {
      const end = new Map<string, () => void>();
      return together(
        watches((run, _from, runner) => {
          if (run.status === 'waiting') end.set(run.sessionId, () => runner.end(run, { ended: 'cancelled' }));
          else end.delete(run.sessionId);
        }),
        {
          body: (create) => (options) => {
            const body = create(options);
            if (typeof body === 'string') return body;
            const session = (options.source as { sessionId?: string }).sessionId ?? '';
            const reader = body.getReader();
            let gone = false;
            return new ReadableStream<Uint8Array>(
              {
                async pull(controller) {
                  const { done, value } = await reader.read();
                  if (!done) return controller.enqueue(value);
                  for (let turns = 0; turns < 100 && !gone; turns++) await new Promise((next) => setImmediate(next));
                  if (!gone) controller.close();
                },
                cancel(reason) {
                  gone = true;
                  end.get(session)?.();
                  return reader.cancel(reason);
                },
              },
              { highWaterMark: 0 },
            );
          },
        },
      );
    },
    caughtBy: ['disconnect/cancel-after-done', 'disconnect/after-each-done', 'disconnect/after-done'],
  },
  {
    name: 'disconnect-a-minute-later',
    requirement: 'CHAT-9',
    description: 'A run that waits is cancelled when nobody has been connected for a minute.',
    alters: watches((run, _from, runner, deps) => {
      if (run.status === 'waiting')
        deps.clock.timer(60_000, () => {
          if (run.status === 'waiting') runner.end(run, { ended: 'cancelled' });
        });
    }),
    caughtBy: ['disconnect/cancel-after-done', 'chat-deadlines/open-until'],
  },
  {
    name: 'disconnect-of-who-steered-cancels',
    requirement: 'CHAT-10',
    description: 'The run that a prompt was steered into ends with the connection of that prompt.',
    alters: () => {
      let endAll: Runs['endAll'] = () => {};
      return together(
        {
          runs(usual) {
            endAll = usual.endAll;
            return usual;
          },
        },
        {
          routes: (table) =>
            table.map((row) =>
              row.operation !== 'chat'
                ? row
                : {
                    ...row,
                    async handle(call) {
                      const answer = await row.handle(call);
                      if (answer.status === 202) setImmediate(() => endAll(call.intern.id, 'reset'));
                      return answer;
                    },
                  },
            ),
        },
      );
    },
    caughtBy: ['disconnect/of-who-steered'],
  },
  {
    name: 'run-shown-as-cancelled-when-its-client-goes',
    requirement: 'EMU-4',
    description: 'The control interface shows a run that stopped by itself as cancelled.',
    alters: {
      runs: (usual) => ({
        ...usual,
        list: (id) =>
          usual.list(id).map((run) => (run.ended === 'stop' ? { ...run, ended: 'cancelled' as const } : run)),
      }),
    },
    caughtBy: ['disconnect/after-stop', 'chat-endings/shown'],
  },
]);
