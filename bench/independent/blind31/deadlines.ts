import { Refusal } from '../../../emulator/contract/errors.js';
import type { Factories } from '../../../emulator/factories.js';
import type { Way } from '../world.js';
import { MINUTE, type RunsDeps } from './helpers.js';

const OPEN =
  'A question asked through `service.provide_input` stays open for its interaction deadline, 5 minutes by default.';

const isRejected = (error: unknown) => error instanceof Refusal && error.key === 'unacceptable_answer';

/** Runs with word of each question that is asked, once. */
function asked(
  make: Factories['createRuns'],
  deps: RunsDeps,
  then: (asked: { runId: string; internId: string; questionId: string }) => void,
) {
  const known = new Set<string>();
  const runs = make({
    ...deps,
    changed(runId, internId) {
      deps.changed?.(runId, internId);
      const questionId = runs.find(runId)?.view.question?.id;
      if (questionId === undefined || known.has(questionId)) return;
      known.add(questionId);
      then({ runId, internId, questionId });
    },
  });
  return {
    runs,
    isOpen: (internId: string, id: string) => runs.list(internId).some(({ question }) => question?.id === id),
  };
}

export const deadlines: readonly Way[] = [
  {
    name: 'a rejected reply gives a question five more minutes',
    quote: 'Rejected replies do not extend the deadline.',
    factories: (usual, hit) => ({
      createRuns(deps) {
        const until = new Map<string, number>();
        const longer = { ...deps, settings: () => ({ ...deps.settings(), interaction_deadline: 600 * MINUTE }) };
        const { runs, isOpen } = asked(usual.createRuns, longer, ({ internId, questionId }) => {
          const wait = (ms: number) =>
            deps.clock.timer(ms, () => {
              const left = (until.get(questionId) ?? 0) - deps.clock.now();
              if (left <= 0) return runs.expire(internId, questionId);
              if (isOpen(internId, questionId)) hit();
              wait(left);
            });
          wait(deps.settings().interaction_deadline);
        });
        return {
          ...runs,
          async reply(request) {
            try {
              return await runs.reply(request);
            } catch (error) {
              if (isRejected(error))
                until.set(request.interactionId, deps.clock.now() + deps.settings().interaction_deadline);
              throw error;
            }
          },
        };
      },
    }),
  },
  {
    // The run has one timer, which its first question starts.
    name: 'a later question of a run has only the time that the first one left',
    quote: OPEN,
    factories: (usual, hit) => ({
      createRuns(deps) {
        const first = new Map<string, number>();
        const { runs, isOpen } = asked(usual.createRuns, deps, ({ runId, internId, questionId }) => {
          const since = first.get(runId);
          if (since === undefined) return void first.set(runId, deps.clock.now());
          const left = since + deps.settings().interaction_deadline - deps.clock.now();
          deps.clock.timer(Math.max(1, left), () => {
            if (isOpen(internId, questionId)) hit();
            runs.expire(internId, questionId);
          });
        });
        return runs;
      },
    }),
  },
  {
    // The question is taken off before its answer is looked at.
    name: 'a rejected reply closes the question',
    quote: OPEN,
    factories: (usual, hit) => ({
      createRuns(deps) {
        const runs = usual.createRuns(deps);
        return {
          ...runs,
          async reply(request) {
            try {
              return await runs.reply(request);
            } catch (error) {
              if (isRejected(error)) {
                hit();
                runs.expire(request.intern.id, request.interactionId);
              }
              throw error;
            }
          },
        };
      },
    }),
  },
];
