import type { Level, RequirementId } from '../requirements/index.js';

/** The rules of the order and shape of a chat stream: which requirement, and at which level. */
export const STREAM_RULES = {
  'event-is-json': ['CHAT-1', 'S'],
  'event-is-flat': ['CHAT-1', 'S'],
  'event-is-object': ['CHAT-1', 'S'],
  'chunk-has-choices': ['CHAT-1', 'S'],
  'choice-is-object': ['CHAT-1', 'S'],
  'choice-has-delta': ['CHAT-1', 'S'],
  'content-in-delta': ['CHAT-1', 'S'],
  'ends-with-done': ['CHAT-1', 'S'],
  'ends-between-events': ['CHAT-1', 'S'],
  'chunk-object': ['CHAT-1', 'P'],
  'chunk-id': ['CHAT-1', 'P'],
  'chunk-created': ['CHAT-1', 'P'],
  'chunk-model': ['CHAT-1', 'P'],
  'chunk-id-stays': ['CHAT-1', 'P'],
  'one-choice': ['CHAT-1', 'P'],
  'first-chunk-role': ['CHAT-1', 'P'],
  'first-chunk-empty': ['CHAT-1', 'C'],
  'finish-reason': ['CHAT-2', 'S'],
  'one-finish-reason': ['CHAT-2', 'S'],
  'has-finish-reason': ['CHAT-2', 'S'],
  'nothing-after-finish': ['CHAT-2', 'S'],
  'choice-after-final': ['CHAT-3', 'S'],
  'final-after-finish': ['CHAT-3', 'S'],
  'one-final': ['CHAT-3', 'S'],
  'final-session': ['CHAT-3', 'S'],
  'done-after-final': ['CHAT-3', 'S'],
  'nothing-after-done': ['CHAT-3', 'S'],
  'connection-holds': ['CHAT-3', 'S'],
  'session-in-final-only': ['CHAT-3', 'C'],
  'usage-in-final-only': ['CHAT-3', 'C'],
  'final-has-usage': ['CHAT-4', 'S'],
  'usage-form': ['CHAT-4', 'S'],
  'usage-is-carried': ['CHAT-4', 'S'],
  'no-usage-after-question': ['CHAT-4', 'S'],
  'calls-are-array': ['CHAT-5', 'S'],
  'call-is-object': ['CHAT-5', 'S'],
  'one-call': ['CHAT-5', 'S'],
  'call-name': ['CHAT-5', 'S'],
  'call-id': ['CHAT-5', 'S'],
  'finish-after-call': ['CHAT-5', 'S'],
  'call-index': ['CHAT-5', 'P'],
  'call-whole': ['CHAT-5', 'P'],
  'keepalive-between-events': ['CHAT-11', 'S'],
} as const satisfies Record<string, readonly [RequirementId, Level]>;
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
