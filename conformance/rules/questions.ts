import type { RecordFields } from '../model/intern.js';
import type { Model } from '../model/model.js';
import { questionIn } from '../model/sessions.js';
import { isRecord, jsonOf } from '../probe/json.js';
import { isAnswer } from '../probe/request.js';
import { streamOf } from './chat.js';
import { isHidden, maybe, REFUSED } from './mistakes.js';
import { type AnyRule, holds, is, isBodyKnown, rulesOf, type Seen, type Wrong } from './rule.js';

const ACTIONS: readonly unknown[] = ['accept', 'decline', 'cancel'];

/** The action of an answer to an elicitation. The fields of an `accept` are not looked at. */
export function actionIn(content: unknown): unknown {
  const answer = typeof content === 'string' ? jsonOf(content) : undefined;
  return isRecord(answer) && ACTIONS.includes(answer.action) ? answer.action : undefined;
}

/** The tool message of an answer to a question. */
export function replyIn({ operation, body }: Seen): RecordFields | undefined {
  const last = operation.name === 'chat' && Array.isArray(body?.messages) ? body.messages.at(-1) : undefined;
  return isRecord(last) && last.role === 'tool' ? last : undefined;
}

/** The question that an answer names, if that intern asked it in that session. */
export function questionOf(seen: Seen, model: Model) {
  // The intern has asked nothing of a caller who cannot see it.
  if (isHidden(seen, model) === true) return undefined;
  const question = model.questions.get(String(replyIn(seen)?.tool_call_id));
  return question?.value.intern === seen.id && question?.value.session === seen.body?.session_id ? question : undefined;
}

/** Whether an answer names a call that its session never asked. */
function isUnknownCall(seen: Seen, model: Model): Wrong {
  const { tool_call_id: call } = replyIn(seen) ?? {};
  if (typeof call !== 'string' || typeof seen.body?.session_id !== 'string') return false;
  if (questionOf(seen, model) !== undefined) return false;
  return model.questions.has(call) || model.hasSeenAll ? true : undefined;
}

/** The questions of a chat, and their answers. */
export const QUESTIONS: readonly AnyRule[] = [
  ...rulesOf('CHAT-5', ['chat'], {
    'asks-once': {
      says: 'Each question has an id of its own.',
      judge: (seen, model) => {
        const call = streamOf(seen)?.toolCalls[0]?.id;
        const before = call === undefined ? undefined : model.questions.get(call);
        return call === undefined
          ? undefined
          : holds(
              before === undefined,
              'id of a question',
              'one that no other question has',
              call,
              before === undefined ? [] : [before.number],
            );
      },
    },
    'no-fallback': {
      level: 'P',
      says: 'A question does not show the fallback of the intern.',
      judge: (seen) => {
        const asks = questionIn(streamOf(seen)?.toolCalls[0]?.arguments ?? '');
        return asks && holds(!('fallback' in asks), 'arguments of a question', 'no fallback in them', asks);
      },
    },
  }),
  ...rulesOf('CHAT-6', ['chat'], {
    'same-session': {
      says: 'The stream after an answer stays in the session that asked. A further question has a new id.',
      judge: (seen) => {
        const stream = streamOf(seen);
        if (stream === undefined || !isAnswer(seen.body) || seen.body === undefined) return undefined;
        const last = Array.isArray(seen.body.messages) ? seen.body.messages.at(-1) : undefined;
        if (stream.sessionId !== seen.body.session_id)
          return is('session_id of the answer to a question', seen.body.session_id, stream.sessionId);
        const call = stream.toolCalls[0]?.id;
        return call === undefined
          ? 'kept'
          : holds(
              !isRecord(last) || call !== last.tool_call_id,
              'id of the question after an answer',
              'a new id',
              call,
            );
      },
    },
    'reply-to-none': {
      says: 'The answer to a question goes to the run that asked: with any other call, session or intern it is refused.',
      step: 'state',
      statuses: REFUSED,
      wrong: isUnknownCall,
    },
  }),
  ...rulesOf('CHAT-7', ['chat'], {
    'asked-is-known': {
      level: 'P',
      says: 'The answer to a question of its session is never refused as unknown, even after the run has ended.',
      judge: (seen, model) => {
        const { body, id, answered, error } = seen;
        const last = isAnswer(body) && Array.isArray(body?.messages) ? body.messages.at(-1) : undefined;
        const question = isRecord(last) ? model.questions.get(String(last.tool_call_id)) : undefined;
        const session = String(body?.session_id);
        if (question?.value.session !== session || question.value.intern !== id) return undefined;
        const person = model.session(id, session)?.value.person;
        if (model.isBy(seen.asked, person) !== true || (answered.status >= 300 && error === undefined))
          return undefined;
        return holds(
          error?.reason !== 'interaction_unknown',
          'reason of a refused answer to a question',
          'any other than interaction_unknown',
          error?.reason,
          [question.number],
        );
      },
    },
    'call-unknown': {
      level: 'P',
      says: 'The answer to a call that was never asked in its session is refused with 404.',
      step: 'state',
      statuses: [404],
      reason: 'interaction_unknown',
      wrong: isUnknownCall,
    },
    'answered-once': {
      says: 'A question is answered once: a further answer is refused.',
      step: 'state',
      statuses: REFUSED,
      wrong: (seen, model) => questionOf(seen, model)?.value.answered !== undefined,
    },
    'run-over': {
      level: 'P',
      says: 'The answer to a question whose run has ended is refused with 409.',
      step: 'state',
      statuses: [409],
      reason: 'interaction_not_pending',
      wrong: (seen, model) => questionOf(seen, model)?.value.over === true,
    },
    'no-option': {
      level: 'P',
      says: 'An answer that the question does not offer is refused with 400.',
      step: 'state',
      statuses: [400],
      reason: 'bad_request',
      wrong: (seen, model) => {
        const { answered, asks, options } = questionOf(seen, model)?.value ?? {};
        const content = replyIn(seen)?.content;
        if (answered !== undefined || typeof content !== 'string') return false;
        if (asks?.kind === 'elicitation') return actionIn(content) === undefined ? true : undefined;
        return options !== undefined && content !== 'cancel' && !options.includes(content);
      },
    },
    'question-closed': {
      open: true,
      says: 'A question may have closed: its deadline has passed, its intern has ended the run, or another run has begun.',
      step: 'state',
      statuses: [404, 409, 410],
      wrong: (seen, model) =>
        maybe(
          replyIn(seen) !== undefined &&
            typeof seen.body?.session_id === 'string' &&
            isUnknownCall(seen, model) !== true &&
            questionOf(seen, model)?.value.over !== true,
        ),
    },
  }),
  ...rulesOf('CHAT-8', ['chat'], {
    'consents-when-omitted': {
      says: 'Without approval_mode manual, a prompt leads to no question for a permission.',
      alone: true,
      judge: (seen) => {
        const stream = streamOf(seen);
        const { body } = seen;
        if (stream === undefined || !isBodyKnown(seen) || isAnswer(body) || body === undefined) return undefined;
        if (body.approval_mode !== undefined && body.approval_mode !== 'self-drive') return undefined;
        const [call] = stream.toolCalls;
        return holds(
          stream.finish !== 'tool_calls' || call === undefined || questionIn(call.arguments)?.kind !== 'permission',
          'a run without approval_mode',
          'one that consents by itself',
          call?.arguments,
        );
      },
    },
  }),
];
