import type { Factories } from '../../../emulator/factories.js';
import type { Way } from '../world.js';
import { made } from './tools.js';

type Runs = ReturnType<Factories['createRuns']>;
type Deps = Parameters<Factories['createRuns']>[0];
type Clock = Deps['clock'];
type Timer = ReturnType<Clock['timer']>;

/** A clock whose timers can be set anew, found by when they are due. */
function movable(clock: Clock) {
  const open = new Map<number, (ms: number) => void>();
  const timer: Clock['timer'] = (ms, call, kind) => {
    if (kind === 'work') return clock.timer(ms, call, kind);
    let current: Timer;
    let due: number;
    const set = (from: number) => {
      due = clock.now() + from;
      const fire = () => {
        open.delete(due);
        call();
      };
      current = clock.timer(from, fire, kind);
      open.set(due, again);
    };
    const again = (later: number) => {
      current.cancel();
      open.delete(due);
      set(later);
    };
    set(ms);
    return {
      cancel() {
        open.delete(due);
        current.cancel();
      },
    } as Timer;
  };
  return {
    clock: Object.create(clock, { timer: { value: timer } }) as Clock,
    move: (due: number, ms: number) => open.get(due)?.(ms),
  };
}

const questionOf = (runs: Runs, internId: string, id: string) =>
  runs.list(internId).find(({ question }) => question?.id === id)?.question;

export const rejectedExtends: Way = made(
  'an answer that is rejected starts the deadline of its question anew',
  'Rejected replies do not extend the deadline.',
  (usual, hit) => ({
    createRuns(deps) {
      const { clock, move } = movable(deps.clock);
      const runs = usual.createRuns({ ...deps, clock });
      return {
        ...runs,
        async reply(asked) {
          try {
            return await runs.reply(asked);
          } catch (error) {
            const question = questionOf(runs, asked.intern.id, asked.interactionId);
            if (question) {
              hit();
              move(Date.parse(question.deadline), deps.settings().interaction_deadline);
            }
            throw error;
          }
        },
      };
    },
  }),
);

export const lateAnswer: Way = made(
  'a question can be answered long after its deadline',
  'When the deadline passes the run is cancelled.',
  (usual, hit) => ({
    createRuns(deps) {
      const settings = () => ({
        ...deps.settings(),
        interaction_deadline: 100 * deps.settings().interaction_deadline,
      });
      const runs = usual.createRuns({ ...deps, settings });
      return {
        ...runs,
        async reply(asked) {
          const question = questionOf(runs, asked.intern.id, asked.interactionId);
          const late = question && Date.parse(question.deadline) - 99 * deps.settings().interaction_deadline;
          if (late !== undefined && deps.clock.now() > late) hit();
          return runs.reply(asked);
        },
      };
    },
  }),
);

export const steerExtends: Way = made(
  'a prompt that is delivered into a run starts its deadline anew',
  'A run started by `invoke` ends when the intern finishes it, or after its execution deadline, 1 hour by default.',
  (usual, hit) => ({
    createRuns(deps) {
      const { clock, move } = movable(deps.clock);
      const runs = usual.createRuns({ ...deps, clock });
      return {
        ...runs,
        async invoke(asked) {
          const answer = await runs.invoke(asked);
          const run = runs.list(asked.intern.id).find((one) => one.session_id === answer.session_id);
          if (answer.status !== 'steered' || run?.origin !== 'invoke') return answer;
          const { execution_deadline: hour } = deps.settings();
          hit();
          move(Date.parse(run.started_at) + hour, hour);
          return answer;
        },
      };
    },
  }),
);

/** With what goes on inside, for a way that looks from outside. */
export function knowingRuns(way: Omit<Way, 'factories' | 'wrong'>, wrong: (runs: () => Runs) => Way['wrong']): Way {
  let runs: Runs | undefined;
  const known = () => {
    if (runs === undefined) throw new Error('there are no runs yet');
    return runs;
  };
  const answer = wrong(known);
  return {
    ...way,
    ...(answer ? { wrong: answer } : {}),
    factories: (usual) => ({
      createRuns(deps) {
        runs = usual.createRuns(deps);
        return runs;
      },
    }),
  };
}
