import type { Chunk } from '../answers.js';
import { type Call, isJson, type Json } from '../call.js';

export const isFinal = (chunk: Chunk | undefined) => chunk?.choices.length === 0;
export const finish = (chunk: Chunk | undefined) => chunk?.choices[0]?.finish_reason ?? undefined;
export const finished = (chunk: Chunk, reason: string): Chunk => ({
  ...chunk,
  choices: chunk.choices.map((choice) => ({ ...choice, finish_reason: reason })),
});
export const says = (chunk: Chunk | undefined) => chunk?.choices[0]?.delta.content;
export const replies = ({ body }: Call) =>
  Array.isArray(body.messages) && isJson(body.messages.at(-1)) && (body.messages.at(-1) as Json).role === 'tool';
/** A text in the metadata of an error chunk. */
export const reasoned = (chunk: Chunk | undefined, reason: string) => chunk?.error?.metadata?.reason === reason;
export const toolOf = (chunk: Chunk | undefined) => chunk?.choices[0]?.delta.tool_calls;
