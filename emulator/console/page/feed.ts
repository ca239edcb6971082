import { type Api, ApiError } from './api.js';
import { createSseReader, type SseEvent } from './sse.js';

/** How long events are gathered before they are shown, in ms: many at once cost little more than one. */
const GATHER = 60;
/** How long after a broken connection the next is tried, in ms; doubled each time up to the second. */
const RETRY = [500, 8_000] as const;

export interface Feed {
  close(): void;
}

export interface FeedHandlers {
  /** Several events in the order in which they came. */
  events(batch: SseEvent[]): void;
  /** The connection is there, for the first time or again. */
  opened(resumed: boolean): void;
  closed(error: ApiError | undefined): void;
}

/** Follows `GET /_emulator/events` for as long as the page is open, taking up where a broken connection left off. */
export function createFeed(api: Api, handlers: FeedHandlers): Feed {
  const over = new AbortController();
  let batch: SseEvent[] = [];
  let lastId: string | undefined;
  let gathering = false;

  const flush = () => {
    gathering = false;
    const events = batch;
    batch = [];
    if (events.length > 0 && !over.signal.aborted) handlers.events(events);
  };
  const reader = () =>
    createSseReader((event) => {
      batch.push(event);
      if (gathering) return;
      gathering = true;
      setTimeout(flush, GATHER);
    });

  const follow = async () => {
    let wait: number = RETRY[0];
    for (;;) {
      let failed: ApiError | undefined;
      try {
        const headers: Record<string, string> = lastId === undefined ? {} : { 'last-event-id': lastId };
        const response = await api.stream('events', over.signal, headers);
        handlers.opened(lastId !== undefined);
        wait = RETRY[0];
        const { push, lastId: idOf } = reader();
        const utf8 = new TextDecoder();
        const body = response.body?.getReader();
        for (let part = await body?.read(); part && !part.done; part = await body?.read()) {
          push(utf8.decode(part.value, { stream: true }));
          lastId = idOf() ?? lastId;
        }
      } catch (error) {
        failed = error instanceof ApiError ? error : undefined;
      }
      if (over.signal.aborted) return;
      handlers.closed(failed);
      // A token that is missing does not come by waiting: the page asks for it, and makes a feed anew.
      if (failed?.status === 401 || failed?.status === 403) return;
      await new Promise((resolve) => setTimeout(resolve, wait));
      wait = Math.min(wait * 2, RETRY[1]);
    }
  };
  void follow();
  return { close: () => over.abort() };
}
