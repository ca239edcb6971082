import type { StreamChunk } from '../contract/chat.js';
import { chunkOf, DONE } from '../wire/chunks.js';

/** One event of a chat stream, with the blank line that ends it, and the places in the stream that it makes. */
export interface NamedEvent {
  readonly text: string;
  /** The place right before it, if it begins the end of the stream. */
  readonly before: string | undefined;
  /** The place right after it. */
  readonly after: string | undefined;
  readonly chunk: StreamChunk | undefined;
}

/** Names the places of one stream, event by event (EXP-2). */
export function createEventNames(): (text: string) => NamedEvent {
  let began = false;
  let contents = 0;
  let pieces = 0;
  return (text) => {
    if (text === DONE) return { text, before: 'before-done', after: 'after-done', chunk: undefined };
    const chunk = chunkOf(text) as StreamChunk | undefined;
    if (chunk === undefined) return { text, before: undefined, after: undefined, chunk };
    const choice = chunk.choices?.[0];
    if (choice === undefined) return { text, before: 'before-final', after: undefined, chunk };
    if (choice.finish_reason != null) return { text, before: 'before-finish', after: undefined, chunk };
    let after: string | undefined;
    if (!began) after = 'first';
    else if (choice.delta?.tool_calls !== undefined) after = `tool-arguments:${++pieces}`;
    else if (typeof choice.delta?.content === 'string' && choice.delta.content !== '') after = `content:${++contents}`;
    began = true;
    return { text, before: undefined, after, chunk };
  };
}
