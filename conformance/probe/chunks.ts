import type { Level, RequirementId } from '../requirements/index.js';
import { parseJson, TooDeep } from './json.js';
import type { SseComment, SseItem } from './sse.js';

/** A breach of the order or shape of chunks, as it was met. */
export interface Problem {
  readonly requirement: RequirementId;
  readonly level: Level;
  readonly text: string;
  readonly at: number;
  /** The event that breaks it, and the how manieth it is; absent where the end of the stream does. */
  readonly event?: { readonly number: number; readonly data: string };
}

export interface ToolCall {
  readonly index: number;
  id: string | undefined;
  type: string | undefined;
  name: string | undefined;
  arguments: string;
  /** What stood in the place of the text of `arguments`, as JSON. */
  instead?: string;
  /** In how many chunks it came. */
  parts: number;
}

/** The error of an error chunk, wherever it stood. */
export interface StreamError {
  readonly code: unknown;
  readonly message: unknown;
  readonly reason: unknown;
  readonly retryable: unknown;
  /** Whether it stood where the published API puts it: top level, beside the choice with the finish reason. */
  readonly inPlace: boolean;
}

export interface Chunk {
  readonly at: number;
  readonly json: Readonly<Record<string, unknown>>;
}

/** What a chat stream has said so far. Grows while the stream is read. */
export interface Transcript {
  /** Whether a script decides what the intern does. A real intern owes the kit nothing: what it did is observed, not judged. */
  readonly scripted: boolean;
  readonly items: SseItem[];
  readonly chunks: Chunk[];
  readonly comments: SseComment[];
  readonly problems: Problem[];
  readonly toolCalls: ToolCall[];
  content: string;
  reasoning: string;
  finish: string | undefined;
  error: StreamError | undefined;
  /** The chunk with empty choices after the finish reason. */
  final: Readonly<Record<string, unknown>> | undefined;
  /** `session_id` of the final chunk, where it is a string. */
  sessionId: string | undefined;
  done: boolean;
  /** `end` of the body, `cancelled` by the kit, or what broke the connection; undefined while open. */
  ended: string | undefined;
}

export interface ChunkGrammar {
  readonly transcript: Transcript;
  take(item: SseItem): void;
  end(unfinished: string, how: string): void;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const nonEmpty = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Reads `{code, message, metadata}` or `{code, reason}` out of wherever a chunk carries an error. */
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
 * The order of a chat stream: chunks with content, one finish reason, one final chunk with empty choices and session_id,
 * `[DONE]`, end. Breaches are noted with the requirement they break; nothing is thrown, so that the rest is still read.
 */
export function createChunkGrammar(toolName: string, scripted = true): ChunkGrammar {
  const t: Transcript = {
    scripted,
    items: [],
    chunks: [],
    comments: [],
    problems: [],
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
  let now = 0;
  let event: Problem['event'];
  const problem = (requirement: RequirementId, level: Level, text: string) =>
    t.problems.push({ requirement, level, text, at: now, ...(event === undefined ? {} : { event }) });

  const published = (json: Record<string, unknown>) => {
    if (json.object !== 'chat.completion.chunk') problem('CHAT-1', 'P', `object is ${JSON.stringify(json.object)}`);
    if (!nonEmpty(json.id)) problem('CHAT-1', 'P', `id is ${JSON.stringify(json.id)}`);
    if (!Number.isInteger(json.created)) problem('CHAT-1', 'P', `created is ${JSON.stringify(json.created)}`);
    if (!nonEmpty(json.model)) problem('CHAT-1', 'P', `model is ${JSON.stringify(json.model)}`);
    identity ??= json;
    if (json.id !== identity.id) problem('CHAT-1', 'P', `id changed from ${identity.id} to ${json.id}`);
  };

  const calls = (value: unknown) => {
    if (value === undefined || value === null) return;
    if (!Array.isArray(value)) return problem('CHAT-5', 'S', 'tool_calls is no array');
    for (const entry of value) {
      if (!isRecord(entry)) {
        problem('CHAT-5', 'S', 'a tool call is no object');
        continue;
      }
      const index = typeof entry.index === 'number' ? entry.index : 0;
      if (entry.index !== 0) problem('CHAT-5', 'P', `a tool call has index ${JSON.stringify(entry.index)}`);
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
      problem('CHAT-2', 'S', `finish_reason is ${JSON.stringify(reason)}`);
    }
    if (t.finish !== undefined) problem('CHAT-2', 'S', `a second finish_reason, ${JSON.stringify(reason)}`);
    t.finish ??= String(reason);
    if (reason === 'tool_calls') {
      if (t.toolCalls.length !== 1) problem('CHAT-5', 'S', `tool_calls after ${t.toolCalls.length} tool calls`);
      const call = t.toolCalls[0];
      if (call !== undefined && call.name !== toolName) problem('CHAT-5', 'S', `the tool call is named ${call.name}`);
      if (call !== undefined && !nonEmpty(call.id)) problem('CHAT-5', 'S', 'the tool call has no id');
    } else if (t.toolCalls.length > 0) problem('CHAT-5', 'S', `${JSON.stringify(reason)} after a tool call`);
  };

  const choice = (json: Record<string, unknown>, choices: unknown[]) => {
    const first = choices[0];
    if (!isRecord(first)) return problem('CHAT-1', 'S', 'a choice is no object');
    if (choices.length !== 1 || first.index !== 0)
      problem('CHAT-1', 'P', 'more than one choice, or its index is not 0');
    const delta = isRecord(first.delta) ? first.delta : {};
    if (!isRecord(first.delta)) problem('CHAT-1', 'S', 'a choice has no delta');
    const says = nonEmpty(delta.content) || nonEmpty(delta.reasoning) || (delta.tool_calls ?? undefined) !== undefined;
    if (says && t.finish !== undefined) problem('CHAT-2', 'S', 'content after the finish reason');
    if (t.final !== undefined) problem('CHAT-3', 'S', 'a chunk with a choice after the final chunk');
    if (t.chunks.length === 1 && delta.role !== 'assistant') problem('CHAT-1', 'P', 'the first chunk carries no role');
    if (t.chunks.length === 1 && delta.content !== '')
      problem('CHAT-1', 'C', 'the first chunk carries no empty content');
    if ('session_id' in json) problem('CHAT-3', 'C', 'session_id before the final chunk');
    if ('usage' in json) problem('CHAT-3', 'C', 'usage before the final chunk');
    if (typeof delta.content === 'string') t.content += delta.content;
    if (typeof delta.reasoning === 'string') t.reasoning += delta.reasoning;
    calls(delta.tool_calls);
    t.error ??= errorOf(json, first);
    if (first.finish_reason !== null && first.finish_reason !== undefined) finish(first.finish_reason);
  };

  const last = (json: Record<string, unknown>) => {
    if (t.finish === undefined) problem('CHAT-3', 'S', 'a chunk with empty choices before the finish reason');
    if (t.final !== undefined) problem('CHAT-3', 'S', 'a second chunk with empty choices');
    t.final ??= json;
    if (nonEmpty(json.session_id)) t.sessionId = json.session_id;
    else if (json.session_id !== null || t.finish !== 'error') {
      problem('CHAT-3', 'S', `session_id of the final chunk is ${JSON.stringify(json.session_id)}`);
    }
    if (!('usage' in json)) problem('CHAT-4', 'S', 'the final chunk carries no usage');
    else if (json.usage !== null && !isRecord(json.usage))
      problem('CHAT-4', 'S', 'usage is neither an object nor null');
    if (t.finish === 'tool_calls' && json.usage !== null) problem('CHAT-4', 'S', 'usage after tool_calls is not null');
  };

  const take = (item: SseItem) => {
    now = item.at;
    t.items.push(item);
    event = item.kind === 'comment' ? undefined : { number: t.items.length, data: item.data };
    if (item.kind === 'comment') {
      t.comments.push(item);
      // Any other comment may stand where its server likes: a reader passes over it.
      if (item.within && item.text.trim() === 'keepalive') problem('CHAT-11', 'S', 'a keepalive splits an event');
      return;
    }
    if (t.done) return problem('CHAT-3', 'S', 'an event after [DONE]');
    if (item.data === '[DONE]') {
      t.done = true;
      if (t.final === undefined) problem('CHAT-3', 'S', '[DONE] without a final chunk');
      return;
    }
    let json: unknown;
    try {
      json = parseJson(item.data);
    } catch (error) {
      if (error instanceof TooDeep) return problem('CHAT-1', 'S', `an event is ${error.message}`);
      return problem('CHAT-1', 'S', `an event is no JSON: ${item.data.slice(0, 100)}`);
    }
    if (!isRecord(json)) return problem('CHAT-1', 'S', 'an event is no JSON object');
    t.chunks.push({ at: item.at, json });
    if (!Array.isArray(json.choices)) return problem('CHAT-1', 'S', 'a chunk has no choices');
    published(json);
    if (json.choices.length === 0) last(json);
    else choice(json, json.choices);
  };

  return {
    transcript: t,
    take,
    end(unfinished, how) {
      t.ended = how;
      event = undefined;
      if (how === 'cancelled') return;
      if (unfinished !== '') problem('CHAT-1', 'S', `the body ends within an event: ${unfinished.slice(0, 100)}`);
      if (how !== 'end') problem('CHAT-3', 'S', `the connection broke: ${how}`);
      if (t.finish === undefined) problem('CHAT-2', 'S', 'the stream ended without a finish reason');
      if (!t.done) problem('CHAT-1', 'S', 'the stream ended without [DONE]');
    },
  };
}
