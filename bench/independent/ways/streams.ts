import type { Chunk } from '../answers.js';
import type { Way, World } from '../world.js';
import { finish, finished, isFinal, reasoned, replies, says } from './chunks.js';
import { named, unseen } from './named.js';

const DONE =
  'After every response, whether it ends with `stop`, `tool_calls` or `error`, one final chunk with empty `choices` that carries `session_id`, then `data: [DONE]`.';
const FORMAT =
  'streams the reply as server-sent events in the common chat-completion chunk format (`choices`, `finish_reason`), ending with `data: [DONE]`.';
const FINISH = 'The run ends in one of three finish reasons: `stop`, `tool_calls`, `error`.';
const USAGE = 'The final chunk carries the `usage` that the intern reported for the run after `stop` or `error`.';
const NO_USAGE = 'It carries `null` when the intern reported none.';
const ENDED =
  'the stream ends with a chunk with `finish_reason: error` that carries code 410 and reason `run_ended`, then the final empty-choices chunk and `[DONE]`.';
const SEVERED = 'A connection that breaks without that confirmation ends with reason `stream_severed`.';
const KEEPALIVE = 'A comment line `: keepalive` is written whenever nothing else has been written for 30 seconds.';

const isKeepalive = (event: string) => event.startsWith(':');

const streamed = (name: string, quote: string, begin: Parameters<World['stream']>[0]): Way =>
  named(name, quote, (w) => w.stream(begin));

export const streams: readonly Way[] = [
  streamed('an error ends without [DONE]', DONE, () => {
    let failing = false;
    return (event, chunk) => {
      failing ||= finish(chunk) === 'error';
      return failing && event === 'data: [DONE]' ? [] : undefined;
    };
  }),
  streamed('an error ends without the final chunk', DONE, () => {
    let failing = false;
    return (_, chunk) => {
      failing ||= finish(chunk) === 'error';
      return failing && isFinal(chunk) ? [] : undefined;
    };
  }),
  streamed(
    'the final chunk has a choice',
    DONE,
    () => (_, chunk) =>
      chunk && isFinal(chunk) ? { ...chunk, choices: [{ delta: {}, finish_reason: null }] } : undefined,
  ),
  streamed('the session is named in the first chunk alone', DONE, () => {
    let first = true;
    return (_, chunk) => {
      if (!chunk) return undefined;
      if (first) {
        first = false;
        return { ...chunk, session_id: 'in-the-first' };
      }
      if (!isFinal(chunk)) return undefined;
      const { session_id: _session, ...rest } = chunk;
      return rest as Chunk;
    };
  }),
  named('a reply is said to be in another session', DONE, (w) =>
    w.stream(
      (call) => (_, chunk) =>
        chunk && isFinal(chunk) && replies(call)
          ? { ...chunk, session_id: `s-${w.setting.random().toString(36).slice(2)}` }
          : undefined,
    ),
  ),
  streamed('[DONE] comes before the final chunk', DONE, () => {
    let held: Chunk | undefined;
    return (event, chunk) => {
      if (isFinal(chunk)) held = chunk;
      if (isFinal(chunk)) return [];
      return event === 'data: [DONE]' && held ? [event, held] : undefined;
    };
  }),
  streamed(
    'an event follows [DONE]',
    FORMAT,
    () => (event) => (event === 'data: [DONE]' ? [event, 'data: {"choices":[],"usage":null,"done":true}'] : undefined),
  ),
  streamed(
    'the reply ends with [done]',
    FORMAT,
    () => (event) => (event === 'data: [DONE]' ? 'data: [done]' : undefined),
  ),
  named(
    'a reply that continues is sent as plain text',
    'The chat stream (`Content-Type` of a server-sent event stream)',
    (w) =>
      w.later('chat', (r, call) => {
        if (!r.ok || !replies(call)) return undefined;
        const headers = new Headers(r.headers);
        headers.set('content-type', 'text/plain; charset=utf-8');
        return new Response(r.body, { status: r.status, headers });
      }),
  ),
  streamed(
    'a run finishes twice',
    FINISH,
    () => (_, chunk) => (chunk && finish(chunk) === 'stop' ? [chunk, chunk] : undefined),
  ),
  streamed('a run of an error finishes by stop first', FINISH, () => (_, chunk) => {
    if (!chunk || finish(chunk) !== 'error') return undefined;
    const { error: _error, ...rest } = chunk;
    return [finished(rest as Chunk, 'stop'), chunk];
  }),
  streamed(
    'usage is reported with a question',
    'After `tool_calls` its `usage` is `null`, because the turn is not over.',
    () => {
      let asked = false;
      return (_, chunk) => {
        asked ||= finish(chunk) === 'tool_calls';
        return chunk && asked && isFinal(chunk)
          ? { ...chunk, usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }
          : undefined;
      };
    },
  ),
  unseen(
    'no caller can know what an intern reported',
    streamed('no usage is reported as zeros', NO_USAGE, () => {
      let asked = false;
      return (_, chunk) => {
        asked ||= finish(chunk) === 'tool_calls';
        return chunk && isFinal(chunk) && !asked && chunk.usage === null
          ? { ...chunk, usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }
          : undefined;
      };
    }),
  ),
  streamed('no usage is no field', NO_USAGE, () => (_, chunk) => {
    if (!chunk || !isFinal(chunk) || chunk.usage !== null) return undefined;
    const { usage: _usage, ...rest } = chunk;
    return rest as Chunk;
  }),
  unseen(
    'no caller can know what an intern reported',
    streamed(
      'usage of a run that was asked is lost',
      USAGE,
      (call) => (_, chunk) =>
        chunk && isFinal(chunk) && replies(call) && chunk.usage !== null ? { ...chunk, usage: null } : undefined,
    ),
  ),
  streamed('a run that ended says no code', ENDED, () => (_, chunk) => {
    if (!chunk?.error || !reasoned(chunk, 'run_ended')) return undefined;
    const { code: _code, ...error } = chunk.error;
    return { ...chunk, error };
  }),
  streamed('a run that ended finishes by stop', ENDED, () => (_, chunk) => {
    if (!chunk || !reasoned(chunk, 'run_ended')) return undefined;
    const { error: _error, ...rest } = chunk;
    return finished(rest as Chunk, 'stop');
  }),
  streamed(
    'a run that ended says stream_severed',
    ENDED,
    () => (event, chunk) =>
      reasoned(chunk, 'run_ended') ? event.replace('"run_ended"', '"stream_severed"') : undefined,
  ),
  unseen(
    'no caller can break the connection between the service and an intern',
    streamed(
      'a broken connection says run_ended',
      SEVERED,
      () => (event, chunk) =>
        reasoned(chunk, 'stream_severed') ? event.replace('"stream_severed"', '"run_ended"') : undefined,
    ),
  ),
  streamed('keepalives stop after the first text', KEEPALIVE, () => {
    let said = false;
    return (event, chunk) => {
      said ||= Boolean(says(chunk));
      return isKeepalive(event) && said ? [] : undefined;
    };
  }),
  streamed(
    'what is outside of ASCII breaks',
    FORMAT,
    () => (event, chunk) => (says(chunk) ? event.replaceAll(/[^\x20-\x7e\n]/g, '\ufffd') : undefined),
  ),
  streamed('a piece that is white space alone is dropped', FORMAT, () => (_, chunk) => {
    const said = says(chunk);
    return typeof said === 'string' && said !== '' && said.trim() === '' ? [] : undefined;
  }),
];
