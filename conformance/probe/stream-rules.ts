import type { Level, RequirementId } from '../requirements/index.js';

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
