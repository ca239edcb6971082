import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { CaseEvent, CaseToolCall, Chat, LongText } from '../../emulator/contract/client-case.js';
import { measured } from '../../emulator/contract/visible.js';
import type { Difference, ValueChange } from '../model/finding.js';
import { jsonOf } from '../probe/json.js';
import type { AnsweredChat, AnsweredEvent, AnsweredLong } from './protocol.js';

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

const shown = (text: LongText | null | undefined): unknown => (typeof text === 'string' ? measured(text, 400) : text);

const shownEvent = (event: AnsweredEvent | CaseEvent | undefined): unknown =>
  event === undefined
    ? 'nothing'
    : { event: event.event ?? 'message', data: shown(event.data ?? ''), id: event.id ?? '' };

const sameEvent = (expected: CaseEvent, actual: AnsweredEvent): boolean =>
  expected.event === (actual.event ?? 'message') &&
  expected.id === (actual.id ?? '') &&
  sameText(expected.data, actual.data);

/** Characters that stand for bytes which no character has. */
const replaced = (text: AnsweredLong): number => (typeof text === 'string' ? text.split('\ufffd').length - 1 : 0);

/** Whether a text has more of them than was expected: bytes of one character were decoded apart. */
const isUndecoded = (expected: LongText, actual: AnsweredLong): boolean => replaced(actual) > replaced(expected);

function textChange(expected: LongText, actual: AnsweredLong): ValueChange | undefined {
  if (typeof expected !== 'string' || typeof actual !== 'string') return undefined;
  if (isUndecoded(expected, actual)) return { kind: 'undecoded' };
  let from = 0;
  while (from < expected.length && expected[from] === actual[from]) from++;
  const how = from === actual.length ? 'cut' : from === expected.length ? 'longer' : 'other';
  return { kind: 'text', how, from };
}

/** The difference of the first event that is not as expected. */
function eventChange(expected: readonly CaseEvent[], actual: readonly AnsweredEvent[], at: number): ValueChange {
  const [wanted, got] = [expected[at], actual[at]];
  const missing = expected.length - actual.length;
  const next = expected[at + 1];
  if (got === undefined || (missing > 0 && next !== undefined && sameEvent(next, got)))
    return { kind: 'lost', thing: 'event', at, many: Math.max(1, missing) };
  if (wanted === undefined) return { kind: 'extra', thing: 'event', at, many: -missing };
  const part = { kind: 'part', thing: 'event', at } as const;
  if (!sameText(wanted.data, got.data)) {
    if (isUndecoded(wanted.data, got.data)) return { kind: 'undecoded' };
    return { ...part, part: 'data', got: shown(got.data ?? ''), expected: shown(wanted.data) };
  }
  if (wanted.id !== (got.id ?? '')) return { ...part, part: 'last event id', got: got.id ?? '', expected: wanted.id };
  return { ...part, part: 'type', got: got.event ?? 'message', expected: wanted.event };
}

function callsChange(expected: readonly CaseToolCall[], actual: ToolCalls, bytes: boolean): ValueChange | undefined {
  const at = expected.findIndex((wanted, index) => !sameCall(wanted, actual[index] ?? {}, bytes));
  if (at === -1) return { kind: 'extra', thing: 'call', at: expected.length, many: actual.length - expected.length };
  const [wanted, got, next] = [expected[at], actual[at], expected[at + 1]];
  const many = expected.length - actual.length;
  if (wanted === undefined) return undefined;
  if (got === undefined) return { kind: 'lost', thing: 'call', at, many };
  const joined = `${String(wanted.arguments)}${String(next?.arguments ?? '')}`;
  if (many > 0 && next !== undefined && got.arguments === joined) return { kind: 'merged', at };
  if (many > 0 && next !== undefined && sameCall(next, got, bytes)) return { kind: 'lost', thing: 'call', at, many };
  if (many < 0) return { kind: 'extra', thing: 'call', at, many: -many };
  const part = { kind: 'part', thing: 'call', at } as const;
  if (wanted.name !== (got.name || null))
    return { ...part, part: 'name', got: got.name ?? null, expected: wanted.name };
  if (wanted.id !== (got.id || null)) return { ...part, part: 'id', got: got.id ?? null, expected: wanted.id };
  if (isUndecoded(wanted.arguments, got.arguments)) return { kind: 'undecoded' };
  return { ...part, part: 'arguments', got: shown(got.arguments ?? ''), expected: shown(wanted.arguments) };
}

/**
 * The events that came, compared with those that should have; a `prefix` of them is enough if the outcome is an error.
 */
export function compareEvents(
  expected: readonly CaseEvent[],
  actual: readonly AnsweredEvent[],
  prefix: boolean,
): Difference[] {
  const most = Math.max(expected.length, actual.length);
  for (let at = 0; at < most; at++) {
    const wanted = expected[at];
    const got = actual[at];
    if (wanted !== undefined && got === undefined && prefix) return [];
    if (wanted !== undefined && got !== undefined && sameEvent(wanted, got)) continue;
    const change = eventChange(expected, actual, at);
    return [
      { what: `event ${at + 1} of ${expected.length}`, expected: shownEvent(wanted), actual: shownEvent(got), change },
    ];
  }
  return [];
}

function sameArguments(expected: LongText, actual: AnsweredLong, bytes: boolean): boolean {
  if (sameText(expected, actual)) return true;
  if (bytes || typeof expected !== 'string' || typeof actual !== 'string') return false;
  const wanted = jsonOf(expected);
  return wanted !== undefined && isDeepStrictEqual(wanted, jsonOf(actual));
}

const sameCall = (expected: CaseToolCall, actual: ToolCalls[number], bytes: boolean): boolean =>
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
  const differs = (what: string, wanted: unknown, got: unknown, change?: ValueChange) =>
    found.push({ what, expected: wanted, actual: got, ...(change === undefined ? {} : { change }) });
  const text = prefix ? beginsWith : sameText;
  const compareText = (what: string, wanted: LongText, got: AnsweredLong) => {
    if (!text(wanted, got)) differs(what, shown(wanted), shown(got), textChange(wanted, got));
  };
  compareText('content', expected.content, actual.content);
  if (expected.reasoning !== undefined && actual.reasoning)
    compareText('reasoning', expected.reasoning, actual.reasoning);
  const calls = actual.tool_calls ?? [];
  if (prefix) {
    const extra = calls.find((got) => !expected.tool_calls.some((wanted) => sameCall(wanted, got, bytes)));
    if (extra !== undefined)
      differs('a tool call that was not finished', expected.tool_calls, extra, { kind: 'unfinished' });
    return found;
  }
  const same =
    calls.length === expected.tool_calls.length &&
    expected.tool_calls.every((wanted, at) => sameCall(wanted, calls[at] ?? {}, bytes));
  if (!same) differs('tool_calls', expected.tool_calls, calls, callsChange(expected.tool_calls, calls, bytes));
  if (expected.finish_reason !== (actual.finish_reason ?? null))
    differs('finish_reason', expected.finish_reason, actual.finish_reason ?? null);
  if (!hasUsage(expected.usage, actual.usage)) differs('usage', expected.usage, actual.usage ?? null);
  if (expected.session_id !== undefined && actual.session_id && expected.session_id !== actual.session_id)
    differs('session_id', expected.session_id, actual.session_id);
  return found;
}
