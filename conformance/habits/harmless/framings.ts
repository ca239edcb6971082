import { rewritten } from '../../../emulator/wire/answer.js';
import { chunkOf, DONE, frameOf } from '../../../emulator/wire/chunks.js';
import type { Json } from '../../../emulator/wire/json.js';
import type { Serve } from '../../../emulator/wire/serve.js';
import { isStream } from '../../../emulator/wire/streams.js';

/** Real ms between two pieces, so that most readers see them apart. */
const BETWEEN = 2;
/** Longest time, in real ms, for which bytes are held back (EXP-3). */
const HELD = 250;
const STEP = 5;

/** Changes the events of a stream one by one, by their numbers. */
export const events =
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
  const ping = n === 0 || `${event}\n\n` === DONE ? '' : 'event: ping\ndata: {"type":"ping"}\n\n';
  return `${ping}${event}\n\n`;
});

/** Lines end in CR LF. */
export const crlf = events((event) => `${event.replaceAll('\n', '\r\n')}\r\n\r\n`);

/** Changes the JSON of a chunk. Any other event stays. */
export const chunkText = (change: (chunk: Json) => Json) => (event: string) => {
  const chunk = chunkOf(event);
  return chunk === undefined ? `${event}\n\n` : frameOf(change(chunk));
};

/** The intern reports no usage: the final chunk carries null, as after a question. */
export const noUsage = events(chunkText((chunk) => ('usage' in chunk ? { ...chunk, usage: null } : chunk)));

type Bytes = ReadableStreamDefaultReader<Uint8Array>;
type Sink = ReadableStreamDefaultController<Uint8Array>;

/** Sends the bytes of a stream in other pieces. */
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

/** The places of cuts: within characters of several bytes, or else within lines. */
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

/** Joins pieces that follow each other soon into one. */
export const joined: Serve = (next, setting) => {
  let held: Promise<'late'> | undefined;
  return rewrites(async (reader, sink, pause) => {
    if (held === undefined) {
      // Many short waits: on a busy machine they grow along with the times of the stream.
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
      // A read under way must not get lost.
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
