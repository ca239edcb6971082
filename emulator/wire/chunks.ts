import { isRecord, type Json, jsonOf } from './json.js';

/** The event that ends a chat stream. */
export const DONE = 'data: [DONE]\n\n';

/** The event of a chunk. */
export const frameOf = (chunk: unknown): string => `data: ${JSON.stringify(chunk)}\n\n`;

/** The chunk of an event; undefined if it carries none. */
export function chunkOf(event: string): Json | undefined {
  const chunk = event.startsWith('data: {') ? jsonOf(event.slice('data: '.length)) : undefined;
  return isRecord(chunk) ? chunk : undefined;
}
