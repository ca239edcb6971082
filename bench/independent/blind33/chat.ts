import { rewritten } from '../../../emulator/wire/answer.js';
import { type Chunk, failed } from '../answers.js';
import { finishing, finishOf, isDone, isFinal, isReply, lastMessage, SECOND, saidIn, way } from '../blind32/helpers.js';
import { isJson } from '../call.js';
import type { Way } from '../world.js';

const FORMAT =
  'streams the reply as server-sent events in the common chat-completion chunk format (`choices`, `finish_reason`), ending with `data: [DONE]`.';
const USAGE = 'The final chunk carries the `usage` that the intern reported for the run after `stop` or `error`.';
const ENDED =
  'When the intern ends the run while the client is still connected, by cancellation or by a deadline, the stream ends with a chunk with `finish_reason: error` that carries code 410 and reason `run_ended`';
const KEEPALIVE = 'A comment line `: keepalive` is written whenever nothing else has been written for 30 seconds.';
const LEAVING = 'Disconnecting while a response is still streaming cancels the run.';
const CLOSING =
  'Closing the connection after the `[DONE]` that follows `finish_reason: tool_calls` keeps the run alive.';

const KEEPALIVE_LINE = /^: ?keepalive/;
const reasoned = (chunk: Chunk, reason: string, code: number): Chunk => ({
  ...chunk,
  error: { ...chunk.error, code, metadata: { ...chunk.error?.metadata, reason } },
});

export const chat: readonly Way[] = [
  way('chat-usage-of-the-session', USAGE, (w) => {
    const sums = new Map<unknown, Record<string, number>>();
    return w.stream(() => (_, chunk) => {
      if (!isFinal(chunk) || !isJson(chunk.usage)) return undefined;
      const sum = { ...sums.get(chunk.session_id) };
      for (const [kind, count] of Object.entries(chunk.usage)) sum[kind] = (sum[kind] ?? 0) + Number(count);
      sums.set(chunk.session_id, sum);
      return { ...chunk, usage: sum };
    });
  }),
  way('chat-usage-lost-in-an-error', USAGE, (w) =>
    w.stream(() => {
      let failing = false;
      return (_, chunk) => {
        failing ||= finishOf(chunk) === 'error';
        return isFinal(chunk) && failing ? { ...chunk, usage: null } : undefined;
      };
    }),
  ),
  way('chat-pieces-pile-up', FORMAT, (w) =>
    w.stream(() => {
      let content = '';
      return (_, chunk) => {
        const said = saidIn(chunk);
        const before = content;
        content += said;
        if (chunk === undefined || said === '' || before === '') return undefined;
        return { ...chunk, choices: [{ ...chunk.choices[0], delta: { content }, finish_reason: null }] };
      };
    }),
  ),
  way('chat-suspended-is-severed', ENDED, (w) => {
    const suspended = new Set<string>();
    return async (call, next) => {
      if (call.op === 'suspend') suspended.add(call.id);
      if (call.op === 'provision') suspended.delete(call.id);
      return w.stream(
        ({ id }) =>
          (_, chunk) =>
            chunk?.error?.metadata?.reason === 'run_ended' && suspended.has(id)
              ? reasoned(chunk, 'stream_severed', 502)
              : undefined,
      )(call, next);
    };
  }),
  way('keepalive-before-the-first-word-only', KEEPALIVE, (w) =>
    w.stream(() => {
      let said = false;
      return (event, chunk) => {
        said ||= saidIn(chunk) !== '';
        return said && KEEPALIVE_LINE.test(event) ? [] : undefined;
      };
    }),
  ),
  way('keepalive-on-fixed-ticks', KEEPALIVE, (w) =>
    w.stream(() => {
      let late = false;
      return (event, chunk) => {
        if (saidIn(chunk) !== '') late = true;
        if (!KEEPALIVE_LINE.test(event) || !late) return undefined;
        late = false;
        return [];
      };
    }),
  ),
  way('leaving-in-silence-unnoticed', LEAVING, (w) => async (call, next) => {
    const response = await next();
    if (call.op !== 'chat' || !response.ok) return response;
    let written = w.setting.host.now();
    return rewritten(response, {
      text(event) {
        if (!KEEPALIVE_LINE.test(event)) written = w.setting.host.now();
        return `${event}\n\n`;
      },
      left(cancel) {
        if (w.setting.host.now() - written < 5 * SECOND) return cancel();
        w.hit();
      },
    });
  }),
  way('question-lost-with-its-connection', CLOSING, (w) => {
    const lost = new Set<unknown>();
    return async (call, next) => {
      if (isReply(call) && lost.has(lastMessage(call).tool_call_id)) {
        w.hit();
        return failed(410, 'The intern ended the run', 'run_ended');
      }
      const response = await next();
      if (call.op !== 'chat' || !response.ok) return response;
      let question: string | undefined;
      let done = false;
      return rewritten(response, {
        text(event) {
          question ??= /"tool_calls":\[\{"index":0,"id":"([^"]+)"/.exec(event)?.[1];
          done ||= isDone(event);
          return `${event}\n\n`;
        },
        left(cancel) {
          if (done && question !== undefined) lost.add(question);
          cancel();
        },
      });
    };
  }),
  way('question-finishes-twice', 'The run stays open on the intern.', (w) =>
    w.stream(
      () => (_, chunk) => (chunk && finishOf(chunk) === 'tool_calls' ? [chunk, finishing(chunk, 'stop')] : undefined),
    ),
  ),
];
