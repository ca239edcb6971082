import type { Clock } from '../clock/clock.js';
import type { Injected } from '../contract/fault.js';
import type { Redaction } from '../domain/redaction.js';
import type { RunRef } from '../domain/runs.js';
import type { StreamClosed, StreamHooks } from '../sse/body.js';

/** One request and what came of it, as `GET /_emulator/journal` shows it. Times are ISO 8601, sizes bytes. */
export interface JournalEntry {
  id: string;
  at: string;
  operation: string | null;
  caller: string | null;
  intern_id: string | null;
  /** The run that the request started, continued or was delivered into. */
  run_id: string | null;
  /** From the request to its response, on the clock; of a stream to its first byte. Null until then. */
  ms: number | null;
  /** Of a refusal: what exactly was wrong, also where the response may not say it, and the requirement it rests on. */
  wrong: string | null;
  requirement: string | null;
  /** What an injected fault did to it. */
  injected?: Injected;
  request: { method: string; url: string; headers: Record<string, string>; body: string | null };
  response: { status: number | null; headers: Record<string, string>; body: string | null };
  /** Only for streams: every write as it left. */
  writes?: { at: string; bytes: number; text: string }[];
  /** Only for streams: how the body ended, and why the run did. */
  closed?: { at: string; how: StreamClosed; run_ended?: string };
  /** Where parts were left out for their size. */
  truncated?: true;
}

interface Write {
  readonly seq: number;
  readonly at: number;
  readonly kept: Uint8Array | string;
  readonly size: number;
}

/** A write of a stream as events tell it. */
export interface WriteView {
  request_id: string;
  /** Which write of its stream, from 0. */
  n: number;
  at: string;
  bytes: number;
  text: string;
}

/** Is told of requests as they go on: the log and the events. */
export interface JournalObserver {
  /** The response is there; `streams` where its body is still to come. */
  responded?(draft: JournalDraft, streams: boolean): void;
  wrote?(draft: JournalDraft, write: number): void;
  /** The stream has come to its end. */
  closed?(draft: JournalDraft): void;
}

/** A body as it came; a long one is redacted before it is cut. */
interface Held {
  readonly content: Uint8Array | string;
  readonly cut: boolean;
}

interface Raw {
  id: string;
  at: number;
  method: string;
  url: string;
  headers: Headers | readonly string[];
  requestBody: Held | undefined;
  operation: string | undefined;
  caller: string | undefined;
  internId: string | undefined;
  run: RunRef | undefined;
  refused: { wrong: string; requirement: string | undefined } | undefined;
  injected: Injected | undefined;
  respondedAt: number | undefined;
  /** Where it stands among all changes, as of its response or its end; 0 before. */
  seq: number;
  status: number | undefined;
  responseHeaders: Readonly<Record<string, string>>;
  responseBody: Held | undefined;
  writes: Write[] | undefined;
  held: number;
  closed: { at: number; how: StreamClosed; ended: string | undefined } | undefined;
}

/** What the pipeline notes of a request while it goes through. */
export type JournalDraft = Raw;

export interface Journal {
  /**
   * @param received the names and values of the headers in turns, where a listener has them: these are kept, since the
   *   headers of its request hold on to the connection
   */
  begin(id: string, request: Request, received?: readonly string[]): JournalDraft;
  /** Notes the body of a request, or the text of a response that is no stream: the beginning, where it is long. */
  noteRequestBody(draft: JournalDraft, bytes: Uint8Array): void;
  noteResponseBody(draft: JournalDraft, text: string): void;
  watch(draft: JournalDraft): StreamHooks;
  /** To be called when status and headers are known, or the connection was dropped instead. */
  responded(draft: JournalDraft, streams: boolean): void;
  observe(observer: JournalObserver): void;
  /** Those that a filter lets through, newest last; of more than `limit` the newest. */
  list(filter?: (draft: JournalDraft) => boolean, limit?: number): JournalEntry[];
  view(draft: JournalDraft): JournalEntry;
  /** The write of a stream with a number, as {@link JournalObserver.wrote} was told. */
  viewWrite(draft: JournalDraft, write: number): WriteView | undefined;
  /** What is held, oldest first. */
  drafts(): readonly JournalDraft[];
  /** The place among all changes up to which requests were forgotten. */
  forgotten(): number;
  clear(): void;
}

const MAX_ENTRIES = 1_000;
/** Of each body this many characters are shown, of all writes of one stream together this many bytes kept. */
const MAX_HELD = 65_536;
/** The end of what was cut may be part of a credential, which then can't be told: this much of it is never shown. */
const MARGIN = 4_096;
const KEPT = MAX_HELD + MARGIN;
/** How many writes on each side are looked at when one is shown by itself: a credential may lie in several. */
const WRITES_AROUND = 128;

function headersOf({ headers }: Pick<Raw, 'headers'>): Headers {
  if (headers instanceof Headers) return headers;
  const joined = new Headers();
  for (let at = 0; at < headers.length; at += 2) joined.append(headers[at] ?? '', headers[at + 1] ?? '');
  return joined;
}

/** Headers that are credentials whatever they hold; of `Authorization` the scheme is shown. */
const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie']);
const withoutCredential = (value: string): string =>
  /^bearer\s/i.test(value) ? `${value.slice(0, 6)} [redacted]` : '[redacted]';

/**
 * The newest requests and responses, bounded in number and size. Entries are kept as they came and turned into text only
 * when they are read, because that is rare and requests are not; `redact` then takes every credential out. `prefix` was
 * taken off the paths before the requests came here.
 */
export function createJournal(
  clock: Clock,
  { redact, redactWrites }: Pick<Redaction, 'redact' | 'redactWrites'>,
  next: () => number = () => 0,
  prefix = '',
): Journal {
  let entries: Raw[] = [];
  let start = 0;
  let forgotten = 0;
  const observers: JournalObserver[] = [];

  const urlOf = (url: string) => {
    const path = url.indexOf('/', url.indexOf('://') + 3);
    return prefix === '' || path < 0 ? url : url.slice(0, path) + prefix + url.slice(path);
  };
  const iso = (at: number) => new Date(at).toISOString();
  const utf8 = new TextDecoder();

  const textOf = (content: Uint8Array | string) => (typeof content === 'string' ? content : utf8.decode(content));
  /** One decoder for all: a character may be split over two writes. */
  const textsOf = (writes: readonly Write[]) => {
    const decoder = new TextDecoder();
    return writes.map(({ kept }) => (typeof kept === 'string' ? kept : decoder.decode(kept, { stream: true })));
  };
  const hold = (content: Uint8Array | string): Held => {
    if (content.length <= MAX_HELD) return { content, cut: false };
    const text = typeof content === 'string' ? content.slice(0, KEPT) : utf8.decode(content.subarray(0, KEPT));
    const [clean = ''] = redactWrites([text], true);
    // A copy, so that the rest can go.
    return { content: Buffer.from(clean.slice(0, MAX_HELD)).toString(), cut: true };
  };
  const ordered = () => [...entries.slice(start), ...entries.slice(0, start)];

  const writesOf = (writes: readonly Write[], cut: boolean) => {
    const texts = redactWrites(textsOf(writes), cut);
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    let room = Math.min(MAX_HELD, cut ? length - MARGIN : length);
    const shown = writes.map((write, index) => {
      const text = (texts[index] ?? '').slice(0, Math.max(0, room));
      room -= texts[index]?.length ?? 0;
      return { at: iso(write.at), bytes: write.size, text };
    });
    return { shown, truncated: cut || length > MAX_HELD };
  };

  const view = (raw: Raw): JournalEntry => {
    let truncated = false;
    const shown = ({ content, cut }: Held): string => {
      const clean = redact(textOf(content));
      if (cut || clean.length > MAX_HELD) truncated = true;
      return clean.slice(0, MAX_HELD);
    };
    const { requestBody, responseBody } = raw;
    const headers: Record<string, string> = {};
    headersOf(raw).forEach((value, name) => {
      headers[name] = CREDENTIAL_HEADERS.has(name) ? withoutCredential(value) : redact(value);
    });
    const seen: JournalEntry = {
      id: redact(raw.id),
      at: iso(raw.at),
      operation: raw.operation ?? null,
      caller: raw.caller ?? null,
      intern_id: raw.internId ?? null,
      run_id: raw.run?.id ?? null,
      ms: raw.respondedAt === undefined ? null : raw.respondedAt - raw.at,
      wrong: raw.refused ? redact(raw.refused.wrong) : null,
      requirement: raw.refused?.requirement ?? null,
      ...(raw.injected ? { injected: raw.injected } : {}),
      request: {
        method: raw.method,
        url: redact(raw.url),
        headers,
        body: requestBody ? shown(requestBody) : null,
      },
      response: {
        status: raw.status ?? null,
        headers: Object.fromEntries(Object.entries(raw.responseHeaders).map(([name, value]) => [name, redact(value)])),
        body: responseBody ? shown(responseBody) : null,
      },
    };
    if (raw.writes) {
      const writes = writesOf(raw.writes, raw.held >= KEPT);
      seen.writes = writes.shown;
      if (writes.truncated) truncated = true;
    }
    if (raw.closed) {
      const { at, how, ended } = raw.closed;
      seen.closed = { at: iso(at), how, ...(ended === undefined ? {} : { run_ended: ended }) };
    }
    if (truncated) seen.truncated = true;
    return seen;
  };

  return {
    begin(id, request, received) {
      const draft: Raw = {
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
      draft.requestBody = hold(bytes);
    },
    noteResponseBody(draft, text) {
      draft.responseBody = hold(text);
    },
    watch(draft) {
      const writes: Write[] = [];
      draft.writes = writes;
      return {
        onWrite(written) {
          const room = Math.max(0, KEPT - draft.held);
          const size = typeof written === 'string' ? Buffer.byteLength(written) : written.length;
          const bytes = () => (typeof written === 'string' ? Buffer.from(written) : written);
          const kept = size > room ? new Uint8Array(bytes().subarray(0, room)) : written;
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
    responded(draft, streams) {
      draft.respondedAt = clock.now();
      draft.seq = next();
      for (const observer of observers) observer.responded?.(draft, streams);
    },
    observe: (observer) => void observers.push(observer),
    list(filter, limit) {
      const held = filter ? ordered().filter(filter) : ordered();
      return (limit === undefined ? held : held.slice(-limit)).map(view);
    },
    view,
    viewWrite(draft, index) {
      const write = draft.writes?.[index];
      if (!write) return undefined;
      const first = Math.max(0, index - WRITES_AROUND);
      const around = (draft.writes ?? []).slice(first, index + WRITES_AROUND);
      const text = redactWrites(textsOf(around), true)[index - first] ?? '';
      return { request_id: redact(draft.id), n: index, at: iso(write.at), bytes: write.size, text };
    },
    drafts: ordered,
    forgotten: () => forgotten,
    clear() {
      forgotten = next();
      entries = [];
      start = 0;
    },
  };
}
