import { failed } from '../answers.js';
import type { Way } from '../world.js';
import {
  finishing,
  finishOf,
  isFinal,
  isPrompt,
  isReply,
  lastMessage,
  MINUTE,
  noting,
  saidIn,
  sessionOf,
  toolCallOf,
  way,
  withLast,
} from './helpers.js';

const ONE =
  'the stream emits one tool call named `service.provide_input` and finishes with `finish_reason: tool_calls`.';
const OPEN = 'The run stays open on the intern.';
const MODE = 'The mode belongs to the run started by that prompt and must be repeated on later prompts.';
const MANUAL = '`manual` makes the intern ask before approval-bearing tools such as the shell.';
const _DRIVES = "When omitted the run self-drives and consents on the caller's behalf.";
const CALL_ID = 'Its `tool_call_id` is the id of that tool call, and its `content` is the answer.';
const DELIVERED = 'The answer is delivered to the run that asked, and the stream continues from where it paused.';
const DEADLINE =
  'A question asked through `service.provide_input` stays open for its interaction deadline, 5 minutes by default.';
const REJECTED = 'Rejected replies do not extend the deadline.';

const gone = () => failed(410, 'The intern ended the run', 'run_ended');

export const questions: readonly Way[] = [
  way('question-by-another-name', ONE, (w) =>
    w.stream(
      () => (event, chunk) =>
        /\\"kind\\":\\"elicitation\\"/.test(event) && toolCallOf(chunk)
          ? event.replace('service.provide_input', 'service.elicit_input')
          : undefined,
    ),
  ),
  way('question-repeats-the-answered-one', ONE, (w) => {
    const before = new Map<string, unknown>();
    return w.stream((call) => {
      let asked: unknown;
      return (_, chunk) => {
        if (isFinal(chunk) && asked !== undefined) before.set(String(chunk.session_id), asked);
        const now = toolCallOf(chunk);
        const old = before.get(sessionOf(call) ?? '');
        if (chunk === undefined || now === undefined) return undefined;
        asked = now;
        if (old === undefined || !isReply(call)) return undefined;
        const tool_calls = [old, { ...now, index: 1 }];
        return { ...chunk, choices: [{ ...chunk.choices[0], delta: { tool_calls }, finish_reason: null }] };
      };
    });
  }),
  way('question-after-an-answer-stops', ONE, (w) =>
    w.stream(
      (call) => (_, chunk) =>
        chunk && finishOf(chunk) === 'tool_calls' && isReply(call) ? finishing(chunk, 'stop') : undefined,
    ),
  ),
  way('mode-sticks-to-the-session', MODE, (w) => {
    const manual = new Set<string>();
    return noting(
      ({ session }, call) => {
        if (call.body.approval_mode === 'manual') manual.add(session);
      },
      w.asked('chat', (call) =>
        isPrompt(call) && call.body.approval_mode === undefined && manual.has(sessionOf(call) ?? '')
          ? { ...call.body, approval_mode: 'manual' }
          : undefined,
      ),
    );
  }),
  way('mode-sticks-to-the-intern', MODE, (w) => {
    const manual = new Set<string>();
    return async (call, next) => {
      if (!isPrompt(call)) return next();
      if (call.body.approval_mode === 'manual') manual.add(call.id);
      return w.asked('chat', ({ body, id }) =>
        body.approval_mode === undefined && sessionOf(call) === undefined && manual.delete(id)
          ? { ...body, approval_mode: 'manual' }
          : undefined,
      )(call, next);
    };
  }),
  way('mode-read-for-new-sessions-only', MANUAL, (w) =>
    w.asked('chat', (call) => {
      const { approval_mode, ...body } = call.body;
      return isPrompt(call) && approval_mode === 'manual' && sessionOf(call) !== undefined ? body : undefined;
    }),
  ),
  way('answer-to-any-call-id', CALL_ID, (w) => {
    const open = new Map<string, string>();
    return noting(
      ({ session, question }) => (question === undefined ? open.delete(session) : open.set(session, question)),
      w.asked('chat', (call) => {
        const question = open.get(sessionOf(call) ?? '');
        return isReply(call) && question !== undefined && lastMessage(call).tool_call_id !== question
          ? withLast(call, { tool_call_id: question })
          : undefined;
      }),
    );
  }),
  way('answer-to-the-latest-question', DELIVERED, (w) => {
    const open = new Map<string, { session: string; question: string }[]>();
    return noting(
      ({ session, question }, { id }) => {
        const others = (open.get(id) ?? []).filter((one) => one.session !== session);
        open.set(id, question === undefined ? others : [...others, { session, question }]);
      },
      w.asked('chat', (call) => {
        const latest = open.get(call.id)?.at(-1);
        return isReply(call) && latest !== undefined && latest.session !== sessionOf(call)
          ? withLast(call, { tool_call_id: latest.question }, { session_id: latest.session })
          : undefined;
      }),
    );
  }),
  way('answer-of-a-rejection-allows', CALL_ID, (w) =>
    w.asked('chat', (call) =>
      isReply(call) && lastMessage(call).content === 'reject_always'
        ? withLast(call, { content: 'allow_always' })
        : undefined,
    ),
  ),
  way('answer-repeats-what-was-said', DELIVERED, (w) => {
    const said = new Map<string, string>();
    return w.stream((call) => {
      let heard = '';
      let before = isReply(call) ? said.get(sessionOf(call) ?? '') : undefined;
      return (_, chunk) => {
        heard += saidIn(chunk);
        if (isFinal(chunk)) said.set(String(chunk.session_id), heard);
        if (chunk === undefined || !before || saidIn(chunk) === '') return undefined;
        const content = before + saidIn(chunk);
        before = undefined;
        return { ...chunk, choices: [{ ...chunk.choices[0], delta: { content }, finish_reason: null }] };
      };
    });
  }),
  way('answer-misses-the-first-words', DELIVERED, (w) =>
    w.stream((call) => {
      let first = isReply(call);
      return (_, chunk) => {
        if (!first || saidIn(chunk) === '') return undefined;
        first = false;
        return [];
      };
    }),
  ),
  way('rejected-answer-closes-the-question', REJECTED, (w) => {
    const closed = new Set<unknown>();
    return async (call, next) => {
      if (!isReply(call)) return next();
      const { tool_call_id } = lastMessage(call);
      if (closed.has(tool_call_id)) {
        w.hit();
        return gone();
      }
      const response = await next();
      if (response.status === 400) closed.add(tool_call_id);
      return response;
    };
  }),
  way('question-open-for-a-minute', DEADLINE, (w) => {
    const since = new Map<string, number>();
    return noting(
      ({ question }) => question !== undefined && since.set(question, w.setting.host.now()),
      w.instead('chat', (call) => {
        const at = isReply(call) ? since.get(String(lastMessage(call).tool_call_id)) : undefined;
        return at !== undefined && w.setting.host.now() - at > MINUTE ? gone() : undefined;
      }),
    );
  }),
  way('question-closed-by-another-chat', OPEN, (w) => {
    const open = new Map<string, Set<unknown>>();
    const closed = new Set<unknown>();
    return noting(
      ({ question }, { id }) => question !== undefined && open.set(id, (open.get(id) ?? new Set()).add(question)),
      async (call, next) => {
        if (isPrompt(call) && sessionOf(call) === undefined)
          for (const question of open.get(call.id) ?? []) closed.add(question);
        if (isReply(call) && closed.has(lastMessage(call).tool_call_id)) {
          w.hit();
          return gone();
        }
        return next();
      },
    );
  }),
];
