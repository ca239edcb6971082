import type { Chunk } from '../answers.js';
import type { Json } from '../call.js';
import type { Way } from '../world.js';
import { callIn, finish, isLast, named, replied, said, session, withCall, withFinish } from './tools.js';

const STREAM = 'streams the reply as server-sent events in the common chat-completion chunk format';
const _FINAL =
  'After every response, whether it ends with `stop`, `tool_calls` or `error`, one final chunk with empty `choices` that carries `session_id`, then `data: [DONE]`.';
const CALL =
  'the stream emits one tool call named `service.provide_input` and finishes with `finish_reason: tool_calls`';
const KEEPALIVE = 'A comment line `: keepalive` is written whenever nothing else has been written for 30 seconds.';
const ENDED = 'the stream ends with a chunk with `finish_reason: error` that carries code 410 and reason `run_ended`';
const DONE = 'data: [DONE]';

export const chats: readonly Way[] = [
  named('the last words before the finish come twice', STREAM, (w) =>
    w.stream(() => {
      let words: Chunk | undefined;
      return (_, chunk) => {
        if (said(chunk) !== '') words = chunk;
        return finish(chunk) === 'stop' && words && chunk ? [words, chunk] : undefined;
      };
    }),
  ),
  named(
    'a question comes with the usage of the answer before',
    'After `tool_calls` its `usage` is `null`, because the turn is not over.',
    (w) => {
      const used = new Map<unknown, unknown>();
      return w.stream(() => {
        let paused = false;
        return (_, chunk) => {
          if (finish(chunk) === 'tool_calls') paused = true;
          if (!isLast(chunk)) return undefined;
          if (!paused) used.set(chunk.session_id, chunk.usage);
          const usage = used.get(chunk.session_id);
          return paused && usage ? { ...chunk, usage } : undefined;
        };
      });
    },
  ),
  named(
    'a run goes on in another session after an answer',
    'The answer is delivered to the run that asked, and the stream continues from where it paused.',
    (w) =>
      w.stream(
        (call) => (_, chunk) =>
          isLast(chunk) && replied(call) !== undefined ? { ...chunk, session_id: crypto.randomUUID() } : undefined,
      ),
  ),
  named('the second question of a run has the id of the first', 'Its `tool_call_id` is the id of that tool call', (w) =>
    w.stream((call) => (_, chunk) => {
      const id = replied(call);
      const tool = callIn(chunk);
      return chunk && tool && id !== undefined ? withCall(chunk, { ...tool, id }) : undefined;
    }),
  ),
  named('the second question of a run finishes with stop', CALL, (w) =>
    w.stream(
      (call) => (_, chunk) =>
        chunk && finish(chunk) === 'tool_calls' && replied(call) !== undefined ? withFinish(chunk, 'stop') : undefined,
    ),
  ),
  named('a question is followed by [DONE] and then by its session_id', 'so the client reads through `[DONE]`', (w) =>
    w.stream(() => {
      let paused = false;
      let held: Chunk | undefined;
      return (event, chunk) => {
        if (finish(chunk) === 'tool_calls') paused = true;
        if (paused && isLast(chunk)) {
          held = chunk;
          return [];
        }
        return held && event === DONE ? [DONE, held] : undefined;
      };
    }),
  ),
  named('a stream is kept alive for two minutes', KEEPALIVE, (w) =>
    w.stream(() => {
      let times = 0;
      return (event) => {
        if (event.startsWith(': keepalive')) times += 1;
        return event.startsWith(': keepalive') && times > 4 ? [] : undefined;
      };
    }),
  ),
  named('a run that ends in the middle of its text finishes with stop', ENDED, (w) =>
    w.stream(() => {
      let words = false;
      return (_, chunk) => {
        if (said(chunk) !== '') words = true;
        if (chunk?.error?.code !== 410 || !words) return undefined;
        const { error, ...rest } = withFinish(chunk, 'stop');
        return rest;
      };
    }),
  ),
  named(
    'a connection that breaks is said to be an ending',
    'This error reports only an ending that the intern confirmed.',
    (w) =>
      w.stream(
        () => (_, chunk) =>
          chunk?.error?.metadata?.reason === 'stream_severed'
            ? { ...chunk, error: { ...chunk.error, code: 410, metadata: { reason: 'run_ended', retryable: false } } }
            : undefined,
      ),
  ),
  named(
    'after a question a stream begins with the text before it',
    'the stream continues from where it paused',
    (w) => {
      const before = new Map<string, Chunk[]>();
      return w.stream((call) => {
        const pieces: Chunk[] = [];
        let again = replied(call) === undefined ? [] : (before.get(session(call)) ?? []);
        return (event, chunk) => {
          if (said(chunk) !== '' && chunk) pieces.push(chunk);
          if (isLast(chunk)) before.set(String(chunk.session_id), pieces);
          if (again.length === 0 || said(chunk) === '') return undefined;
          const first = again;
          again = [];
          return [...first, event];
        };
      });
    },
  ),
  named('a question that is not one of permission has a tool name without its prefix', CALL, (w) =>
    w.stream(() => (_, chunk) => {
      const tool = callIn(chunk);
      const made = tool?.function as Json | undefined;
      return chunk && tool && made && !String(made.arguments).includes('"permission"')
        ? withCall(chunk, { ...tool, function: { ...made, name: String(made.name).split('.').at(-1) } })
        : undefined;
    }),
  ),
  named(
    'a stream that fails says nothing of its usage',
    'The final chunk carries the `usage` that the intern reported for the run after `stop` or `error`.',
    (w) =>
      w.stream(() => {
        let failed = false;
        return (_, chunk) => {
          if (finish(chunk) === 'error') failed = true;
          if (!failed || !isLast(chunk)) return undefined;
          const { usage, ...rest } = chunk;
          return rest as Chunk;
        };
      }),
  ),
];
