import { parentPort, workerData } from 'node:worker_threads';
import { type PackedExchange, unpack } from './packed.js';
import { createWriter, type WriterOptions, type Written } from './writer.js';

/** An exchange to be written to its file. */
export interface Order {
  readonly id: number;
  readonly packed: PackedExchange;
  readonly path: string;
}

/** What became of an order. */
export interface Outcome {
  readonly id: number;
  readonly written?: Written;
  readonly problem?: string;
}

// The thread that makes lines of exchanges.
const writer = createWriter(workerData as WriterOptions);
const answer = (outcome: Outcome) => parentPort?.postMessage(outcome);
parentPort?.on('message', ({ id, packed, path }: Order) => {
  writer.write(unpack(packed), path).then(
    (written) => answer({ id, written }),
    (error: Error) => answer({ id, problem: error.message }),
  );
});
