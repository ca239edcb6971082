import type { StreamChunk } from '../contract/chat.js';
import { createEventSplitter, through } from '../wire/streams.js';
import { createEventNames } from './events.js';

/** How a disturbed stream goes on at its place: with other events to its end, broken off, or not at all. */
export type Continuation = { readonly text: string } | 'break' | 'hang';

interface Interruption {
  /** The place in the stream, as a fault's `write` names it. */
  readonly write: string;
  /** Called at the place, if the stream has it, with the last chunk that the client got. */
  happens(last: StreamChunk): Continuation | Promise<Continuation>;
  /** Cuts the connection once the written bytes have left; in process the body ends in an error. */
  readonly cut: (() => void) | undefined;
  /** Has the server notice, from now on, that the client leaves. */
  untilLeft(): Promise<void>;
}

/**
 * The same stream until a place in it. There the client's departure cancels the run, as on a connection that breaks;
 * one that falls silent lets the run go on.
 */
export function interrupted(response: Response, { write, happens, cut, untilLeft }: Interruption): Response {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const split = createEventSplitter();
  const name = createEventNames();
  const encoder = new TextEncoder();
  const [place = '', within] = write.split('@');
  let last: StreamChunk = {};
  let over = false;
  let release = () => {};

  const continued = async (controller: ReadableStreamDefaultController<Uint8Array>, sent: Uint8Array) => {
    over = true;
    const goesOn = await happens(last);
    if (sent.length > 0) controller.enqueue(sent);
    const released = () =>
      new Promise<void>((resolve) => {
        release = resolve;
      });
    if (goesOn === 'hang') return Promise.race([released(), untilLeft()]);
    void reader.cancel().catch(() => {});
    if (goesOn === 'break') {
      cut?.();
      if (cut) return released();
      controller.error(new TypeError('terminated', { cause: new Error('the connection was cut by a disturbance') }));
      return;
    }
    controller.enqueue(encoder.encode(goesOn.text));
    controller.close();
  };

  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (!over) {
          const { done, value } = await reader.read();
          let sent = '';
          for (const text of split(done ? undefined : value)) {
            const event = name(text);
            if (event.before === place) return continued(controller, encoder.encode(sent));
            last = event.chunk ?? last;
            if (event.after === place) {
              const own = encoder.encode(text);
              const part = within === undefined ? own : own.subarray(0, Number(within));
              return continued(controller, Buffer.concat([encoder.encode(sent), part]));
            }
            sent += text;
          }
          if (sent !== '') controller.enqueue(encoder.encode(sent));
          if (done) {
            over = true;
            controller.close();
            return;
          }
          if (sent !== '') return;
        }
      },
      cancel(reason) {
        over = true;
        release();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status: response.status, headers: response.headers });
}

/** Reads an answer to its end, and forgets it: the run goes to its end too. */
export async function drain(response: Response): Promise<void> {
  const reader = response.body?.getReader();
  while (reader !== undefined) if ((await reader.read()).done) return;
}

/** The same stream, with something done once all of it is there, before its last piece is passed on. */
export function followed(response: Response, then: (events: readonly StreamChunk[]) => Promise<void>): Response {
  const split = createEventSplitter();
  const name = createEventNames();
  const chunks: StreamChunk[] = [];
  return through(response, {
    async sends(piece) {
      let last = false;
      for (const text of split(piece)) {
        const { chunk, after } = name(text);
        if (chunk !== undefined) chunks.push(chunk);
        last ||= after === 'after-done';
      }
      // Many clients leave after it.
      if (last) await then(chunks);
      return piece;
    },
  });
}
