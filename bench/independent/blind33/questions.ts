import type { AskResult } from '../../../emulator/contract/interaction.js';
import type { Turn, TurnContext, TurnGenerator } from '../../../emulator/scripts/behaviour.js';
import { failed } from '../answers.js';
import { isPrompt, isReply, lastMessage, MINUTE, noting, sessionOf, way } from '../blind32/helpers.js';
import type { Way } from '../world.js';

const MANUAL = '`manual` makes the intern ask before approval-bearing tools such as the shell.';
const DRIVES = "When omitted the run self-drives and consents on the caller's behalf.";
const DEADLINE =
  'A question asked through `service.provide_input` stays open for its interaction deadline, 5 minutes by default.';
const REJECTED = 'Rejected replies do not extend the deadline.';
const SESSION = 'send a second request with the same `session_id`';

/** An intern that behaves otherwise. */
export const behaving = (
  name: string,
  quote: string,
  change: (inner: TurnGenerator, turn: Turn, hit: () => void, context: TurnContext) => TurnGenerator,
): Way => ({
  name,
  quote,
  factories: (usual, hit) => ({
    createRuns: (deps) =>
      usual.createRuns({
        ...deps,
        scripts: {
          resolveTurn(intern, given) {
            const chosen = deps.scripts.resolveTurn(intern, given);
            const { behaviour } = chosen;
            const turn: typeof behaviour.turn = (one, context) =>
              change(behaviour.turn(one, context), one, hit, context);
            return { ...chosen, behaviour: { ...behaviour, turn } };
          },
        },
      }),
  }),
});

export const questions: readonly Way[] = [
  behaving('allowed-once-is-allowed-always', MANUAL, async function* (inner, { approvalMode }, hit) {
    let allowed = false;
    let step = await inner.next();
    while (!step.done) {
      const event = step.value;
      const asks = 'ask' in event && event.ask.kind === 'permission' && approvalMode === 'manual';
      if (asks && allowed) hit();
      const answer: AskResult | undefined = asks && allowed ? 'allow_once' : yield event;
      allowed ||= asks && answer === 'allow_once';
      step = await inner.next(answer);
    }
  }),
  behaving('self-drive-waits-for-a-consent', DRIVES, async function* (inner, { approvalMode, origin }, hit, { clock }) {
    let step = await inner.next();
    while (!step.done) {
      const event = step.value;
      if ('ask' in event && event.ask.kind === 'permission' && approvalMode !== 'manual' && origin === 'chat') {
        hit();
        await clock.sleep(5 * MINUTE);
        yield { end: 'deadline' };
        return;
      }
      step = await inner.next(yield event);
    }
  }),
  way('question-deadline-of-the-run', DEADLINE, (w) => {
    const starts = new Map<string, number>();
    return async (call, next) => {
      const begun = w.setting.host.now();
      const start = isReply(call) ? starts.get(sessionOf(call) ?? '') : undefined;
      if (start !== undefined && begun - start > 5 * MINUTE) {
        w.hit();
        return failed(410, 'The intern ended the run', 'run_ended');
      }
      return noting(
        ({ session }) => isPrompt(call) && starts.set(session, begun),
        () => next(),
      )(call, next);
    };
  }),
  {
    name: 'rejected-answer-extends-the-deadline',
    quote: REJECTED,
    factories: (usual, hit) => ({
      createRuns(deps) {
        const rejected = new Map<string, number>();
        const asked = new Map<string, number>();
        const length = () => deps.settings().interaction_deadline;
        const watch = (intern: string, question: string, ms: number) => {
          deps.clock.timer(ms, () => {
            const left = (rejected.get(question) ?? 0) + length() - deps.clock.now();
            if (left > 0) watch(intern, question, left);
            else runs.expire(intern, question);
          });
        };
        const runs = usual.createRuns({
          ...deps,
          settings: () => ({ ...deps.settings(), interaction_deadline: 3 * length() }),
          changed(run, intern) {
            deps.changed?.(run, intern);
            const question = runs.find(run)?.view.question?.id;
            if (question === undefined || asked.has(question)) return;
            asked.set(question, deps.clock.now());
            watch(intern, question, length());
          },
        });
        return {
          ...runs,
          async reply(request) {
            const { interactionId } = request;
            const late = deps.clock.now() - (asked.get(interactionId) ?? deps.clock.now()) >= length();
            try {
              const reader = await runs.reply(request);
              if (late) hit();
              return reader;
            } catch (error) {
              rejected.set(interactionId, deps.clock.now());
              throw error;
            }
          },
        };
      },
    }),
  },
  way('answer-by-any-session', SESSION, (w) => {
    const homes = new Map<unknown, string>();
    return noting(
      ({ session, question }) => question !== undefined && homes.set(question, session),
      w.asked('chat', (call) => {
        const home = isReply(call) ? homes.get(lastMessage(call).tool_call_id) : undefined;
        return home !== undefined && home !== sessionOf(call) ? { ...call.body, session_id: home } : undefined;
      }),
    );
  }),
  way('question-closed-by-a-steer', DEADLINE, (w) => {
    const open = new Map<string, string>();
    const closed = new Set<unknown>();
    return noting(
      ({ session, question }) => (question === undefined ? open.delete(session) : open.set(session, question)),
      async (call, next) => {
        if (isReply(call) && closed.has(lastMessage(call).tool_call_id)) {
          w.hit();
          return failed(409, 'The interaction is no longer pending', 'interaction_not_pending');
        }
        const response = await next();
        if (isPrompt(call) && response.status === 202) closed.add(open.get(sessionOf(call) ?? ''));
        return response;
      },
    );
  }),
];
