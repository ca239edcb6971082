import { Refusal } from '../../emulator/contract/errors.js';
import type { Run } from '../../emulator/domain/run.js';
import type { Alterations } from './alterations.js';
import { numbers, restatus } from './change.js';
import { otherwise, waitingOf, watches } from './change-runs.js';
import { defineDeviations } from './deviation.js';

/** Gives a question that waits its whole time again. */
const extend = (
  run: Run,
  ms: number,
  end: (run: Run) => void,
  timer: (ms: number, then: () => void) => Run['timer'],
) => {
  if (run.status !== 'waiting' || !run.question) return;
  run.timer?.cancel();
  run.question = { ...run.question, deadline: run.question.deadline + ms };
  run.timer = timer(ms, () => end(run));
};

/** Extends the question of a run where `when` says so. */
const extendsWhere = (when: (extendRun: (session: string) => void) => Alterations): Alterations => {
  const waiting = new Map<string, () => void>();
  const seen = watches((run, _from, runner, deps) => {
    if (run.status !== 'waiting') return void waiting.delete(run.sessionId);
    waiting.set(run.sessionId, () =>
      extend(run, deps.interactionDeadline(), (one) => runner.end(one, { ended: 'deadline' }), deps.clock.timer),
    );
  });
  return { ...seen, ...when((session) => waiting.get(session)?.()) };
};

export const CHAT_DEADLINES = defineDeviations([
  {
    name: 'deadline-of-four-minutes',
    requirement: 'CHAT-7',
    description: 'A question stays open for four minutes.',
    alters: numbers({ interaction_deadline: 240_000 }),
    caughtBy: ['chat-deadlines/open-until', 'chat-deadlines/to-the-millisecond', 'chat-deadlines/second-question'],
  },
  {
    name: 'deadline-of-ten-minutes',
    requirement: 'CHAT-7',
    description: 'A question stays open for ten minutes.',
    alters: numbers({ interaction_deadline: 600_000 }),
    caughtBy: [
      'chat-deadlines/closed-after',
      'chat-deadlines/to-the-millisecond',
      'chat-deadlines/late-answer',
      'chat-deadlines/shown-as-deadline',
      'chat-deadlines/not-extended-by-a-look',
    ],
  },
  {
    name: 'deadline-two-milliseconds-early',
    requirement: 'CHAT-7',
    description: 'A question closes two milliseconds before its five minutes are over.',
    alters: numbers({ interaction_deadline: 299_998 }),
    caughtBy: ['chat-deadlines/to-the-millisecond', 'chat-deadlines/second-question'],
  },
  {
    name: 'deadline-two-milliseconds-late',
    requirement: 'CHAT-7',
    description: 'A question closes two milliseconds after its five minutes are over.',
    alters: numbers({ interaction_deadline: 300_002 }),
    caughtBy: ['chat-deadlines/to-the-millisecond'],
  },
  {
    name: 'deadline-only-while-connected',
    requirement: 'CHAT-7',
    description: 'A question that nobody is connected to never runs out.',
    alters: watches((run) => {
      if (run.status !== 'waiting') return;
      run.timer?.cancel();
      run.timer = undefined;
    }),
    caughtBy: ['chat-deadlines/closed-after', 'chat-deadlines/each-its-own', 'chat-deadlines/not-extended'],
  },
  {
    name: 'deadline-passes-unnoticed',
    requirement: 'CHAT-7',
    description: 'At its deadline a question refuses answers, but its run is still waiting.',
    alters: () => {
      let now = () => 0;
      return {
        ...numbers({ interaction_deadline: 300_001 }),
        runs: (usual) => ({
          ...usual,
          async reply(request) {
            const asking = waitingOf(usual, request);
            if (asking?.question && now() >= Date.parse(asking.question.deadline) - 1)
              throw new Refusal('interaction_not_pending');
            return usual.reply(request);
          },
        }),
        clock(clock) {
          now = () => clock.now();
          return clock;
        },
      };
    },
    caughtBy: ['chat-deadlines/at-the-deadline'],
  },
  {
    name: 'deadline-passed-is-410',
    requirement: 'CHAT-7',
    description: 'A late answer is 410.',
    alters: restatus('interaction_not_pending', 409, 410),
    caughtBy: ['chat-deadlines/late-answer', 'chat-refusals/stale', 'chat-refusals/ended-before-busy'],
  },
  {
    name: 'deadline-shown-as-cancelled',
    requirement: 'EMU-4',
    description: 'The control interface shows a question that ran out as cancelled.',
    alters: {
      runs: (usual) => ({
        ...usual,
        list: (id) =>
          usual.list(id).map((run) => (run.ended === 'deadline' ? { ...run, ended: 'cancelled' as const } : run)),
      }),
    },
    caughtBy: ['chat-deadlines/shown-as-deadline', 'chat-endings/shown', 'invoke-runs/deadline-shown'],
  },
  {
    name: 'deadline-extended-by-rejected-replies',
    requirement: 'CHAT-7',
    description: 'An unacceptable answer gives a question five more minutes.',
    alters: () =>
      extendsWhere((again) =>
        otherwise((error, request) => {
          if (error.key === 'bad_request') again(request.sessionId);
          return undefined;
        }),
      ),
    caughtBy: ['chat-deadlines/not-extended'],
  },
  {
    name: 'deadline-extended-by-busy-replies',
    requirement: 'CHAT-7',
    description: 'An answer that is told busy gives its question five more minutes.',
    alters: () =>
      extendsWhere((again) =>
        otherwise((error, request) => {
          if (error.key === 'busy') again(request.sessionId);
          return undefined;
        }),
      ),
    caughtBy: ['chat-deadlines/not-extended'],
  },
  {
    name: 'deadline-extended-by-steering',
    requirement: 'CHAT-7',
    description: 'A prompt that is steered into a waiting run gives its question five more minutes.',
    alters: () =>
      extendsWhere((again) => ({
        runs: (usual) => ({
          ...usual,
          prompt(request) {
            if (request.sessionId !== undefined) again(request.sessionId);
            return usual.prompt(request);
          },
        }),
      })),
    caughtBy: ['chat-deadlines/not-extended-by-a-look'],
  },
  {
    name: 'deadline-of-the-run',
    requirement: 'CHAT-7',
    description: 'All questions of a run share the five minutes of the first.',
    alters: () => {
      const first = new Map<string, number>();
      return watches((run, _from, runner, deps) => {
        if (run.status !== 'waiting' || !run.question) return;
        const due = first.get(run.id) ?? run.question.deadline;
        first.set(run.id, due);
        run.timer?.cancel();
        run.timer = deps.clock.timer(Math.max(1, due - deps.clock.now()), () => runner.end(run, { ended: 'deadline' }));
      });
    },
    caughtBy: ['chat-deadlines/second-question'],
  },
  {
    name: 'deadline-goes-on-after-the-answer',
    requirement: 'CHAT-7',
    description: 'A run is cancelled five minutes after its question, answered or not.',
    alters: watches((run, _from, runner, deps) => {
      if (run.status === 'waiting')
        deps.clock.timer(deps.interactionDeadline(), () => runner.end(run, { ended: 'deadline' }));
    }),
    caughtBy: ['chat-deadlines/answered-in-time'],
  },
  {
    name: 'deadline-of-one-ends-all',
    requirement: 'CHAT-7',
    description: 'When one question runs out all runs of the intern end.',
    alters: () => {
      const waiting = new Set<Run>();
      return watches((run, _from, runner) => {
        if (run.status === 'waiting') waiting.add(run);
        else waiting.delete(run);
        if (run.ended !== 'deadline') return;
        for (const other of [...waiting]) if (other.internId === run.internId) runner.end(other, { ended: 'deadline' });
      });
    },
    caughtBy: ['chat-deadlines/each-its-own'],
  },
]);
