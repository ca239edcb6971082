import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Chat, LongText, SseEvent, ToolCall } from '../../emulator/contract/client-case.js';
import type { Difference } from '../framework/difference.js';
import type { AnsweredChat, AnsweredEvent, AnsweredLong } from './answer.js';

type ToolCalls = NonNullable<AnsweredChat['tool_calls']>;

const digest = (text: string): { sha256: string; length: number } => ({
  sha256: createHash('sha256').update(text).digest('hex'),
  length: Buffer.byteLength(text),
});

/** Whether two texts are equal, where either may be given as its digest. */
export function sameText(expected: LongText, actual: AnsweredLong): boolean {
  if (actual === null || actual === undefined) return expected === '';
  if (typeof expected === 'string' && typeof actual === 'string') return expected === actual;
  const one = typeof expected === 'string' ? digest(expected) : expected;
  const other = typeof actual === 'string' ? digest(actual) : actual;
  return one.sha256 === other.sha256.toLowerCase() && one.length === other.length;
}

/** Whether a text is the beginning of another; with a digest only the whole can be compared. */
const beginsWith = (whole: LongText, actual: AnsweredLong): boolean =>
  sameText(whole, actual) ||
  actual === null ||
  actual === undefined ||
  (typeof whole === 'string' && typeof actual === 'string' && whole.startsWith(actual));

const shown = (text: LongText | null | undefined): unknown =>
  typeof text === 'string' && text.length > 400 ? `${text.slice(0, 400)}… (${text.length} characters)` : text;

const shownEvent = (event: AnsweredEvent | SseEvent | undefined): unknown =>
  event === undefined
    ? 'nothing'
    : { event: event.event ?? 'message', data: shown(event.data ?? ''), id: event.id ?? '' };

const sameEvent = (expected: SseEvent, actual: AnsweredEvent): boolean =>
  expected.event === (actual.event ?? 'message') &&
  expected.id === (actual.id ?? '') &&
  sameText(expected.data, actual.data);

/**
 * The events that came, compared with those that should have; a `prefix` of them is enough if the outcome is an error.
 */
export function compareEvents(
  expected: readonly SseEvent[],
  actual: readonly AnsweredEvent[],
  prefix: boolean,
): Difference[] {
  const most = Math.max(expected.length, actual.length);
  for (let at = 0; at < most; at++) {
    const wanted = expected[at];
    const got = actual[at];
    if (wanted !== undefined && got === undefined && prefix) return [];
    if (wanted !== undefined && got !== undefined && sameEvent(wanted, got)) continue;
    return [{ what: `event ${at + 1} of ${expected.length}`, expected: shownEvent(wanted), actual: shownEvent(got) }];
  }
  return [];
}

function sameArguments(expected: LongText, actual: AnsweredLong, bytes: boolean): boolean {
  if (sameText(expected, actual)) return true;
  if (bytes || typeof expected !== 'string' || typeof actual !== 'string') return false;
  try {
    return isDeepStrictEqual(JSON.parse(expected), JSON.parse(actual));
  } catch {
    return false;
  }
}

const sameCall = (expected: ToolCall, actual: ToolCalls[number], bytes: boolean): boolean =>
  expected.id === (actual.id || null) &&
  expected.name === (actual.name || null) &&
  sameArguments(expected.arguments, actual.arguments, bytes);

/** Counts as sent; what a client adds to `usage` is its own affair. */
const hasUsage = (expected: Chat['usage'], actual: AnsweredChat['usage']): boolean =>
  expected === null
    ? actual === null || actual === undefined
    : Object.entries(expected).every(([name, value]) => isDeepStrictEqual(actual?.[name], value));

/**
 * The result of a chat, compared with the expected one. If the outcome is an error, the content is a beginning of what
 * was sent and the calls are some of those that were finished.
 */
export function compareChat(
  expected: Chat,
  actual: AnsweredChat | null | undefined,
  options: { prefix: boolean; bytes: boolean },
): Difference[] {
  const { prefix, bytes } = options;
  if (actual === null || actual === undefined)
    return prefix ? [] : [{ what: 'chat', expected, actual: 'nothing was answered' }];
  const found: Difference[] = [];
  const differs = (what: string, wanted: unknown, got: unknown) => found.push({ what, expected: wanted, actual: got });
  const text = prefix ? beginsWith : sameText;
  if (!text(expected.content, actual.content)) differs('content', shown(expected.content), shown(actual.content));
  if (expected.reasoning !== undefined && actual.reasoning && !text(expected.reasoning, actual.reasoning))
    differs('reasoning', shown(expected.reasoning), shown(actual.reasoning));
  const calls = actual.tool_calls ?? [];
  if (prefix) {
    const extra = calls.find((got) => !expected.tool_calls.some((wanted) => sameCall(wanted, got, bytes)));
    if (extra !== undefined) differs('a tool call that was not finished', expected.tool_calls, extra);
    return found;
  }
  const same =
    calls.length === expected.tool_calls.length &&
    expected.tool_calls.every((wanted, at) => sameCall(wanted, calls[at] ?? {}, bytes));
  if (!same) differs('tool_calls', expected.tool_calls, calls);
  if (expected.finish_reason !== (actual.finish_reason ?? null))
    differs('finish_reason', expected.finish_reason, actual.finish_reason ?? null);
  if (!hasUsage(expected.usage, actual.usage)) differs('usage', expected.usage, actual.usage ?? null);
  if (expected.session_id !== undefined && actual.session_id && expected.session_id !== actual.session_id)
    differs('session_id', expected.session_id, actual.session_id);
  return found;
}
