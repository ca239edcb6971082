import type { Clock, Timer } from '../clock/clock.js';
import type { RunEnded, RunEvent } from '../contract/run.js';
import type { Encoder } from './chunks.js';
import { bytesOf, KEEPALIVE } from './frame.js';

/** Where the events of a response come from. */
export interface Source {
  /** False while more may become ready at once; `listen`'s callback tells when to look again. */
  ready(): boolean;
  /** Whether the run is over and all the rest of it can be taken: no disconnect can matter to it any more. */
  complete(): boolean;
  take(limit: number): readonly RunEvent[];
  listen(wake: () => void): void;
  /** The last bytes were handed over. */
  finish(): void;
  /** The client left before that. */
  leave(): void;
  ended(): RunEnded | undefined;
}

/** Why a stream is over: it was complete, the client left, or a fault dropped the connection. */
export type StreamClosed = 'complete' | 'client_left' | 'dropped';

/** What a stream reports to the journal, as it happens. */
export interface StreamHooks {
  /** Handed over for writing; text where the whole body left at once and nothing needed its bytes. */
  onWrite(written: Uint8Array | string): void;
  /** The stream is over; `ended` says how the run ended, if it has. */
  onClose(why: StreamClosed, ended?: RunEnded): void;
}

export interface BodyOptions {
  readonly source: Source;
  readonly encoder: Encoder;
  readonly clock: Clock;
  /** Milliseconds of silence after which a keepalive is written. */
  readonly keepalive: () => number;
  /** Drops the connection within the first event after the opening one, or right after the finish chunk. */
  readonly drop?: 'mid-event' | 'before-done' | undefined;
  /** What cuts the connection then, where there is one; otherwise the body ends in an error. */
  readonly cut?: (() => void) | undefined;
  readonly hooks?: StreamHooks | undefined;
  /** Aborted when the client's connection is gone: the same as cancelling the body. Asked for by streams only. */
  readonly signal?: (() => AbortSignal) | undefined;
}

/** About how much one write may carry: more waits until the reader asks again. */
const WRITE_LIMIT = 256 * 1024;

/**
 * The body of a response: text where all of it is there already, otherwise a stream ({@link createStream}). Most replies
 * of scripts that do not wait are, and need none of a stream's machinery.
 */
export function createBody(options: BodyOptions): string | ReadableStream<Uint8Array> {
  const { source, encoder, drop, hooks } = options;
  if (drop !== undefined || !source.complete()) return createStream(options);
  let text = encoder.open();
  for (const event of source.take(WRITE_LIMIT)) text += encoder.event(event);
  const final = encoder.final();
  if (final === '') return createStream(options, text);
  text += final;
  hooks?.onWrite(text);
  source.finish();
  hooks?.onClose('complete', source.ended());
  return text;
}

/**
 * The body of a stream. It writes when its reader asks for more and something is there: what is ready together leaves in
 * one write, what comes alone leaves alone and at once. A reader that does not ask holds nothing but the run's own log,
 * which is bounded. Cancelling it is the client's disconnect, until the last bytes have been handed over.
 */
function createStream(options: BodyOptions, begun?: string): ReadableStream<Uint8Array> {
  const { source, encoder, clock, keepalive, drop, hooks } = options;
  const signal = options.signal?.();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let wanted = false;
  let opened = false;
  let over = false;
  let written = 0;
  let timer: Timer | undefined;

  const send = (bytes: Uint8Array) => {
    wanted = false;
    written = clock.now();
    hooks?.onWrite(bytes);
    controller?.enqueue(bytes);
  };

  const close = (why: StreamClosed) => {
    over = true;
    timer?.cancel();
    timer = undefined;
    signal?.removeEventListener('abort', gone);
    if (why === 'complete') source.finish();
    else source.leave();
    hooks?.onClose(why, source.ended());
  };

  const gone = () => {
    if (over) return;
    close('client_left');
    // Nobody is there to receive an error, and servers log those.
    controller?.close();
  };

  const dropNow = () => {
    close('dropped');
    if (options.cut) options.cut();
    else controller?.error(new Error('the connection was dropped by an injected fault'));
  };

  const write = () => {
    if (over || !wanted || !source.ready()) return;
    const events = source.take(WRITE_LIMIT);
    if (opened && events.length === 0) return;
    let text = opened ? '' : (begun ?? encoder.open());
    opened = true;
    for (const event of events) {
      const frames = encoder.event(event);
      if (drop === 'mid-event' && frames !== '') {
        const event = bytesOf(frames);
        send(Buffer.concat([bytesOf(text), event.subarray(0, event.length >> 1)]));
        return dropNow();
      }
      text += frames;
    }
    const final = encoder.final();
    if (final === '') {
      send(bytesOf(text));
      if (!timer) arm(keepalive());
      return;
    }
    if (drop === 'before-done') {
      send(bytesOf(text));
      return dropNow();
    }
    send(bytesOf(text + final));
    close('complete');
    controller?.close();
  };

  /** One timer per stream, set anew only when it fires: a write merely moves the time it is measured from. */
  const arm = (ms: number) => {
    timer = clock.timer(ms, () => {
      const left = written + keepalive() - clock.now();
      if (left > 0) return arm(left);
      try {
        // A reader that has not taken the last write needs no further one.
        if (wanted && source.ready()) send(KEEPALIVE);
      } catch (error) {
        // A stream that can no longer notice its client leave must not go on.
        close('dropped');
        controller?.error(error);
        throw error;
      }
      arm(keepalive());
    });
  };

  return new ReadableStream<Uint8Array>(
    {
      start(own) {
        controller = own;
        source.listen(write);
        if (signal?.aborted) gone();
        else signal?.addEventListener('abort', gone, { once: true });
      },
      pull() {
        wanted = true;
        write();
      },
      cancel() {
        if (!over) close('client_left');
      },
    },
    { highWaterMark: 0 },
  );
}
