import { MAX_NESTING } from '../../emulator/contract/nesting.js';
import type { Level, RequirementId } from '../requirements/index.js';
import { isRecord, parseJson, TooDeep } from './json.js';
import type { SseComment, SseItem } from './sse.js';

/** The rules of the order and shape of a chat stream: requirement, level and sentence. */
export const STREAM_RULES = {
  'event-is-json': ['CHAT-1', 'S', 'Each event is JSON.'],
  'event-is-flat': ['CHAT-1', 'S', 'No event is nested too deeply to read.'],
  'event-is-object': ['CHAT-1', 'S', 'Each event is a JSON object.'],
  'chunk-has-choices': ['CHAT-1', 'S', 'Each chunk has choices.'],
  'choice-is-object': ['CHAT-1', 'S', 'Each choice is an object.'],
  'choice-has-delta': ['CHAT-1', 'S', 'Each choice has a delta.'],
  'content-in-delta': ['CHAT-1', 'S', 'Content is in delta, not in message.'],
  'ends-with-done': ['CHAT-1', 'S', 'A stream ends with [DONE].'],
  'ends-between-events': ['CHAT-1', 'S', 'A stream ends after a whole event.'],
  'chunk-object': ['CHAT-1', 'P', 'The object of a chunk is chat.completion.chunk.'],
  'chunk-id': ['CHAT-1', 'P', 'Each chunk has an id.'],
  'chunk-created': ['CHAT-1', 'P', 'The created of a chunk is in Unix seconds.'],
  'chunk-model': ['CHAT-1', 'P', 'Each chunk names a model.'],
  'chunk-id-stays': ['CHAT-1', 'P', 'All chunks of a stream have one id.'],
  'one-choice': ['CHAT-1', 'P', 'A chunk has at most one choice, with index 0.'],
  'first-chunk-role': ['CHAT-1', 'P', 'The first chunk has the role assistant.'],
  'first-chunk-empty': ['CHAT-1', 'C', 'The first chunk has empty content.'],
  'finish-reason': ['CHAT-2', 'S', 'A finish_reason is stop, tool_calls or error.'],
  'one-finish-reason': ['CHAT-2', 'S', 'A stream has only one finish_reason.'],
  'has-finish-reason': ['CHAT-2', 'S', 'A stream has a finish_reason.'],
  'nothing-after-finish': ['CHAT-2', 'S', 'No content follows the finish_reason.'],
  'choice-after-final': ['CHAT-3', 'S', 'No choice follows the final chunk.'],
  'final-after-finish': ['CHAT-3', 'S', 'The final chunk follows the finish_reason.'],
  'one-final': ['CHAT-3', 'S', 'A stream has only one chunk with empty choices.'],
  'final-session': ['CHAT-3', 'S', 'The final chunk has the session_id, which may be null only after an error.'],
  'done-after-final': ['CHAT-3', 'S', 'The final chunk comes before [DONE].'],
  'nothing-after-done': ['CHAT-3', 'S', 'No event follows [DONE].'],
  'connection-holds': ['CHAT-3', 'S', 'The connection does not break.'],
  'session-in-final-only': ['CHAT-3', 'C', 'Only the final chunk has a session_id.'],
  'usage-in-final-only': ['CHAT-3', 'C', 'Only the final chunk has usage.'],
  'final-has-usage': ['CHAT-4', 'S', 'The final chunk has usage.'],
  'usage-form': ['CHAT-4', 'S', 'Usage is an object or null.'],
  'usage-is-carried': ['CHAT-4', 'S', 'The final chunk repeats usage that the stop chunk carried.'],
  'no-usage-after-question': ['CHAT-4', 'S', 'After tool_calls usage is null.'],
  'calls-are-array': ['CHAT-5', 'S', 'The tool_calls of a delta are an array.'],
  'call-is-object': ['CHAT-5', 'S', 'Each tool call is an object.'],
  'one-call': ['CHAT-5', 'S', 'The finish_reason tool_calls follows exactly one tool call.'],
  'call-name': ['CHAT-5', 'S', 'The tool call has the name of the question tool.'],
  'call-id': ['CHAT-5', 'S', 'The tool call has an id.'],
  'finish-after-call': ['CHAT-5', 'S', 'A tool call finishes with tool_calls.'],
  'call-index': ['CHAT-5', 'P', 'A tool call has index 0.'],
  'call-whole': ['CHAT-5', 'P', 'A tool call is one entry, of type function, with arguments as text.'],
  'keepalive-between-events': ['CHAT-11', 'S', 'A keepalive does not split an event.'],
} as const satisfies Record<string, readonly [RequirementId, Level, string]>;
export type StreamRule = keyof typeof STREAM_RULES;

/** A rule that a stream breaks. */
export interface StreamBreach {
  readonly rule: StreamRule;
  readonly requirement: RequirementId;
  readonly level: Level;
  /** The wrong value. */
  readonly got?: unknown;
  /** The event that breaks it, and its number; absent if the end of the stream does. */
  readonly event?: { readonly number: number; readonly data: string };
}

export interface ToolCall {
  readonly index: number;
  id: string | undefined;
  type: string | undefined;
  name: string | undefined;
  arguments: string;
  /** A value of `arguments` that is no text, as JSON. */
  instead?: string;
  /** The number of chunks that carried parts of the call. */
  parts: number;
}

/** The error of an error chunk, from any place in it. */
interface StreamError {
  readonly code: unknown;
  readonly message: unknown;
  readonly reason: unknown;
  readonly retryable: unknown;
  /** Whether it stood where the published API puts it: at the top level, beside the choice with the finish reason. */
  readonly inPlace: boolean;
}

export interface Chunk {
  readonly at: number;
  readonly json: Readonly<Record<string, unknown>>;
}

/** The content of a chat stream so far. Grows while the stream is read. */
export interface Transcript {
  /** Number of the exchange that the stream answers. */
  readonly exchange: number;
  /**
   * Whether a script decides what the intern does. A real intern may act as it likes: no finding is about its acts.
   */
  readonly scripted: boolean;
  readonly items: SseItem[];
  readonly chunks: Chunk[];
  readonly comments: SseComment[];
  readonly breaches: StreamBreach[];
  readonly toolCalls: ToolCall[];
  content: string;
  reasoning: string;
  finish: string | undefined;
  error: StreamError | undefined;
  /** The chunk with empty choices after the finish reason. */
  final: Readonly<Record<string, unknown>> | undefined;
  /** `session_id` of the final chunk, if it is a string. */
  sessionId: string | undefined;
  done: boolean;
  /** `end` of the body, `cancelled` by the kit, or what broke the connection; undefined while open. */
  ended: string | undefined;
}

/** A larger time counts milliseconds: as seconds it would lie in the far future. */
const MILLISECONDS = 1e11;

const nonEmpty = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Whether clients ignore events of a type: only those without one, or of type `message`, are messages. */
const isOther = (type: string | undefined): boolean => type !== undefined && type !== '' && type !== 'message';

/** Reads `{code, message, metadata}` or `{code, reason}` wherever a chunk carries an error. */
function errorOf(json: Record<string, unknown>, choice: Record<string, unknown> | undefined): StreamError | undefined {
  const delta = isRecord(choice?.delta) ? choice.delta : undefined;
  const place = [json.error, choice?.error, delta?.error].find(isRecord);
  if (place === undefined) return undefined;
  const metadata = isRecord(place.metadata) ? place.metadata : place;
  return {
    code: place.code,
    message: place.message,
    reason: metadata.reason,
    retryable: metadata.retryable,
    inPlace: place === json.error && metadata !== place,
  };
}

/**
 * The order of a chat stream: chunks with content, one finish reason, one final chunk with empty choices and
 * session_id, `[DONE]`, end. Breaches are noted with the requirement they break. Nothing is thrown, so that the rest is
 * still read.
 */
export function createChunkGrammar(toolName: string, { scripted = true, exchange = 0 } = {}) {
  const t: Transcript = {
    exchange,
    scripted,
    items: [],
    chunks: [],
    comments: [],
    breaches: [],
    toolCalls: [],
    content: '',
    reasoning: '',
    finish: undefined,
    error: undefined,
    final: undefined,
    sessionId: undefined,
    done: false,
    ended: undefined,
  };
  let identity: Record<string, unknown> | undefined;
  let event: StreamBreach['event'];
  /** The usage in the chunk that finishes a reply. */
  let usage: Record<string, unknown> | undefined;
  /** The content of a `message`, which some servers send instead of a `delta`. */
  let message: string | undefined;
  const breach = (rule: StreamRule, got?: unknown) => {
    const [requirement, level] = STREAM_RULES[rule];
    const where = event === undefined ? {} : { event };
    t.breaches.push({ rule, requirement, level, ...(got === undefined ? {} : { got }), ...where });
  };

  const published = (json: Record<string, unknown>) => {
    if (json.object !== 'chat.completion.chunk') breach('chunk-object', json.object);
    if (!nonEmpty(json.id)) breach('chunk-id', json.id);
    if (!(Number.isInteger(json.created) && Number(json.created) < MILLISECONDS)) breach('chunk-created', json.created);
    if (!nonEmpty(json.model)) breach('chunk-model', json.model);
    identity ??= json;
    if (json.id !== identity.id) breach('chunk-id-stays', { from: identity.id, to: json.id });
  };

  const calls = (value: unknown) => {
    if (value === undefined || value === null) return;
    if (!Array.isArray(value)) return breach('calls-are-array');
    for (const entry of value) {
      if (!isRecord(entry)) {
        breach('call-is-object');
        continue;
      }
      const index = typeof entry.index === 'number' ? entry.index : 0;
      if (entry.index !== 0) breach('call-index', entry.index);
      let call = t.toolCalls.find(
        (known) => known.index === index && (entry.id === undefined || known.id === entry.id),
      );
      if (call === undefined) {
        call = { index, id: undefined, type: undefined, name: undefined, arguments: '', parts: 0 };
        t.toolCalls.push(call);
      }
      call.parts++;
      if (typeof entry.id === 'string') call.id = entry.id;
      if (typeof entry.type === 'string') call.type = entry.type;
      const named = isRecord(entry.function) ? entry.function : {};
      if (typeof named.name === 'string') call.name = (call.name ?? '') + named.name;
      if (typeof named.arguments === 'string') call.arguments += named.arguments;
      else if (named.arguments !== undefined) call.instead = JSON.stringify(named.arguments);
    }
  };

  const finish = (reason: unknown) => {
    if (reason !== 'stop' && reason !== 'tool_calls' && reason !== 'error') {
      breach('finish-reason', reason);
    }
    if (t.finish !== undefined) breach('one-finish-reason', reason);
    t.finish ??= String(reason);
    if (reason === 'tool_calls') {
      if (t.toolCalls.length !== 1) breach('one-call', t.toolCalls.length);
      const call = t.toolCalls[0];
      if (call !== undefined && call.name !== toolName) breach('call-name', call.name);
      if (call !== undefined && !nonEmpty(call.id)) breach('call-id');
      if (call !== undefined && !(call.parts === 1 && call.type === 'function' && call.instead === undefined))
        breach('call-whole', { parts: call.parts, type: call.type, ...(call.instead && { arguments: call.instead }) });
    } else if (t.toolCalls.length > 0) breach('finish-after-call', reason);
  };

  const choice = (json: Record<string, unknown>, choices: unknown[]) => {
    const first = choices[0];
    if (!isRecord(first)) return breach('choice-is-object');
    if (choices.length !== 1 || first.index !== 0) breach('one-choice');
    const delta = isRecord(first.delta) ? first.delta : {};
    if (!isRecord(first.delta)) breach('choice-has-delta');
    // An answer without streaming has its content in `message`.
    if (isRecord(first.message) && nonEmpty(first.message.content)) message ??= first.message.content;
    const says = nonEmpty(delta.content) || nonEmpty(delta.reasoning) || (delta.tool_calls ?? undefined) !== undefined;
    if (says && t.finish !== undefined) breach('nothing-after-finish');
    if (t.final !== undefined) breach('choice-after-final');
    if (t.chunks.length === 1 && delta.role !== 'assistant') breach('first-chunk-role');
    if (t.chunks.length === 1 && delta.content !== '') breach('first-chunk-empty');
    if ('session_id' in json) breach('session-in-final-only');
    if ('usage' in json) breach('usage-in-final-only');
    // An earlier chunk may carry an intermediate count.
    if (first.finish_reason === 'stop' && isRecord(json.usage) && Object.keys(json.usage).length > 0)
      usage = json.usage;
    if (typeof delta.content === 'string') t.content += delta.content;
    if (typeof delta.reasoning === 'string') t.reasoning += delta.reasoning;
    calls(delta.tool_calls);
    t.error ??= errorOf(json, first);
    if (first.finish_reason !== null && first.finish_reason !== undefined) finish(first.finish_reason);
  };

  const last = (json: Record<string, unknown>) => {
    if (t.finish === undefined) breach('final-after-finish');
    if (t.final !== undefined) breach('one-final');
    t.final ??= json;
    if (nonEmpty(json.session_id)) t.sessionId = json.session_id;
    else if (json.session_id !== null || t.finish !== 'error') {
      breach('final-session', json.session_id);
    }
    if (!('usage' in json)) breach('final-has-usage');
    else if (json.usage !== null && !isRecord(json.usage)) breach('usage-form');
    if (t.finish === 'tool_calls' && json.usage !== null) breach('no-usage-after-question');
    if (json.usage === null && usage !== undefined) breach('usage-is-carried', usage);
    if (message !== undefined && t.content === '') breach('content-in-delta', message);
  };

  const take = (item: SseItem) => {
    t.items.push(item);
    event = item.kind === 'comment' ? undefined : { number: t.items.length, data: item.data };
    if (item.kind === 'comment') {
      t.comments.push(item);
      // A client skips any other comment, wherever it stands.
      if (item.within && item.text.trim() === 'keepalive') breach('keepalive-between-events');
      return;
    }
    if (t.done) return breach('nothing-after-done');
    if (item.data === '[DONE]') {
      t.done = true;
      if (t.final === undefined) breach('done-after-final');
      return;
    }
    let json: unknown;
    try {
      json = parseJson(item.data);
    } catch (error) {
      if (error instanceof TooDeep) return breach('event-is-flat', MAX_NESTING);
      return breach('event-is-json', item.data.slice(0, 100));
    }
    if (!isRecord(json)) return breach('event-is-object');
    if (isOther(item.type) && t.chunks.length > 0 && !('choices' in json) && !('error' in json)) return;
    t.chunks.push({ at: item.at, json });
    if (!Array.isArray(json.choices)) return breach('chunk-has-choices');
    published(json);
    if (json.choices.length === 0) last(json);
    else choice(json, json.choices);
  };

  return {
    transcript: t,
    take,
    end(unfinished: string, how: string) {
      t.ended = how;
      event = undefined;
      if (how === 'cancelled') return;
      if (unfinished !== '') breach('ends-between-events', unfinished.slice(0, 100));
      if (how !== 'end') breach('connection-holds', how);
      if (t.finish === undefined) breach('has-finish-reason');
      if (!t.done) breach('ends-with-done');
    },
  };
}
