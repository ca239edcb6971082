import type { Ask, AskResult } from '../../../emulator/contract/interaction.js';
import type { BehaviourEvent, TurnGenerator } from '../../../emulator/scripts/behaviour.js';
import { isJson, withBody } from '../call.js';
import type { Way } from '../world.js';
import { answerIn, isFinal, questionIn, runsOf, turning } from './helpers.js';

const MANUAL = '`manual` makes the intern ask before approval-bearing tools such as the shell.';
const DELIVERED = 'The answer is delivered to the run that asked, and the stream continues from where it paused.';
const STEERED =
  'When a prompt is sent to a session that already has a run going, the prompt is delivered into that run, and the reported status is steered.';

interface Asking {
  /** An answer that the run gives by itself, so that nobody is asked. */
  own?(ask: Ask): AskResult | undefined;
  /** The reaction to an answer, in place of the intern's own. */
  instead?(ask: Ask, answer: AskResult): BehaviourEvent | undefined;
}

async function* asking(usual: TurnGenerator, { own, instead }: Asking): TurnGenerator {
  let answer: AskResult | undefined;
  try {
    for (;;) {
      const { done, value } = await usual.next(answer);
      answer = undefined;
      if (done === true) return;
      if (!('ask' in value)) {
        yield value;
        continue;
      }
      answer = own?.(value.ask) ?? (yield value);
      const other = answer && instead?.(value.ask, answer);
      if (other) yield other;
    }
  } finally {
    await usual.return(undefined);
  }
}

export const questions: readonly Way[] = [
  {
    // An allowed operation is remembered for the run.
    name: 'allow_once allows the same tool for the rest of the run',
    quote: MANUAL,
    factories: (usual, hit) => ({
      createRuns: (deps) =>
        usual.createRuns(
          turning(deps, ({ approvalMode }, _, generator) => {
            const allowed = new Set<string>();
            return asking(generator, {
              own(ask) {
                if (ask.kind !== 'permission' || !allowed.has(ask.operation)) return undefined;
                hit();
                return 'allow_once';
              },
              instead(ask, answer) {
                if (ask.kind === 'permission' && answer === 'allow_once' && approvalMode === 'manual')
                  allowed.add(ask.operation);
                return undefined;
              },
            });
          }),
        ),
    }),
  },
  {
    // It drives itself: it answers everything.
    name: 'a self-driving chat run answers its own questions too',
    quote:
      'The stream pauses with a tool call named `service.provide_input` when the intern needs permission or an answer from the caller.',
    factories: (usual, hit) => ({
      createRuns: (deps) =>
        usual.createRuns(
          turning(deps, ({ approvalMode, origin }, _, generator) =>
            asking(generator, {
              own(ask) {
                if (ask.kind !== 'elicitation' || origin !== 'chat' || approvalMode === 'manual') return undefined;
                hit();
                return ask.fallback ?? { action: 'decline' };
              },
            }),
          ),
        ),
    }),
  },
  {
    name: 'a permission that is rejected cancels the run',
    quote: DELIVERED,
    factories: (usual, hit) => ({
      createRuns: (deps) =>
        usual.createRuns(
          turning(deps, ({ approvalMode }, _, generator) =>
            asking(generator, {
              instead(_ask, answer) {
                if (approvalMode !== 'manual' || !String(answer).startsWith('reject_')) return undefined;
                hit();
                return { end: 'cancelled' };
              },
            }),
          ),
        ),
    }),
  },
  {
    // They were said before the new reader was attached.
    name: 'the first words after an answer are lost',
    quote: DELIVERED,
    wrong: (world) =>
      world.stream((call) => {
        let due = answerIn(call) !== undefined;
        return (_, chunk) => {
          const content = chunk?.choices[0]?.delta.content;
          if (!due || typeof content !== 'string' || content === '') return undefined;
          due = false;
          return [];
        };
      }),
  },
  {
    // The id of the call is enough to find the run.
    name: 'an answer may name any session',
    quote: 'send a second request with the same `session_id`',
    wrong: (world) => {
      const sessions = new Map<unknown, unknown>();
      const stream = world.stream(() => {
        let id: unknown;
        return (_, chunk) => {
          id = questionIn(chunk)?.id ?? id;
          if (isFinal(chunk) && id !== undefined) sessions.set(id, chunk.session_id);
          return undefined;
        };
      });
      return async (call, next) => {
        const session = sessions.get(answerIn(call)?.tool_call_id);
        const { session_id: named } = call.body;
        if (session === undefined || typeof named !== 'string' || named === session) return stream(call, next);
        world.hit();
        return stream(call, () => next(withBody(call, { ...call.body, session_id: session })));
      };
    },
  },
  {
    // A run that waits has nobody to take it.
    name: 'a prompt that is steered into a run with an open question is lost',
    quote: STEERED,
    factories: (usual, hit) => ({
      createRuns(deps) {
        const runs = usual.createRuns(deps);
        return {
          ...runs,
          async prompt(request) {
            const { intern, sessionId } = request;
            const all = runs.list(intern.id);
            const waits = all.some((run) => run.session_id === sessionId && run.status === 'waiting');
            if (sessionId === undefined || !waits || all.some((run) => run.status === 'running'))
              return runs.prompt(request);
            request.admit();
            hit();
            return { steered: sessionId };
          },
        };
      },
    }),
  },
  {
    // A caller who asked last is asked for.
    name: 'of two open questions of an intern the newer one gets the answer to either',
    quote: DELIVERED,
    wrong: (world) => async (call, next) => {
      const answer = answerIn(call);
      if (call.op !== 'chat' || call.regional || answer === undefined) return next();
      const waiting = (await runsOf(world, call.id)).filter(({ status }) => status === 'waiting');
      const mine = waiting.find(({ question }) => question?.id === answer.tool_call_id);
      const [newest] = waiting;
      if (mine === undefined || mine.session_id !== call.body.session_id || newest === undefined || newest === mine)
        return next();
      const messages = (call.body.messages as unknown[]).map((message) =>
        isJson(message) && message.tool_call_id === answer.tool_call_id
          ? { ...message, tool_call_id: newest.question?.id }
          : message,
      );
      world.hit();
      return next(withBody(call, { ...call.body, session_id: newest.session_id, messages }));
    },
  },
];
