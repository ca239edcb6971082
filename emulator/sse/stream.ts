import type { Clock, Timer } from '../clock/clock.js';
import type { RunEnded, RunEvent } from '../contract/run.js';
import type { Encoder } from './chunks.js';
import { bytesOf, KEEPALIVE } from './frame.js';
import { Frames } from './frames.js';

/** The source of a response's events. */
export interface Source {
  /** False while more may become ready at once; `listen`'s callback says when to look again. */
  ready(): boolean;
  /** Whether the run is over and all its rest can be taken: no disconnect can matter to it any more. */
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

/** The content of one write: whole events only, so that no character is ever split; bytes where an event breaks off. */
export type Written = Frames | Uint8Array;

/** The bytes of a write. */
export const bytesOfWritten = (written: Written): Uint8Array =>
  written instanceof Frames ? bytesOf(written.toString()) : written;

/** The events of a stream that the journal records, as they happen. */
export interface StreamHooks {
  /** Handed over for writing. */
  onWrite(written: Written): void;
  /** The stream is over; `ended` says how the run ended, if it has. */
  onClose(why: StreamClosed, ended?: RunEnded): void;
}

export interface StreamOptions {
  readonly source: Source;
  readonly encoder: Encoder;
  readonly clock: Clock;
  /** Milliseconds of silence after which a keepalive is written. */
  readonly keepalive: () => number;
  /** Drops the connection within the first event after the opening one, or right after the finish chunk. */
  readonly drop?: 'mid-event' | 'before-done' | undefined;
  /** Cuts the connection then, if there is one; otherwise the body ends in an error. */
  readonly cut?: (() => void) | undefined;
  readonly hooks?: StreamHooks | undefined;
  /** Aborted when the client is gone. Polled where no connection reports it. */
  readonly signal?: (() => AbortSignal | undefined) | undefined;
}

export interface Sink {
  /** The opening must leave by itself, and not with other ready events. */
  readonly opensAlone?: boolean;
  /** Takes one write, the last of a whole stream or not; false if the next one must wait until the sink wants more. */
  write(written: Written, last: boolean): boolean;
  end(): void;
  /** Breaks the stream off, so that its reader sees that it is not whole. */
  fail(error: unknown): void;
}

/** A stream that is being written, for its sink to steer. */
export interface Flow {
  /** The sink wants more. */
  want(): void;
  /**
   * The client is gone: its disconnect, until the last bytes have been handed over. False if the stream was over
   * already.
   */
  gone(): boolean;
}

const ALIVE = new Frames(KEEPALIVE);

/** About how much one write may carry: more waits until the sink asks again. */
const WRITE_LIMIT = 256 * 1024;

/**
 * Writes a stream when its sink wants more and something is ready. Events that are ready together leave in one write; a
 * single one leaves alone and at once. An idle stream holds only the run's own log, which is bounded. A class, since
 * thousands may wait at once.
 */
class Writing implements Flow {
  private wanted = false;
  private opened = false;
  private over = false;
  private written = 0;
  private timer: Timer | undefined;

  constructor(
    private readonly options: StreamOptions,
    private readonly sink: Sink,
  ) {
    options.source.listen(() => this.write());
  }

  want(): void {
    this.wanted = true;
    this.write();
  }

  gone(): boolean {
    if (this.over) return false;
    this.close('client_left');
    return true;
  }

  private send(written: Written, last = false): void {
    this.written = this.options.clock.now();
    this.options.hooks?.onWrite(written);
    this.wanted = this.sink.write(written, last);
  }

  private close(why: StreamClosed): void {
    const { source, hooks } = this.options;
    this.over = true;
    this.timer?.cancel();
    this.timer = undefined;
    if (why === 'complete') source.finish();
    else source.leave();
    hooks?.onClose(why, source.ended());
  }

  private drop(): void {
    this.close('dropped');
    if (this.options.cut) this.options.cut();
    else this.sink.fail(new Error('the connection was dropped by an injected fault'));
  }

  private write(): void {
    while (!this.over && this.wanted && this.options.source.ready()) if (!this.writeOnce()) break;
  }

  /** Drops the connection within the first event from a place on, if there is one. */
  private dropWithin(text: string, from: number): boolean {
    if (text.length === from) return false;
    const event = bytesOf(text.slice(from, text.indexOf('\n\n', from) + 2));
    this.send(Buffer.concat([bytesOf(text.slice(0, from)), event.subarray(0, event.length >> 1)]));
    this.drop();
    return true;
  }

  /** False if there was nothing to write. */
  private writeOnce(): boolean {
    const { source, encoder, drop } = this.options;
    const frames = new Frames();
    if (!this.opened) {
      this.opened = true;
      encoder.open(frames);
      if (this.sink.opensAlone) {
        this.send(frames);
        return true;
      }
    }
    const opening = drop === 'mid-event' ? frames.toString().length : 0;
    for (const event of source.take(WRITE_LIMIT)) {
      encoder.event(event, frames);
      if (drop === 'mid-event' && this.dropWithin(frames.toString(), opening)) return true;
    }
    if (!encoder.ended || drop === 'before-done') {
      if (frames.size > 0) this.send(frames);
      if (encoder.ended) this.drop();
      else if (!this.timer) this.arm(this.options.keepalive());
      return frames.size > 0;
    }
    encoder.final(frames);
    this.send(frames, true);
    this.close('complete');
    this.sink.end();
    return true;
  }

  /** One timer per stream, set anew only when it fires: a write merely moves the time it is measured from. */
  private arm(ms: number): void {
    const { clock, keepalive, source } = this.options;
    this.timer = clock.timer(ms, () => {
      const left = this.written + keepalive() - clock.now();
      if (left > 0) return this.arm(left);
      try {
        // A reader that has not taken the last write needs no further one.
        if (this.wanted && source.ready()) this.send(ALIVE);
      } catch (error) {
        // A stream that can no longer notice its client leave must not go on.
        this.close('dropped');
        this.sink.fail(error);
        throw error;
      }
      this.arm(keepalive());
    });
  }
}

/** A reply on its way: to be opened or read, once. */
export class EventStream {
  constructor(private readonly options: StreamOptions) {}

  /** Whether all of it is ready: true of most replies of scripts that do not wait. */
  get whole(): boolean {
    return this.options.drop === undefined && this.options.source.complete();
  }

  /** Lets it flow into a sink, once that wants it. */
  open(sink: Sink): Flow {
    return new Writing(this.options, sink);
  }

  /** The stream as the body of a `Response`. Cancelling it is the client's disconnect, and so is the abort of the signal. */
  readable(): ReadableStream<Uint8Array> {
    const signal = this.options.signal?.();
    let flow: Flow | undefined;
    let left = () => {};
    const over = () => signal?.removeEventListener('abort', left);
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          flow = this.open({
            write(written) {
              controller.enqueue(bytesOfWritten(written));
              return false;
            },
            end() {
              over();
              controller.close();
            },
            fail(error) {
              over();
              controller.error(error);
            },
          });
          // Nobody is there to receive an error, and servers log those.
          left = () => flow?.gone() && controller.close();
          if (signal?.aborted) left();
          else signal?.addEventListener('abort', left, { once: true });
        },
        pull: () => flow?.want(),
        cancel() {
          over();
          flow?.gone();
        },
      },
      { highWaterMark: 0 },
    );
  }
}
