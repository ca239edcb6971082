import type { Clock } from '../../clock/clock.js';
import type { RecordedExchange } from '../format.js';

export interface StreamedWrite {
  /** ms to wait before it. */
  readonly after: number;
  readonly bytes: Uint8Array;
}

export interface ReplayStream {
  readonly writes: readonly StreamedWrite[];
  readonly ended: RecordedExchange['ended'];
  readonly clock: Pick<Clock, 'sleep'>;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
  /** Cuts the connection once the written bytes have left; undefined in process. */
  readonly cut?: (() => void) | undefined;
  onWrite(bytes: Uint8Array): void;
  onClose(how: 'complete' | 'client_left' | 'dropped'): void;
}

/**
 * The recorded writes of an answer, with their gaps on the clock. A stream that the client left stays open after them,
 * since nobody knows what would have come; a stream that broke off breaks off.
 */
export function replayStream(options: ReplayStream): ReadableStream<Uint8Array> {
  const { writes, ended, clock, cut, onWrite, onClose } = options;
  const leave = new AbortController();
  const signal = AbortSignal.any([options.signal, leave.signal]);
  let over = false;
  const close = (how: Parameters<typeof onClose>[0]) => {
    if (!over) onClose(how);
    over = true;
  };
  const gone = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  /** Called when all written bytes are read. */
  let drained = () => {};
  const play = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    for (const { after, bytes } of writes) {
      if (after > 0) await clock.sleep(after, signal);
      signal.throwIfAborted();
      onWrite(bytes);
      controller.enqueue(bytes);
    }
    if (ended === 'broken') {
      close('dropped');
      // An error would discard what was not read yet.
      if ((controller.desiredSize ?? 1) < 1) await Promise.race([new Promise<void>((read) => (drained = read)), gone]);
      if (cut) return cut();
      return controller.error(new Error('the recorded connection broke off here'));
    }
    if (ended === 'client') await gone;
    close(ended === 'client' ? 'client_left' : 'complete');
    controller.close();
  };
  return new ReadableStream({
    start(controller) {
      play(controller).catch((error: unknown) => {
        close('client_left');
        // Too late if the reader cancelled it.
        try {
          controller.error(error);
        } catch {}
      });
    },
    pull: () => drained(),
    cancel: (reason) => leave.abort(reason),
  });
}
