import { type Api, ApiError } from './api.js';
import { createSseReader, type SseEvent } from './sse.js';

/** How long events are gathered before they are shown, in ms: many at once cost little more than one. */
const GATHER = 60;
/** How long to wait after a broken connection before the next attempt, in ms; doubled each time up to the second. */
const RETRY = [500, 8_000] as const;
/** How long a hidden page stays connected, in ms. */
const UNSEEN = 3_000;

export interface Feed {
  close(): void;
}

export interface FeedHandlers {
  /** Several events in the order in which they came. */
  events(batch: readonly SseEvent[]): void;
  /** The connection is there, for the first time or again. */
  opened(resumed: boolean): void;
  closed(error: ApiError | undefined): void;
}

const seen = (): boolean => document.visibilityState === 'visible';

const whenSeen = (): Promise<void> =>
  new Promise((resolve) => {
    const look = () => {
      if (!seen()) return;
      document.removeEventListener('visibilitychange', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    look();
  });

/** Aborts a while after the page was hidden; `stop` once that does not matter. */
function createUnseen(): { signal: AbortSignal; stop(): void } {
  const unseen = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    if (!seen()) timer = setTimeout(() => unseen.abort(), UNSEEN);
  };
  document.addEventListener('visibilitychange', look);
  return {
    signal: unseen.signal,
    stop() {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    },
  };
}

/**
 * Follows `GET /_emulator/events`, continuing where a broken connection left off. Only while the page is visible: a
 * browser has six connections to one address for all its tabs, and a stream in a background tab would hold one of them.
 */
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
  const gather = (event: SseEvent) => {
    batch.push(event);
    if (gathering) return;
    gathering = true;
    setTimeout(flush, GATHER);
  };

  /** One connection until it ends; throws ApiError if it is refused. */
  const connect = async (signal: AbortSignal, opened: () => void) => {
    const headers: Record<string, string> = lastId === undefined ? {} : { 'last-event-id': lastId };
    const response = await api.stream('events', signal, headers);
    handlers.opened(lastId !== undefined);
    opened();
    const reader = createSseReader(gather);
    const utf8 = new TextDecoder();
    const body = response.body?.getReader();
    for (let part = await body?.read(); part && !part.done; part = await body?.read()) {
      reader.push(utf8.decode(part.value, { stream: true }));
      lastId = reader.lastId() ?? lastId;
    }
  };

  const follow = async () => {
    let wait: number = RETRY[0];
    while (!over.signal.aborted) {
      await whenSeen();
      const unseen = createUnseen();
      let failed: ApiError | undefined;
      try {
        await connect(AbortSignal.any([over.signal, unseen.signal]), () => {
          wait = RETRY[0];
        });
      } catch (error) {
        failed = error instanceof ApiError ? error : undefined;
      } finally {
        unseen.stop();
      }
      if (over.signal.aborted) return;
      if (unseen.signal.aborted) continue;
      handlers.closed(failed);
      // Waiting does not supply a missing token: the page asks for it, and makes a new feed.
      if (failed?.status === 401 || failed?.status === 403) return;
      await new Promise((resolve) => setTimeout(resolve, wait));
      wait = Math.min(wait * 2, RETRY[1]);
    }
  };
  void follow();
  return { close: () => over.abort() };
}
