import { rewritten } from '../../../emulator/wire/answer.js';
import { chunkOf, frameOf } from '../../../emulator/wire/chunks.js';
import type { Chunk } from '../answers.js';
import type { Way } from '../world.js';
import { finishing, finishOf, isDone, isFinal, isReply, MINUTE, saidIn, sessionOf, way } from './helpers.js';

const FORMAT =
  'streams the reply as server-sent events in the common chat-completion chunk format (`choices`, `finish_reason`), ending with `data: [DONE]`.';
const FINAL =
  'After every response, whether it ends with `stop`, `tool_calls` or `error`, one final chunk with empty `choices` that carries `session_id`, then `data: [DONE]`.';
const REASONS = 'The run ends in one of three finish reasons: `stop`, `tool_calls`, `error`.';
const USAGE_NULL = 'After `tool_calls` its `usage` is `null`, because the turn is not over.';
const USAGE = 'The final chunk carries the `usage` that the intern reported for the run after `stop` or `error`.';
const NONE = 'It carries `null` when the intern reported none.';
const ENDED =
  'the stream ends with a chunk with `finish_reason: error` that carries code 410 and reason `run_ended`, then the final empty-choices chunk and `[DONE]`.';
const KEEPALIVE = 'A comment line `: keepalive` is written whenever nothing else has been written for 30 seconds.';
const LEAVING = 'Disconnecting while a response is still streaming cancels the run.';
const STREAM_TYPE = 'The chat stream (`Content-Type` of a server-sent event stream)';

const KEEPALIVE_LINE = /^: ?keepalive/;

export const chat: readonly Way[] = [
  way('chat-error-without-done', FINAL, (w) =>
    w.stream(() => {
      let failed = false;
      return (event, chunk) => {
        failed ||= finishOf(chunk) === 'error';
        return failed && isDone(event) ? [] : undefined;
      };
    }),
  ),
  way('chat-session-left-out-when-given', FINAL, (w) =>
    w.stream((call) => (_, chunk) => {
      if (!isFinal(chunk) || sessionOf(call) === undefined || isReply(call)) return undefined;
      const { session_id, ...others } = chunk;
      return session_id === undefined ? undefined : others;
    }),
  ),
  way('chat-session-before-the-finish', FINAL, (w) =>
    w.stream(() => {
      let held: Chunk | undefined;
      return (_, chunk) => {
        if (finishOf(chunk) === 'tool_calls') held = chunk;
        if (held === undefined) return undefined;
        return held === chunk ? [] : isFinal(chunk) ? [chunk, held] : undefined;
      };
    }),
  ),
  way('chat-answer-of-another-session', FINAL, (w) =>
    w.stream(
      (call) => (_, chunk) =>
        isFinal(chunk) && isReply(call) ? { ...chunk, session_id: crypto.randomUUID() } : undefined,
    ),
  ),
  way('chat-goes-on-after-done', FORMAT, (w) =>
    w.stream(() => {
      let asked = false;
      return (event, chunk) => {
        asked ||= finishOf(chunk) === 'tool_calls';
        return asked && isDone(event) ? [event, 'data: {"choices":[],"usage":null}'] : undefined;
      };
    }),
  ),
  way('chat-usage-left-out-when-none', NONE, (w) =>
    w.stream(() => (_, chunk) => {
      if (!isFinal(chunk) || chunk.usage !== null) return undefined;
      const { usage: _none, ...others } = chunk;
      return others as Chunk;
    }),
  ),
  way('chat-usage-after-a-second-question', USAGE_NULL, (w) =>
    w.stream((call) => {
      let asked = false;
      return (_, chunk) => {
        asked ||= finishOf(chunk) === 'tool_calls';
        return isFinal(chunk) && asked && isReply(call)
          ? { ...chunk, usage: { prompt_tokens: 12, completion_tokens: 8, total_tokens: 20 } }
          : undefined;
      };
    }),
  ),
  way('chat-usage-with-the-finish', USAGE, (w) =>
    w.stream(() => {
      let held: Chunk | undefined;
      return (_, chunk) => {
        if (finishOf(chunk) === 'stop') {
          held = chunk;
          return [];
        }
        if (held === undefined || !isFinal(chunk)) return undefined;
        return [
          { ...held, usage: chunk.usage },
          { ...chunk, usage: null },
        ];
      };
    }),
  ),
  way('chat-stops-at-done-in-the-text', FORMAT, (w) =>
    w.stream(() => {
      let over = false;
      return (event) => {
        if (over) return [];
        over = event.includes('[DONE]') && !isDone(event);
        return undefined;
      };
    }),
  ),
  way('chat-loses-what-is-beyond-the-plane', FORMAT, (w) =>
    w.stream(
      () => (event) =>
        /[\u{10000}-\u{10FFFF}]/u.test(event) ? event.replaceAll(/[\u{10000}-\u{10FFFF}]/gu, '\ufffd') : undefined,
    ),
  ),
  way('chat-splits-lines-into-data', FORMAT, (w) =>
    w.stream(() => (event, chunk) => (/\n/.test(saidIn(chunk)) ? event.replaceAll('\\n', '\n') : undefined)),
  ),
  way('chat-trims-the-pieces', FORMAT, (w) =>
    w.stream(() => (_, chunk) => {
      const said = saidIn(chunk);
      if (chunk === undefined || said.trim() === said) return undefined;
      return { ...chunk, choices: [{ ...chunk.choices[0], delta: { content: said.trim() }, finish_reason: null }] };
    }),
  ),
  way('chat-long-reply-ends-in-length', REASONS, (w) =>
    w.stream(() => {
      let said = 0;
      return (_, chunk) => {
        said += saidIn(chunk).length;
        return chunk && finishOf(chunk) === 'stop' && said > 500 ? finishing(chunk, 'length') : undefined;
      };
    }),
  ),
  way('chat-silent-reply-without-a-finish', REASONS, (w) =>
    w.stream(() => {
      let said = 0;
      return (_, chunk) => {
        said += saidIn(chunk).length;
        return finishOf(chunk) === 'stop' && said === 0 ? [] : undefined;
      };
    }),
  ),
  way('chat-answer-stream-as-json', STREAM_TYPE, (w) =>
    w.head('chat', (headers, call, { ok }) => {
      if (ok && isReply(call)) headers.set('content-type', 'application/x-ndjson');
    }),
  ),
  way('chat-two-at-once-share-a-session', FINAL, (w) => {
    const live = new Map<string, Set<{ session?: string }>>();
    return w.stream((call) => {
      const mine: { session?: string } = {};
      const all = live.get(call.who) ?? new Set();
      live.set(call.who, all.add(mine));
      return (_, chunk) => {
        if (!isFinal(chunk)) return undefined;
        all.delete(mine);
        for (const other of all) other.session = String(chunk.session_id);
        return mine.session === undefined ? undefined : { ...chunk, session_id: mine.session };
      };
    });
  }),
  way('chat-run-ended-of-code-499', ENDED, (w) =>
    w.stream(
      () => (_, chunk) =>
        chunk?.error?.metadata?.reason === 'run_ended' ? { ...chunk, error: { ...chunk.error, code: 499 } } : undefined,
    ),
  ),
  way('keepalive-once', KEEPALIVE, (w) =>
    w.stream(() => {
      let written = false;
      return (event) => {
        if (!KEEPALIVE_LINE.test(event)) return undefined;
        const before = written;
        written = true;
        return before ? [] : undefined;
      };
    }),
  ),
  way('keepalive-not-after-an-answer', KEEPALIVE, (w) =>
    w.stream((call) => (event) => (KEEPALIVE_LINE.test(event) && isReply(call) ? [] : undefined)),
  ),
  way('stream-dead-after-a-minute', KEEPALIVE, (w) =>
    w.stream(() => {
      const since = w.setting.host.now();
      return () => (w.setting.host.now() - since >= MINUTE ? [] : undefined);
    }),
  ),
  way('leaving-an-answer-unnoticed', LEAVING, (w) => async (call, next) => {
    const response = await next();
    return isReply(call) && response.ok ? rewritten(response, { left: () => w.hit() }) : response;
  }),
  way(
    'leaving-noticed-late',
    'The keepalive lets the service notice a disconnect within 30 seconds even while the intern is silent.',
    (w) => async (call, next) => {
      const response = await next();
      if (call.op !== 'chat' || !response.ok) return response;
      return rewritten(response, {
        left(cancel) {
          w.hit();
          void w.setting.host.sleep(100_000).then(cancel);
        },
      });
    },
  ),
  way('leaving-ends-the-neighbours', LEAVING, (w) => {
    const live = new Map<string, Set<{ ended: boolean }>>();
    return async (call, next) => {
      const response = await next();
      if (call.op !== 'chat' || !response.ok) return response;
      const mine = { ended: false };
      const all = live.get(call.who) ?? new Set();
      live.set(call.who, all.add(mine));
      let over = false;
      return rewritten(response, {
        text(event) {
          const chunk = chunkOf(event) as Chunk | undefined;
          if (isFinal(chunk)) all.delete(mine);
          if (!mine.ended || chunk === undefined || chunk.choices.length === 0) return `${event}\n\n`;
          if (over) return '';
          over = true;
          w.hit();
          const error = {
            code: 410,
            message: 'The intern ended the run',
            metadata: { reason: 'run_ended', retryable: false },
          };
          return frameOf({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'error' }], error });
        },
        left(cancel) {
          all.delete(mine);
          for (const other of all) other.ended = true;
          cancel();
        },
      });
    };
  }),
];
