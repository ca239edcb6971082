import type { Clock } from '../clock/clock.js';
import type { StreamClosed } from '../sse/body.js';
import type { StreamWatch } from './route.js';

/** One request and what came of it, as `GET /_emulator/journal` shows it. Times are ISO 8601, sizes bytes. */
export interface JournalEntry {
  id: string;
  at: string;
  operation: string | null;
  caller: string | null;
  request: { method: string; url: string; headers: Record<string, string>; body: string | null };
  response: { status: number | null; headers: Record<string, string>; body: string | null };
  /** Only for streams: every write as it left. */
  writes?: { at: string; bytes: number; text: string }[];
  /** Only for streams: how the body ended, and why the run did. */
  closed?: { at: string; how: StreamClosed; run_ended?: string };
  /** Where parts were left out for their size. */
  truncated?: true;
}

interface Raw {
  id: string;
  at: number;
  method: string;
  url: string;
  headers: Headers;
  requestBody: Uint8Array | undefined;
  operation: string | undefined;
  caller: string | undefined;
  status: number | undefined;
  responseHeaders: Readonly<Record<string, string>>;
  responseBody: string | undefined;
  writes: { at: number; kept: Uint8Array | string; cut: boolean; size: number }[] | undefined;
  held: number;
  closed: { at: number; how: StreamClosed; ended: string | undefined } | undefined;
}

/** What the pipeline notes of a request while it goes through. */
export type JournalDraft = Raw;

export interface Journal {
  begin(id: string, request: Request): JournalDraft;
  watch(draft: JournalDraft): StreamWatch;
  /** Newest last. */
  list(): JournalEntry[];
  clear(): void;
}

const MAX_ENTRIES = 1_000;
/** Of each body, and of all writes of one stream together, this many bytes are kept. */
const MAX_HELD = 65_536;

/**
 * The newest requests and responses, bounded in number and size. Entries are kept as they came and turned into text only
 * when they are read, because that is rare and requests are not; `redact` then takes every credential out.
 */
export function createJournal(clock: Clock, redact: (text: string) => string): Journal {
  let entries: Raw[] = [];
  let start = 0;

  const iso = (at: number) => new Date(at).toISOString();
  const utf8 = new TextDecoder();

  const view = (raw: Raw): JournalEntry => {
    let truncated = false;
    const cut = (text: string): string => {
      if (text.length <= MAX_HELD) return redact(text);
      truncated = true;
      return redact(text.slice(0, MAX_HELD));
    };
    const headers: Record<string, string> = {};
    raw.headers.forEach((value, name) => {
      headers[name] = name === 'authorization' ? value.replace(/^(\S+).*/s, '$1 [redacted]') : redact(value);
    });
    const seen: JournalEntry = {
      id: raw.id,
      at: iso(raw.at),
      operation: raw.operation ?? null,
      caller: raw.caller ?? null,
      request: {
        method: raw.method,
        url: redact(raw.url),
        headers,
        body: raw.requestBody ? cut(utf8.decode(raw.requestBody)) : null,
      },
      response: {
        status: raw.status ?? null,
        headers: { ...raw.responseHeaders },
        body: raw.responseBody === undefined ? null : cut(raw.responseBody),
      },
    };
    if (raw.writes) {
      seen.writes = raw.writes.map((write) => {
        if (write.cut) truncated = true;
        const text = typeof write.kept === 'string' ? write.kept : utf8.decode(write.kept);
        return { at: iso(write.at), bytes: write.size, text: redact(text) };
      });
    }
    if (raw.closed) {
      const { at, how, ended } = raw.closed;
      seen.closed = { at: iso(at), how, ...(ended === undefined ? {} : { run_ended: ended }) };
    }
    if (truncated) seen.truncated = true;
    return seen;
  };

  return {
    begin(id, request) {
      const draft: Raw = {
        id,
        at: clock.now(),
        method: request.method,
        url: request.url,
        headers: request.headers,
        requestBody: undefined,
        operation: undefined,
        caller: undefined,
        status: undefined,
        responseHeaders: {},
        responseBody: undefined,
        writes: undefined,
        held: 0,
        closed: undefined,
      };
      if (entries.length < MAX_ENTRIES) entries.push(draft);
      else {
        entries[start] = draft;
        start = (start + 1) % MAX_ENTRIES;
      }
      return draft;
    },
    watch(draft) {
      const writes: NonNullable<Raw['writes']> = [];
      draft.writes = writes;
      return {
        onWrite(written) {
          const room = Math.max(0, MAX_HELD - draft.held);
          const size = typeof written === 'string' ? Buffer.byteLength(written) : written.length;
          const cut = size > room;
          const bytes = () => (typeof written === 'string' ? Buffer.from(written) : written);
          const kept = cut ? new Uint8Array(bytes().subarray(0, room)) : written;
          draft.held += Math.min(size, room);
          // Beyond the bound even the list of writes stops growing.
          if (writes.length < 10_000) writes.push({ at: clock.now(), kept, cut, size });
        },
        onClose(how, ended) {
          draft.closed ??= { at: clock.now(), how, ended };
        },
      };
    },
    list: () => [...entries.slice(start), ...entries.slice(0, start)].map(view),
    clear() {
      entries = [];
      start = 0;
    },
  };
}
