import type { RunEvent } from '../contract/run.js';
import type { Run } from './run.js';

/** A run holds about this many bytes for its reader. Beyond that it waits until the reader takes some. */
export const HELD_LIMIT = 8 * 1024 * 1024;

/** About how many bytes a text of an event takes up. */
export const sizeOfText = (text: string): number => 64 + 2 * text.length;

/** About how many bytes an event of a run takes up. */
function sizeOf(event: RunEvent): number {
  if (event.type === 'reasoning') return sizeOfText(event.text);
  if (event.type !== 'content') return 256;
  let size = 0;
  for (const text of event.texts) size += sizeOfText(text);
  return size;
}

/** Leaves an event for the reader of a run. */
export function pushEvent(run: Run, event: RunEvent): void {
  run.log.push(event);
  run.held += sizeOf(event);
}

/** Takes about `limit` bytes of ready events, oldest first. Stops after an event that ends a response. */
export function takeEvents(run: Run, limit: number): RunEvent[] {
  const { log, at } = run;
  let end = at;
  let size = 0;
  while (end < log.length && size < limit) {
    const event = log[end++] as RunEvent;
    size += sizeOf(event);
    if (event.type === 'ask' || event.type === 'end') break;
  }
  run.held -= size;
  run.taken?.();
  run.at = end;
  if (end < log.length) return log.slice(at, end);
  run.log = [];
  run.at = 0;
  return at === 0 ? log : log.slice(at);
}

/** Drops the events that nobody will read. */
export function clearEvents(run: Run): void {
  run.log = [];
  run.at = 0;
  run.held = 0;
}
