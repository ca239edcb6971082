import { rewritten } from '../../../emulator/wire/answer.js';
import type { Chunk } from '../answers.js';
import {
  finishOf,
  isDone,
  isFinal,
  isPrompt,
  isReply,
  noting,
  SECOND,
  saidIn,
  sessionOf,
  way,
} from '../blind32/helpers.js';
import { withBody } from '../call.js';
import type { Way } from '../world.js';
import { served, stopping } from './helpers.js';

const FORMAT =
  'streams the reply as server-sent events in the common chat-completion chunk format (`choices`, `finish_reason`), ending with `data: [DONE]`.';
const FINAL = 'one final chunk with empty `choices` that carries `session_id`, then `data: [DONE]`.';
const USAGE = 'The final chunk carries the `usage` that the intern reported for the run after `stop` or `error`.';
const NULL = 'After `tool_calls` its `usage` is `null`, because the turn is not over.';
const KEEPALIVE = 'A comment line `: keepalive` is written whenever nothing else has been written for 30 seconds.';
const ENDED = 'the stream ends with a chunk with `finish_reason: error` that carries code 410 and reason `run_ended`';
const THEN = 'then the final empty-choices chunk and `[DONE]`.';
const LEAVING = 'Disconnecting while a response is still streaming cancels the run.';
const STEERED =
  'When a prompt is sent to a session that already has a run going, the prompt is delivered into that run, and the reported status is steered.';
const STREAMED = '(`Content-Type` of a server-sent event stream)';

const KEEPALIVE_LINE = /^: ?keepalive/;
const withText = (chunk: Chunk, content: string): Chunk => ({
  ...chunk,
  choices: [{ ...chunk.choices[0], delta: { content }, finish_reason: null }],
});

export const chat: readonly Way[] = [
  way('final-chunk-without-a-given-session', FINAL, (w) =>
    w.stream((call) => (_, chunk) => {
      if (!isFinal(chunk) || sessionOf(call) === undefined) return undefined;
      const { session_id: _given, ...others } = chunk;
      return others;
    }),
  ),
  way('reply-ends-in-another-session', FINAL, (w) =>
    w.stream(
      (call) => (_, chunk) =>
        isFinal(chunk) && isReply(call) ? { ...chunk, session_id: crypto.randomUUID() } : undefined,
    ),
  ),
  way('words-of-another-encoding', FORMAT, (w) =>
    w.stream(() => (_, chunk) => {
      const said = saidIn(chunk);
      return chunk && /[^\0-\x7f]/.test(said) ? withText(chunk, Buffer.from(said).toString('latin1')) : undefined;
    }),
  ),
  way('reply-typed-as-json', STREAMED, (w) =>
    w.later('chat', (response, call) => {
      if (!response.ok || response.status === 202 || !isReply(call)) return undefined;
      const headers = new Headers(response.headers);
      headers.set('content-type', 'application/json');
      return new Response(response.body, { status: 200, headers });
    }),
  ),
  way('chat-through-a-buffering-proxy', FORMAT, (w) => async (call, next) => {
    const response = await next();
    if (call.op !== 'chat' || !response.ok) return response;
    const begun = w.setting.host.now();
    let held = '';
    return rewritten(response, {
      text(event) {
        held += `${event}\n\n`;
        if (!isDone(event)) return '';
        if (w.setting.host.now() - begun >= SECOND) w.hit();
        return held;
      },
    });
  }),
  way('final-chunk-of-a-question-without-usage', NULL, (w) =>
    w.stream(() => {
      let asked = false;
      return (_, chunk) => {
        asked ||= finishOf(chunk) === 'tool_calls';
        if (!isFinal(chunk) || !asked) return undefined;
        const { usage: _none, ...others } = chunk;
        return others;
      };
    }),
  ),
  way('usage-of-a-question-is-noughts', NULL, (w) =>
    w.stream((call) => {
      let asked = false;
      return (_, chunk) => {
        asked ||= finishOf(chunk) === 'tool_calls' && isReply(call);
        const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
        return isFinal(chunk) && asked ? { ...chunk, usage } : undefined;
      };
    }),
  ),
  way('usage-on-the-finish-chunk', USAGE, (w) =>
    w.stream(() => {
      let finish: Chunk | undefined;
      return (_, chunk) => {
        if (chunk && finishOf(chunk) === 'stop') {
          finish = chunk;
          return [];
        }
        if (!isFinal(chunk) || !finish) return undefined;
        return [
          { ...finish, usage: chunk.usage },
          { ...chunk, usage: null },
        ];
      };
    }),
  ),
  way('done-missing-after-an-error', FORMAT, (w) =>
    w.stream(() => {
      let failing = false;
      return (event, chunk) => {
        failing ||= finishOf(chunk) === 'error';
        return failing && isDone(event) ? [] : undefined;
      };
    }),
  ),
  way('final-chunk-after-done', FINAL, (w) =>
    w.stream((call) => {
      let final: Chunk | undefined;
      return (event, chunk) => {
        if (isFinal(chunk) && isReply(call)) {
          final = chunk;
          return [];
        }
        return isDone(event) && final ? [event, final] : undefined;
      };
    }),
  ),
  way('final-chunk-with-an-empty-choice', FINAL, (w) =>
    w.stream((call) => (_, chunk) => {
      const choices = [{ index: 0, delta: {}, finish_reason: null }];
      return isFinal(chunk) && sessionOf(call) !== undefined ? { ...chunk, choices } : undefined;
    }),
  ),
  way('ended-run-with-another-code', ENDED, (w) =>
    w.stream(
      () => (_, chunk) =>
        chunk?.error?.metadata?.reason === 'run_ended' ? { ...chunk, error: { ...chunk.error, code: 499 } } : undefined,
    ),
  ),
  way('ended-run-without-a-final-chunk', THEN, (w) =>
    w.stream(() => {
      let ended = false;
      return (_, chunk) => {
        ended ||= chunk?.error?.metadata?.reason === 'run_ended';
        return ended && isFinal(chunk) ? [] : undefined;
      };
    }),
  ),
  way('ended-run-ends-twice', ENDED, (w) =>
    w.stream(
      () => (_, chunk) => (chunk?.error?.metadata?.reason === 'run_ended' ? [stopping(chunk), chunk] : undefined),
    ),
  ),
  way('keepalive-by-another-word', KEEPALIVE, (w) =>
    w.stream(() => (event) => (KEEPALIVE_LINE.test(event) ? ': ping' : undefined)),
  ),
  way('keepalive-as-an-empty-chunk', KEEPALIVE, (w) =>
    w.stream(() => {
      let last: Chunk | undefined;
      return (event, chunk) => {
        last = chunk ?? last;
        return KEEPALIVE_LINE.test(event) && last ? withText(last, '') : undefined;
      };
    }),
  ),
  way('keepalive-once-a-stream', KEEPALIVE, (w) =>
    w.stream(() => {
      let times = 0;
      return (event) => (KEEPALIVE_LINE.test(event) && ++times > 1 ? [] : undefined);
    }),
  ),
  way('keepalive-not-in-replies', KEEPALIVE, (w) =>
    w.stream((call) => (event) => (KEEPALIVE_LINE.test(event) && isReply(call) ? [] : undefined)),
  ),
  way('left-reply-goes-on', LEAVING, (w) => async (call, next) => {
    const response = await next();
    if (!isReply(call) || !response.ok) return response;
    let over = false;
    return rewritten(response, {
      text(event) {
        over ||= isDone(event);
        return `${event}\n\n`;
      },
      left(cancel) {
        if (over) return cancel();
        w.hit();
      },
    });
  }),
  way('steer-starts-another-run', STEERED, (w) => {
    const waiting = new Set<string>();
    return noting(
      ({ session, question }) => (question === undefined ? waiting.delete(session) : waiting.add(session)),
      async (call, next) => {
        const session = isPrompt(call) ? sessionOf(call) : undefined;
        if (session === undefined || !waiting.has(session)) return next();
        const { session_id: _given, ...body } = call.body;
        const response = await served(w, next, withBody(call, body));
        return rewritten(response, {
          text: (event) => `${event.replace(/"session_id":"[^"]+"/, `"session_id":${JSON.stringify(session)}`)}\n\n`,
        });
      },
    );
  }),
  way('steer-is-queued', STEERED, (w) =>
    w.ok('chat', (body) => {
      if (body.status === 'steered') body.status = 'queued';
    }),
  ),
  way('steer-is-swallowed', STEERED, (w) => {
    const waiting = new Set<string>();
    const swallowed = new Set<string>();
    return noting(
      ({ session, question }) => {
        if (swallowed.delete(session)) w.hit();
        if (question === undefined) waiting.delete(session);
        else waiting.add(session);
      },
      async (call, next) => {
        const session = isPrompt(call) ? sessionOf(call) : undefined;
        if (session === undefined || !waiting.has(session)) return next();
        swallowed.add(session);
        return Response.json({ session_id: session, status: 'steered' }, { status: 202 });
      },
    );
  }),
];
