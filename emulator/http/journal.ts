import type { Clock } from '../clock/clock.js';
import type { Injected } from '../contract/fault.js';
import type { JournalEntry } from '../contract/journal-entry.js';
import { type Redaction, withoutValue } from '../credentials/redaction.js';
import type { ReceivedRequest } from '../requests/received-request.js';
import { bytesOfWritten, type StreamHooks } from '../sse/stream.js';
import type { JournalDraft, JournalObserver, JournalWrite, Observed, WriteView } from './journal-entry.js';
import { createJournalRenderer, KEPT } from './journal-renderer.js';

export interface Journal extends Observed {
  /**
   * @param received headers as names and values in turn, if they came by a socket. They are kept instead of the
   *   request's own headers, which would keep the connection in memory
   */
  begin(id: string, request: ReceivedRequest, received?: readonly string[]): JournalDraft;
  /** Notes the body of a request, or the text of a response that is not a stream: the beginning, if it is long. */
  noteRequestBody(draft: JournalDraft, bytes: Uint8Array): void;
  noteResponseBody(draft: JournalDraft, text: string): void;
  /**
   * Notes what may be kept of a request that brings a secret. From here on the secret is redacted in everything shown;
   * what was noted of this request is redacted before it is kept.
   */
  noteConcealed(draft: JournalDraft, body: { readonly shown: string; readonly secret: string | undefined }): void;
  watch(draft: JournalDraft): StreamHooks;
  /** Call it when status and headers are known, or the connection was dropped instead. */
  responded(draft: JournalDraft): void;
  /** Notes the disturbance of a request, answered or not. */
  disturbed(draft: JournalDraft, injected: Injected | undefined): void;
  /** The entries that a filter accepts, newest last; of more than `limit` the newest. */
  list(filter?: (draft: JournalDraft) => boolean, limit?: number): JournalEntry[];
  view(draft: JournalDraft): JournalEntry;
  /** The write of a stream with a number, as {@link JournalObserver.wrote} received it. */
  viewWrite(draft: JournalDraft, write: number): WriteView | undefined;
  /** The held entries, oldest first. */
  drafts(): readonly JournalDraft[];
  /** Requests whose `seq` is not above this may be forgotten. */
  forgotten(): number;
  clear(): void;
}

const MAX_ENTRIES = 1_000;
/**
 * The newest requests and responses, bounded in number and size. Entries are kept as they came and turned into text
 * only when they are read, because reads are rare and requests are not. `redaction` then takes every credential out.
 * `prefix` is put back into the paths: it was removed before the requests came here.
 */
export function createJournal(
  clock: Clock,
  redaction: Pick<Redaction, 'redact' | 'redactWrites' | 'addVaultSecret'>,
  next: () => number = () => 0,
  prefix = '',
): Journal {
  let entries: JournalDraft[] = [];
  let start = 0;
  let forgotten = 0;
  const observers: JournalObserver[] = [];

  const urlOf = (url: string) => {
    if (prefix === '') return url;
    const path = url.indexOf('/', url.indexOf('://') + 3);
    return path < 0 ? url : url.slice(0, path) + prefix + url.slice(path);
  };
  const render = createJournalRenderer(redaction);
  const ordered = () => [...entries.slice(start), ...entries.slice(0, start)];

  return {
    begin(id, request, received) {
      const draft: JournalDraft = {
        id,
        at: clock.now(),
        method: request.method,
        url: urlOf(request.url),
        headers: received ?? request.headers,
        requestBody: undefined,
        operation: undefined,
        caller: undefined,
        internId: undefined,
        run: undefined,
        refused: undefined,
        injected: undefined,
        respondedAt: undefined,
        seq: 0,
        status: undefined,
        responseHeaders: {},
        responseBody: undefined,
        writes: undefined,
        held: 0,
        closed: undefined,
      };
      if (entries.length < MAX_ENTRIES) entries.push(draft);
      else {
        forgotten = Math.max(forgotten, entries[start]?.seq ?? 0);
        entries[start] = draft;
        start = (start + 1) % MAX_ENTRIES;
      }
      return draft;
    },
    noteRequestBody(draft, bytes) {
      draft.requestBody = render.hold(bytes);
    },
    noteConcealed(draft, { shown, secret }) {
      draft.requestBody = render.hold(shown);
      if (secret === undefined) return;
      redaction.addVaultSecret(secret);
      const { headers } = draft;
      const without = withoutValue(secret);
      draft.url = without(draft.url);
      draft.headers = (headers instanceof Headers ? [...headers].flat() : headers).map(without);
    },
    noteResponseBody(draft, text) {
      draft.responseBody = render.hold(text);
    },
    watch(draft) {
      const writes: JournalWrite[] = [];
      draft.writes = writes;
      return {
        onWrite(written) {
          const room = Math.max(0, KEPT - draft.held);
          const size = written instanceof Uint8Array ? written.length : written.size;
          const kept = size > room ? new Uint8Array(bytesOfWritten(written).subarray(0, room)) : written;
          draft.held += Math.min(size, room);
          // Beyond the bound even the list of writes stops growing.
          if (writes.length >= 10_000) return;
          writes.push({ seq: next(), at: clock.now(), kept, size });
          for (const observer of observers) observer.wrote?.(draft, writes.length - 1);
        },
        onClose(how, ended) {
          if (draft.closed) return;
          draft.closed = { at: clock.now(), how, ended };
          draft.seq = next();
          for (const observer of observers) observer.closed?.(draft);
        },
      };
    },
    responded(draft) {
      draft.respondedAt = clock.now();
      draft.seq = next();
      for (const observer of observers) observer.responded?.(draft);
    },
    disturbed(draft, injected) {
      draft.injected = injected;
      draft.seq = next();
      for (const observer of observers) observer.disturbed?.(draft);
    },
    observe: (observer) => void observers.push(observer),
    list(filter, limit) {
      const held = filter ? ordered().filter(filter) : ordered();
      return (limit === undefined ? held : held.slice(-limit)).map(render.entry);
    },
    view: render.entry,
    viewWrite: render.write,
    drafts: ordered,
    forgotten: () => forgotten,
    clear() {
      forgotten = next();
      entries = [];
      start = 0;
      for (const observer of observers) observer.cleared?.();
    },
  };
}
