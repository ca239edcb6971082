import { clipped } from '../../../emulator/contract/visible.js';
import type { StreamBreach, StreamRule } from '../../probe/chunks.js';

/** The expected order of a stream (CHAT-2, CHAT-3). */
export const STREAM_ORDER =
  'chunks with one choice each, one finish_reason, one chunk with empty choices and session_id, data: [DONE], end of the body';

/** A wrong or missing value. */
const got = (value: unknown): string => (value === undefined ? 'missing' : JSON.stringify(value));

/** The breach of a rule in words; `value` is the wrong value. */
const BREACHES: Readonly<Record<StreamRule, (value: unknown) => string>> = {
  'event-is-json': (data) => `an event is not JSON: ${data}`,
  'event-is-flat': (most) => `an event is JSON of more than ${most} levels`,
  'event-is-object': () => 'an event is not a JSON object',
  'chunk-has-choices': () => 'a chunk has no choices',
  'choice-is-object': () => 'a choice is not an object',
  'choice-has-delta': () => 'a choice has no delta',
  'content-in-delta': (value) => `content stands in message, not in delta: ${got(value)}`,
  'ends-with-done': () => 'the stream ended without [DONE]',
  'ends-between-events': (rest) => `the body ends within an event: ${rest}`,
  'chunk-object': (value) => `object is ${got(value)}`,
  'chunk-id': (value) => `id is ${got(value)}`,
  'chunk-created': (value) => `created is ${got(value)}`,
  'chunk-model': (value) => `model is ${got(value)}`,
  'chunk-id-stays': (ids) => {
    const { from, to } = ids as { from: unknown; to: unknown };
    return `id changed from ${from} to ${to}`;
  },
  'one-choice': () => 'more than one choice, or its index is not 0',
  'first-chunk-role': () => 'the first chunk carries no role',
  'first-chunk-empty': () => 'the first chunk carries no empty content',
  'finish-reason': (value) => `finish_reason is ${got(value)}`,
  'one-finish-reason': (value) => `a second finish_reason, ${got(value)}`,
  'has-finish-reason': () => 'the stream ended without a finish reason',
  'nothing-after-finish': () => 'content after the finish reason',
  'choice-after-final': () => 'a chunk with a choice after the final chunk',
  'final-after-finish': () => 'a chunk with empty choices before the finish reason',
  'one-final': () => 'a second chunk with empty choices',
  'final-session': (value) => `session_id of the final chunk is ${got(value)}`,
  'done-after-final': () => '[DONE] without a final chunk',
  'nothing-after-done': () => 'an event after [DONE]',
  'connection-holds': (how) => `the connection broke: ${how}`,
  'session-in-final-only': () => 'session_id before the final chunk',
  'usage-in-final-only': () => 'usage before the final chunk',
  'final-has-usage': () => 'the final chunk carries no usage',
  'usage-form': () => 'usage is neither an object nor null',
  'usage-is-carried': (value) => `usage is null in the final chunk, and ${got(value)} before it`,
  'no-usage-after-question': () => 'usage after tool_calls is not null',
  'calls-are-array': () => 'tool_calls is not an array',
  'call-is-object': () => 'a tool call is not an object',
  'one-call': (calls) => `finish_reason tool_calls after ${calls} tool calls`,
  'call-name': (name) => `the tool call is named ${name}`,
  'call-id': () => 'the tool call has no id',
  'finish-after-call': (value) => `finish_reason ${got(value)} after a tool call`,
  'call-index': (index) => `a tool call has index ${got(index)}`,
  'call-whole': (entry) => `the tool call is not one entry of type function with its arguments as text: ${got(entry)}`,
  'keepalive-between-events': () => 'a keepalive splits an event',
};

/** The breach of a stream in a few words. */
export const breachText = ({ rule, got: value }: Pick<StreamBreach, 'rule' | 'got'>): string => BREACHES[rule](value);

/** The breach, with the wrong event and its number. */
export const breachInPlace = (breach: StreamBreach, events: number): string => {
  const { event } = breach;
  if (event === undefined) return breachText(breach);
  const { data, number } = event;
  return `${breachText(breach)}; event ${number} of ${events} is ${clipped(data, 600)}`;
};
