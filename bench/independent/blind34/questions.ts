import { failed } from '../answers.js';
import {
  isFinal,
  isPrompt,
  isReply,
  lastMessage,
  noting,
  saidIn,
  sessionOf,
  toolCallOf,
  way,
  withLast,
} from '../blind32/helpers.js';
import { behaving } from '../blind33/questions.js';
import { isJson, type Json, withBody } from '../call.js';
import type { Way } from '../world.js';
import { served } from './helpers.js';

const ONE_CALL = 'the stream emits one tool call named `service.provide_input`';
const FINISHES = 'finishes with `finish_reason: tool_calls`. The run stays open on the intern.';
const MODE = 'The mode belongs to the run started by that prompt and must be repeated on later prompts.';
const MANUAL = '`manual` makes the intern ask before approval-bearing tools such as the shell.';
const OPEN =
  'A question asked through `service.provide_input` stays open for its interaction deadline, 5 minutes by default.';
const ID = 'Its `tool_call_id` is the id of that tool call, and its `content` is the answer.';
const CONTINUES = 'The answer is delivered to the run that asked, and the stream continues from where it paused.';

const asksPermission = (call: Json | undefined): boolean =>
  isJson(call?.function) && /"kind":"permission"/.test(String(call.function.arguments));
const pending = () => failed(409, 'The interaction is no longer pending', 'interaction_not_pending');

/** By deployment, the sessions that had a prompt. */
const prompted = new WeakMap<object, Set<string>>();
/** The sessions whose run was answered without its mode. */
const turned = new Set<string>();

export const questions: readonly Way[] = [
  way('permission-asked-by-the-name-of-its-tool', ONE_CALL, (w) =>
    w.stream(() => (_, chunk) => {
      const asked = toolCallOf(chunk);
      if (!chunk || !asked || !asksPermission(asked) || !isJson(asked.function)) return undefined;
      const named = { ...asked, function: { ...asked.function, name: 'shell' } };
      return { ...chunk, choices: chunk.choices.map((one) => ({ ...one, delta: { tool_calls: [named] } })) };
    }),
  ),
  way('second-question-finishes-with-stop', FINISHES, (w) =>
    w.stream((call) => (_, chunk) => {
      if (!chunk || !isReply(call) || chunk.choices[0]?.finish_reason !== 'tool_calls') return undefined;
      return { ...chunk, choices: chunk.choices.map((one) => ({ ...one, finish_reason: 'stop' })) };
    }),
  ),
  way('mode-stays-with-the-session', MODE, (w) => {
    const manual = new Set<string>();
    return noting(
      ({ session }, call) => isPrompt(call) && call.body.approval_mode === 'manual' && manual.add(session),
      (call, next) => {
        const kept = isPrompt(call) && call.body.approval_mode === undefined && manual.has(sessionOf(call) ?? '');
        return w.stream(() => (_, chunk) => {
          if (kept && asksPermission(toolCallOf(chunk))) w.hit();
          return undefined;
        })(call, () => next(kept ? withBody(call, { ...call.body, approval_mode: 'manual' }) : undefined));
      },
    );
  }),
  behaving('manual-for-the-first-prompt-of-a-session', MANUAL, async function* (inner, turn, hit) {
    const seen = prompted.get(hit) ?? new Set();
    prompted.set(hit, seen);
    const later = seen.has(turn.session.id);
    seen.add(turn.session.id);
    let step = await inner.next();
    while (!step.done) {
      const asks = 'ask' in step.value && step.value.ask.kind === 'permission' && turn.approvalMode === 'manual';
      if (asks && later) hit();
      step = await inner.next(asks && later ? 'allow_once' : yield step.value);
    }
  }),
  way('rejected-answer-closes-the-question', OPEN, (w) => {
    const closed = new Set<unknown>();
    const open = new Set<unknown>();
    return noting(
      ({ question }) => open.add(question),
      async (call, next) => {
        const id = isReply(call) ? lastMessage(call).tool_call_id : undefined;
        if (closed.has(id)) {
          w.hit();
          return pending();
        }
        const response = await next();
        if (response.status === 400 && open.has(id) && sessionOf(call) !== undefined) closed.add(id);
        return response;
      },
    );
  }),
  way('answer-by-any-id', ID, (w) => {
    const open = new Map<string, string>();
    return noting(
      ({ session, question }) => (question === undefined ? open.delete(session) : open.set(session, question)),
      (call, next) => {
        const question = isReply(call) ? open.get(sessionOf(call) ?? '') : undefined;
        return question !== undefined && lastMessage(call).tool_call_id !== question
          ? served(w, next, withBody(call, withLast(call, { tool_call_id: question })))
          : next();
      },
    );
  }),
  way('answered-stream-begins-anew', CONTINUES, (w) => {
    const before = new Map<unknown, string>();
    return w.stream((call) => {
      let text = '';
      return (_, chunk) => {
        const said = saidIn(chunk);
        const first = text === '' && said !== '';
        text += said;
        const old = isReply(call) ? before.get(sessionOf(call)) : undefined;
        if (isFinal(chunk)) before.set(chunk.session_id, text);
        if (!chunk || !first || !old) return undefined;
        return { ...chunk, choices: chunk.choices.map((one) => ({ ...one, delta: { content: old + said } })) };
      };
    });
  }),
  way('answered-stream-loses-its-first-word', CONTINUES, (w) =>
    w.stream((call) => {
      let lost = false;
      return (_, chunk) => {
        if (lost || !isReply(call) || saidIn(chunk) === '') return undefined;
        lost = true;
        return [];
      };
    }),
  ),
  way('late-answer-is-a-prompt', CONTINUES, (w) => async (call, next) => {
    const response = await next();
    if (!isReply(call) || response.status !== 409) return response;
    if (!/interaction_not_pending/.test(await response.clone().text())) return response;
    const { session_id: _ended, ...body } = call.body;
    const content = String(lastMessage(call).content);
    return served(w, next, withBody(call, { ...body, messages: [{ role: 'user', content }] }));
  }),
  way('answer-of-nobody-in-particular', CONTINUES, (w) => {
    let open: { intern: string; session: string; question: string }[] = [];
    return noting(
      ({ session, question }, { id }) => {
        open = open.filter((one) => one.session !== session);
        if (question !== undefined) open.push({ intern: id, session, question });
      },
      (call, next) => {
        if (!isReply(call)) return next();
        const id = lastMessage(call).tool_call_id;
        const oldest = open.find(({ intern }) => intern === call.id);
        const own = open.find(({ question }) => question === id);
        if (!own || !oldest || own === oldest) return next();
        const { session, question } = oldest;
        return served(w, next, withBody(call, withLast(call, { tool_call_id: question }, { session_id: session })));
      },
    );
  }),
  {
    ...behaving('', '', async function* (inner, turn, hit) {
      turned.delete(turn.session.id);
      let step = await inner.next();
      while (!step.done) {
        const { value } = step;
        const asks = 'ask' in value && value.ask.kind === 'permission' && turn.approvalMode === 'manual';
        const alone = asks && turned.has(turn.session.id);
        if (alone) hit();
        step = await inner.next(alone ? 'allow_once' : yield value);
      }
    }),
    ...way('reply-without-the-mode-drives-itself', MODE, () => (call, next) => {
      if (isReply(call) && call.body.approval_mode !== 'manual') turned.add(sessionOf(call) ?? '');
      return next();
    }),
  },
];
