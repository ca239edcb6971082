import { type Chunk, failed } from '../answers.js';
import { type Json, withBody } from '../call.js';
import type { Answer, Way, World } from '../world.js';
import {
  deltaOf,
  finishOf,
  isDone,
  isFinal,
  messagesOf,
  replyOf,
  sessionOf,
  textOf,
  way,
  withDelta,
  withFinish,
  without,
} from './helpers.js';

const FORMAT =
  'streams the reply as server-sent events in the common chat-completion chunk format (`choices`, `finish_reason`), ending with `data: [DONE]`.';
const TYPE = 'The chat stream (`Content-Type` of a server-sent event stream)';
const FINISH = 'The run ends in one of three finish reasons: `stop`, `tool_calls`, `error`.';
const ASKS =
  'the stream emits one tool call named `service.provide_input` and finishes with `finish_reason: tool_calls`.';
const FINAL =
  'After every response, whether it ends with `stop`, `tool_calls` or `error`, one final chunk with empty `choices` that carries `session_id`, then `data: [DONE]`.';
const USAGE = 'After `tool_calls` its `usage` is `null`, because the turn is not over.';
const NO_USAGE = 'It carries `null` when the intern reported none.';
const KEEPALIVE = 'A comment line `: keepalive` is written whenever nothing else has been written for 30 seconds.';
const ENDED =
  'the stream ends with a chunk with `finish_reason: error` that carries code 410 and reason `run_ended`, then the final empty-choices chunk and `[DONE]`.';
const CONTINUES = 'The answer is delivered to the run that asked, and the stream continues from where it paused.';
const CONTENT = 'Its `tool_call_id` is the id of that tool call, and its `content` is the answer.';
const MANUAL = '`manual` makes the intern ask before approval-bearing tools such as the shell.';
const OMITTED = "When omitted the run self-drives and consents on the caller's behalf.";
const REPEATED = 'The mode belongs to the run started by that prompt and must be repeated on later prompts.';
const CANCELS = 'Disconnecting while a response is still streaming cancels the run.';

const stream = (name: string, quote: string, begin: Parameters<World['stream']>[0]): Way =>
  way(name, quote, (w) => w.stream(begin));
/** Answers with another text. */
const answers = (name: string, quote: string, change: (said: string) => string): Way =>
  way(name, quote, (w) =>
    w.asked('chat', (call) => {
      const reply = replyOf(call);
      if (typeof reply?.content !== 'string' || change(reply.content) === reply.content) return undefined;
      return {
        ...call.body,
        messages: [...messagesOf(call).slice(0, -1), { ...reply, content: change(reply.content) }],
      };
    }),
  );
const isManual = (body: Json) => body.approval_mode === 'manual';
const endedBy = (chunk: Chunk | undefined): chunk is Chunk => chunk?.error?.metadata?.reason === 'run_ended';
const isCall = (chunk: Chunk | undefined): chunk is Chunk => Array.isArray(deltaOf(chunk).tool_calls);
const callsOf = (chunk: Chunk) => deltaOf(chunk).tool_calls as (Json & { function: Json })[];
const withCall = (chunk: Chunk, change: (call: Json & { function: Json }) => Json): Chunk =>
  withDelta(chunk, { ...deltaOf(chunk), tool_calls: callsOf(chunk).map(change) });

const frames: readonly Way[] = [
  way('stream-in-manual-mode-is-not-typed-as-events', TYPE, (w) =>
    w.later('chat', (r, { body }) => {
      if (!r.ok || !isManual(body)) return undefined;
      const headers = new Headers(r.headers);
      headers.set('content-type', 'application/x-ndjson');
      return new Response(r.body, { headers });
    }),
  ),
  stream('done-is-missing-after-a-question', FINAL, () => {
    let asked = false;
    return (event, chunk) => {
      asked ||= finishOf(chunk) === 'tool_calls';
      return asked && isDone(event) ? [] : undefined;
    };
  }),
  stream(
    'final-chunk-has-no-choices-field',
    FINAL,
    () => (_, chunk) => (isFinal(chunk) ? without(chunk, 'choices') : undefined),
  ),
  stream('session-is-not-named-after-stop', FINAL, () => {
    let stopped = false;
    return (_, chunk) => {
      stopped ||= finishOf(chunk) === 'stop';
      return stopped && isFinal(chunk) ? without(chunk, 'session_id') : undefined;
    };
  }),
  stream('session-is-named-with-the-question-alone', FINAL, () => {
    let held: Chunk | undefined;
    return (_, chunk) => {
      if (chunk && finishOf(chunk) === 'tool_calls') {
        held = chunk;
        return [];
      }
      if (!held || !isFinal(chunk)) return undefined;
      return [{ ...held, session_id: chunk.session_id }, without(chunk, 'session_id')];
    };
  }),
  stream('usage-field-is-missing-after-a-question', USAGE, () => {
    let asked = false;
    return (_, chunk) => {
      asked ||= finishOf(chunk) === 'tool_calls';
      return asked && isFinal(chunk) ? without(chunk, 'usage') : undefined;
    };
  }),
  stream('no-usage-after-an-error-is-left-out', NO_USAGE, () => {
    let broke = false;
    return (_, chunk) => {
      broke ||= finishOf(chunk) === 'error';
      return broke && isFinal(chunk) && chunk.usage === null ? without(chunk, 'usage') : undefined;
    };
  }),
  stream('long-reply-finishes-by-length', FINISH, () => {
    let said = '';
    return (_, chunk) => {
      said += textOf(chunk) ?? '';
      return chunk && finishOf(chunk) === 'stop' && said.length > 40 ? withFinish(chunk, 'length') : undefined;
    };
  }),
  stream(
    'text-after-an-answer-finishes-at-every-chunk',
    FINISH,
    (call) => (_, chunk) => (chunk && replyOf(call) && textOf(chunk) ? withFinish(chunk, 'stop') : undefined),
  ),
  stream('neighbouring-pieces-change-places', FORMAT, () => {
    let held: Chunk | undefined;
    return (_, chunk) => {
      if (!chunk) return undefined;
      if (textOf(chunk) && !held) {
        held = chunk;
        return [];
      }
      const first = held;
      held = undefined;
      return first ? (textOf(chunk) ? [chunk, first] : [first, chunk]) : undefined;
    };
  }),
  stream('keepalive-is-another-comment', KEEPALIVE, () => (event) => (event.startsWith(':') ? ': ping' : undefined)),
  stream(
    'keepalive-is-missing-after-an-answer',
    KEEPALIVE,
    (call) => (event) => (event.startsWith(':') && replyOf(call) ? [] : undefined),
  ),
];

const questions: readonly Way[] = [
  stream(
    'question-is-emitted-twice',
    ASKS,
    () => (_, chunk) =>
      isCall(chunk)
        ? [chunk, withCall(chunk, (call) => ({ ...call, index: 1, id: `${String(call.id)}-1` }))]
        : undefined,
  ),
  stream(
    'question-finishes-by-stop-after-an-answer',
    ASKS,
    (call) => (_, chunk) =>
      chunk && replyOf(call) && finishOf(chunk) === 'tool_calls' ? withFinish(chunk, 'stop') : undefined,
  ),
  stream('question-comes-after-its-finish', ASKS, () => {
    let held: string | undefined;
    return (event, chunk) => {
      if (isCall(chunk)) {
        held = event;
        return [];
      }
      const question = held;
      held = undefined;
      return question === undefined ? undefined : [event, question];
    };
  }),
  stream(
    'question-has-an-id-that-cannot-be-answered',
    CONTENT,
    () => (_, chunk) =>
      isCall(chunk) ? withCall(chunk, (call) => ({ ...call, id: `x${String(call.id)}` })) : undefined,
  ),
  answers('a-refusal-is-delivered-as-consent', CONTENT, (said) => said.replace(/^reject_.*/, 'allow_once')),
  answers('an-answer-keeps-ascii-alone', CONTENT, (said) => said.replaceAll(/[^ -~\s]/g, '?')),
  stream(
    'an-answer-begins-the-stream-again',
    CONTINUES,
    (() => {
      const paused = new Map<string, Chunk[]>();
      return (call) => {
        const said: Chunk[] = [];
        let again = replyOf(call) ? (paused.get(sessionOf(call) ?? '') ?? []) : [];
        let asked = false;
        return (_, chunk) => {
          asked ||= finishOf(chunk) === 'tool_calls';
          if (isFinal(chunk) && asked) paused.set(String(chunk.session_id), said);
          if (!chunk || !textOf(chunk)) return undefined;
          said.push(chunk);
          const [first, rest] = [again, [chunk]];
          again = [];
          return first.length > 0 ? [...first, ...rest] : undefined;
        };
      };
    })(),
  ),
  stream('first-piece-after-an-answer-is-lost', CONTINUES, (call) => {
    let first = replyOf(call) !== undefined;
    return (_, chunk) => {
      if (!first || !textOf(chunk)) return undefined;
      first = false;
      return [];
    };
  }),
  way('second-question-of-a-run-cannot-be-answered', CONTINUES, (w) => {
    const answered = new Map<string, Set<unknown>>();
    return async (call, next) => {
      const [session, id] = [sessionOf(call) ?? '', replyOf(call)?.tool_call_id];
      if (call.op !== 'chat' || id === undefined) return next();
      const ids = answered.get(session) ?? new Set();
      answered.set(session, ids);
      if (ids.size > 0 && !ids.has(id)) {
        w.hit();
        return failed(404, 'Session not found', 'not_found');
      }
      const r = await next();
      if (r.ok) ids.add(id);
      return r;
    };
  }),
  way('manual-mode-is-ignored-in-a-session', MANUAL, (w) =>
    w.asked('chat', (call) =>
      isManual(call.body) && sessionOf(call) && !replyOf(call)
        ? Object.fromEntries(Object.entries(call.body).filter(([field]) => field !== 'approval_mode'))
        : undefined,
    ),
  ),
  way('manual-mode-is-that-of-an-omitted-one', OMITTED, (w) =>
    w.asked('chat', (call) =>
      call.body.approval_mode === undefined && !replyOf(call) ? { ...call.body, approval_mode: 'manual' } : undefined,
    ),
  ),
  way('manual-mode-stays-with-a-session', REPEATED, (w): Answer => {
    const manual = new Set<string>();
    const passes = w.stream((call) => (_, chunk) => {
      if (isFinal(chunk) && isManual(call.body)) manual.add(String(chunk.session_id));
      return undefined;
    });
    return (call, next) => {
      const stays = call.op === 'chat' && !replyOf(call) && !isManual(call.body) && manual.has(sessionOf(call) ?? '');
      if (stays) w.hit();
      return passes(call, () => next(stays ? withBody(call, { ...call.body, approval_mode: 'manual' }) : undefined));
    };
  }),
];

const endings: readonly Way[] = [
  stream(
    'run-that-ended-has-its-code-as-text',
    ENDED,
    () => (_, chunk) => (endedBy(chunk) ? { ...chunk, error: { ...chunk.error, code: '410' } } : undefined),
  ),
  stream(
    'run-that-ended-after-an-answer-says-cancelled',
    ENDED,
    (call) => (event, chunk) =>
      endedBy(chunk) && replyOf(call) ? event.replace('"run_ended"', '"cancelled"') : undefined,
  ),
  way('run-goes-on-after-a-disconnect', CANCELS, (w) => async (call, next) => {
    const r = await next();
    if (call.op !== 'chat' || !r.ok || r.body === null) return r;
    const reader = r.body.getReader();
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        w.hit();
        while (!(await reader.read()).done);
      },
    });
    return new Response(body, { headers: r.headers });
  }),
];

export const chat: readonly Way[] = [...frames, ...questions, ...endings];
