import { rewritten } from '../../../emulator/wire/answer.js';
import { isRecord, type Json, jsonOf } from '../../../emulator/wire/json.js';
import type { Serve } from '../../../emulator/wire/serve.js';
import { isStream } from '../../../emulator/wire/streams.js';

/** Real ms between two pieces, for which most readers wake. */
const BETWEEN = 2;
/** Real ms for which bytes may be held back (EXP-3). */
const HELD = 250;
const STEP = 5;

const DONE = 'data: [DONE]';

/** Events, changed one by one; each with its number. */
const events =
  (changed: (event: string, n: number) => string): Serve =>
  (next) =>
  async (request) => {
    let n = 0;
    return rewritten(await next(request), { text: (event) => changed(event, n++) });
  };

/** Comments and keepalives stand between the events. */
export const comments = events((event, n) => `${n % 2 === 0 ? ': keepalive' : ':\n: still here'}\n\n${event}\n\n`);

/** Events of an unknown type come between the first one and the end. */
export const unknownEvents = events((event, n) => {
  const ping = 'event: ping\ndata: {"type":"ping"}\n\n';
  return n === 0 || event.startsWith(DONE) ? `${event}\n\n` : `${ping}${event}\n\n`;
});

/** Lines end in CR LF. */
export const crlf = events((event) => `${event.replaceAll('\n', '\r\n')}\r\n\r\n`);

/** A chunk, changed as JSON; anything else stays. */
export const chunkText = (change: (chunk: Json) => Json) => (event: string) => {
  const chunk = event.startsWith('data: {') ? jsonOf(event.slice(6)) : undefined;
  return `${isRecord(chunk) ? `data: ${JSON.stringify(change(chunk))}` : event}\n\n`;
};

type Bytes = ReadableStreamDefaultReader<Uint8Array>;
type Sink = ReadableStreamDefaultController<Uint8Array>;

/** A stream whose bytes are sent by other writes. */
const rewrites =
  (write: (reader: Bytes, sink: Sink, pause: (ms: number) => Promise<void>) => Promise<void>): Serve =>
  (next, { host, pause = host.sleep }) =>
  async (request) => {
    const response = await next(request);
    if (response.body === null || !isStream(response)) return response;
    const reader: Bytes = response.body.getReader();
    const body = new ReadableStream<Uint8Array>(
      { pull: (sink) => write(reader, sink, pause), cancel: (reason) => reader.cancel(reason) },
      { highWaterMark: 0 },
    );
    return new Response(body, { status: response.status, headers: response.headers });
  };

const MOST_CUTS = 12;

/** Where a piece is cut: within characters of several bytes, and else within lines. */
function cutsOf(bytes: Uint8Array): number[] {
  const within = [...bytes.keys()].filter((at) => at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80);
  const evenly = [1, 3, 5].map((share) => Math.floor((bytes.length * share) / 7)).filter((at) => at > 0);
  return [...new Set([...within.slice(0, MOST_CUTS), ...evenly])].sort((a, b) => a - b);
}

/** Pieces end within characters and lines. */
export const split: Serve = rewrites(async (reader, sink, pause) => {
  const { done, value } = await reader.read();
  if (done) return sink.close();
  let from = 0;
  for (const at of cutsOf(value)) {
    sink.enqueue(value.subarray(from, at));
    from = at;
    await pause(BETWEEN);
  }
  sink.enqueue(value.subarray(from));
});

/** Pieces that come soon come in one, and not at once. */
export const joined: Serve = (next, setting) => {
  let held: Promise<'late'> | undefined;
  return rewrites(async (reader, sink, pause) => {
    if (held === undefined) {
      // In steps: on a busy machine each takes longer, as what is waited for does.
      const steps = async () => {
        for (let ms = 0; ms < HELD; ms += STEP) await pause(STEP);
        return 'late' as const;
      };
      held = steps();
      const pieces: Uint8Array[] = [];
      let reading = reader.read();
      for (;;) {
        const piece = await Promise.race([reading, held]);
        if (piece === 'late') break;
        if (piece.done) {
          await held;
          sink.enqueue(Buffer.concat(pieces));
          return sink.close();
        }
        pieces.push(piece.value);
        reading = reader.read();
      }
      if (pieces.length > 0) sink.enqueue(Buffer.concat(pieces));
      // Nothing that is being read may get lost.
      const { done, value } = await reading;
      return done ? sink.close() : sink.enqueue(value);
    }
    const { done, value } = await reader.read();
    return done ? sink.close() : sink.enqueue(value);
  })(next, setting);
};

/** The connection stays open for a moment after the last byte. */
export const heldOpen: Serve = rewrites(async (reader, sink, pause) => {
  const { done, value } = await reader.read();
  if (!done) return sink.enqueue(value);
  await pause(HELD);
  sink.close();
});
