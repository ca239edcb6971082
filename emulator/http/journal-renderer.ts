import type { JournalEntry } from '../contract/journal-entry.js';
import type { FieldProblem } from '../contract/problem.js';
import { type Trace, traceOf } from '../contract/traceparent.js';
import { type Redaction, shownHeader, withoutNamed } from '../credentials/redaction.js';
import type { Held, JournalDraft, JournalWrite, WriteView } from './journal-entry.js';

/** How many characters of each body are shown, and how many bytes of all writes of one stream are kept. */
const MAX_HELD = 65_536;
/**
 * The end of a cut text may be part of a credential, which then cannot be recognized: this much of it is never shown.
 */
const MARGIN = 4_096;
export const KEPT = MAX_HELD + MARGIN;
/** How many writes on each side are read when one is shown by itself: a credential may lie in several. */
const WRITES_AROUND = 128;

function headersOf({ headers }: Pick<JournalDraft, 'headers'>): Headers {
  if (headers instanceof Headers) return headers;
  const joined = new Headers();
  for (let at = 0; at < headers.length; at += 2) joined.append(headers[at] ?? '', headers[at + 1] ?? '');
  return joined;
}

/** The trace of a request, read without making headers of what was received: the log asks for each request. */
export function traceIn(
  { headers }: Pick<JournalDraft, 'headers'>,
  redact: (text: string) => string,
): Trace | undefined {
  if (headers instanceof Headers) return traceOf(redact(headers.get('traceparent') ?? ''));
  let found: string | undefined;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? '';
    if (name.length !== 'traceparent'.length || name.toLowerCase() !== 'traceparent') continue;
    if (found !== undefined) return undefined;
    found = headers[at + 1];
  }
  return found === undefined ? undefined : traceOf(redact(found));
}

const iso = (at: number) => new Date(at).toISOString();

/** Turns what the journal keeps into what it shows: bounded in size, and without credentials. */
export function createJournalRenderer({ redact, redactWrites }: Pick<Redaction, 'redact' | 'redactWrites'>) {
  const utf8 = new TextDecoder();

  const textOf = (content: Uint8Array | string) => (typeof content === 'string' ? content : utf8.decode(content));
  /** One decoder for all: a character may be split over two writes. */
  const textsOf = (writes: readonly JournalWrite[]) => {
    const decoder = new TextDecoder();
    return writes.map(({ kept }) =>
      kept instanceof Uint8Array ? decoder.decode(kept, { stream: true }) : String(kept),
    );
  };
  /** The beginning of a body, if it is long: a copy, so that the rest can be freed. */
  const hold = (content: Uint8Array | string): Held => {
    if (content.length <= MAX_HELD) return { content, cut: false };
    const text = typeof content === 'string';
    const bytes = text ? Buffer.from(content.slice(0, KEPT)) : new Uint8Array(content.subarray(0, KEPT));
    return { content: text ? bytes.toString() : bytes, cut: true };
  };

  const writesOf = (writes: readonly JournalWrite[], cut: boolean) => {
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

  /** The message may quote what was sent, and keys are what was sent. */
  const clean = ({ path, message, unknown }: FieldProblem): FieldProblem => ({
    path: path.map((key) => (typeof key === 'string' ? redact(key) : key)),
    message: redact(message),
    ...(unknown ? { unknown: unknown.map(redact) } : {}),
  });

  const entry = (raw: JournalDraft): JournalEntry => {
    let truncated = false;
    const shown = ({ content, cut }: Held): string => {
      const text = textOf(content);
      const clean = cut ? (redactWrites([text], true)[0] ?? '') : redact(text);
      if (cut || clean.length > MAX_HELD) truncated = true;
      return clean.slice(0, MAX_HELD);
    };
    const { requestBody, responseBody } = raw;
    const headers: Record<string, string> = {};
    const trace = traceIn(raw, redact);
    headersOf(raw).forEach((value, name) => {
      headers[name] = shownHeader(name, value, redact);
    });
    const seen: JournalEntry = {
      id: redact(raw.id),
      at: iso(raw.at),
      operation: raw.operation ?? null,
      caller: raw.caller ?? null,
      intern_id: raw.internId ?? null,
      run_id: raw.run?.id ?? null,
      script: raw.run?.script ?? null,
      ms: raw.respondedAt === undefined ? null : raw.respondedAt - raw.at,
      wrong: raw.refused ? redact(raw.refused.wrong) : null,
      requirement: raw.refused?.requirement ?? null,
      ...(raw.refused?.fields?.length ? { fields: raw.refused.fields.map(clean) } : {}),
      ...(raw.injected ? { injected: raw.injected } : {}),
      ...(trace ? { trace } : {}),
      ...(raw.judged ? { judged: raw.judged } : {}),
      request: {
        method: raw.method,
        url: redact(raw.url),
        headers,
        body: requestBody ? withoutNamed(shown(requestBody)) : null,
      },
      response: {
        status: raw.status ?? null,
        headers: Object.fromEntries(
          Object.entries(raw.responseHeaders).map(([name, value]) => [name, shownHeader(name, value, redact)]),
        ),
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
    hold,
    entry,
    /** The write of a stream with a number; a credential may lie in several. */
    write(draft: JournalDraft, index: number): WriteView | undefined {
      const write = draft.writes?.[index];
      if (!write) return undefined;
      const first = Math.max(0, index - WRITES_AROUND);
      const around = (draft.writes ?? []).slice(first, index + WRITES_AROUND);
      const text = redactWrites(textsOf(around), true)[index - first] ?? '';
      return { request_id: redact(draft.id), n: index, at: iso(write.at), bytes: write.size, text };
    },
  };
}
