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
  /** Notes the body of a request, or the text of a response that is no stream: the beginning, where it is long. */
  noteRequestBody(draft: JournalDraft, bytes: Uint8Array): void;
  noteResponseBody(draft: JournalDraft, text: string): void;
  watch(draft: JournalDraft): StreamWatch;
  /** Newest last. */
  list(): JournalEntry[];
  clear(): void;
}

const MAX_ENTRIES = 1_000;
/** Of each body this many characters are shown, of all writes of one stream together this many bytes kept. */
const MAX_HELD = 65_536;
/** A text that was cut may end within a credential, which then can't be told: this much of its end is never shown. */
const MARGIN = 4_096;
const KEPT = MAX_HELD + MARGIN;

/** The beginning of a body, as much as an entry keeps. A copy, so that the rest can go. */
const beginning = (bytes: Uint8Array): Uint8Array =>
  bytes.length <= KEPT ? bytes : new Uint8Array(bytes.subarray(0, KEPT));
const beginningOf = (text: string): string =>
  text.length <= KEPT ? text : Buffer.from(text.slice(0, KEPT)).toString();

/** Headers that are credentials whatever they hold; of `Authorization` the scheme is shown. */
const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie']);
const withoutCredential = (value: string): string =>
  /^bearer\s/i.test(value) ? `${value.slice(0, 6)} [redacted]` : '[redacted]';

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
    const shown = (text: string, cut: boolean, most = MAX_HELD): string => {
      const clean = redact(text);
      const length = cut ? Math.min(most, Math.max(0, clean.length - MARGIN)) : most;
      if (cut || clean.length > length) truncated = true;
      return clean.slice(0, length);
    };
    const { requestBody, responseBody } = raw;
    const headers: Record<string, string> = {};
    raw.headers.forEach((value, name) => {
      headers[name] = CREDENTIAL_HEADERS.has(name) ? withoutCredential(value) : redact(value);
    });
    const seen: JournalEntry = {
      id: redact(raw.id),
      at: iso(raw.at),
      operation: raw.operation ?? null,
      caller: raw.caller ?? null,
      request: {
        method: raw.method,
        url: redact(raw.url),
        headers,
        body: requestBody ? shown(utf8.decode(requestBody), requestBody.length >= KEPT) : null,
      },
      response: {
        status: raw.status ?? null,
        headers: Object.fromEntries(Object.entries(raw.responseHeaders).map(([name, value]) => [name, redact(value)])),
        body: responseBody === undefined ? null : shown(responseBody, responseBody.length >= KEPT),
      },
    };
    if (raw.writes) {
      seen.writes = raw.writes.map((write) => {
        const text = typeof write.kept === 'string' ? write.kept : utf8.decode(write.kept);
        return { at: iso(write.at), bytes: write.size, text: shown(text, write.cut, Number.POSITIVE_INFINITY) };
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
    noteRequestBody(draft, bytes) {
      draft.requestBody = beginning(bytes);
    },
    noteResponseBody(draft, text) {
      draft.responseBody = beginningOf(text);
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
