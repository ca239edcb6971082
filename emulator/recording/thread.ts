import { Worker } from 'node:worker_threads';
import { pack } from './packed.js';
import type { Order, Outcome } from './thread-entry.js';
import { createWriter, type Writer, type WriterOptions, type Written } from './writer.js';

interface Waiting {
  resolve(written: Written): void;
  reject(error: Error): void;
}

/** The file that the build makes of `thread-entry.ts`. It stands beside every chunk. */
const ENTRY = './recorder.js';

/**
 * A writer in a thread of its own: what passes meanwhile waits for no line, however long it is. Where there is no build (the
 * source as it stands, which no thread of Node 20 can read) it is in this thread.
 *
 * Where the thread itself ends, nothing more is written: what it knew of credentials is gone with it.
 */
export function createThreadedWriter(options: WriterOptions): Writer {
  if (import.meta.url.endsWith('.ts')) return createWriter(options);
  const thread = new Worker(new URL(ENTRY, import.meta.url), { workerData: options });
  const waiting = new Map<number, Waiting>();
  let last = 0;
  let failure: Error | undefined;
  let whenDone = () => {};

  const settle = (id: number, how: (one: Waiting) => void) => {
    const one = waiting.get(id);
    waiting.delete(id);
    if (one) how(one);
    if (waiting.size === 0) whenDone();
  };
  const fail = (error: Error) => {
    failure ??= new Error(`nothing more can be recorded, start anew: ${error.message}`);
    for (const id of [...waiting.keys()]) settle(id, ({ reject }) => reject(failure ?? error));
  };
  thread.on('message', ({ id, written, problem }: Outcome) =>
    settle(id, (one) => (written ? one.resolve(written) : one.reject(new Error(problem)))),
  );
  thread.on('error', fail);
  thread.on('exit', (status) => fail(new Error(`its thread ended with status ${status}`)));

  return {
    write: (raw, path) =>
      new Promise((resolve, reject) => {
        if (failure) return reject(failure);
        const { packed, handed } = pack(raw);
        const order: Order = { id: ++last, packed, path };
        waiting.set(last, { resolve, reject });
        thread.postMessage(order, handed as ArrayBuffer[]);
      }),
    async close() {
      if (waiting.size > 0)
        await new Promise<void>((resolve) => {
          whenDone = resolve;
        });
      await thread.terminate();
    },
  };
}
