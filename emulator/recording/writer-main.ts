import { unpack } from './packed.js';
import { createWriter } from './writer.js';
import type { Beginning, Order, Outcome } from './writer-process.js';

// The process that makes lines of exchanges. It ends with the recorder: a terminal interrupts both.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
process.on('disconnect', () => process.exit(0));

process.once('message', ({ options, before }: Beginning) => {
  const writer = createWriter(options, before);
  const answer = (outcome: Omit<Outcome, 'learned'>) =>
    process.send?.({ ...outcome, learned: writer.learnedSince() }, () => {});
  process.on('message', ({ packed, path }: Order) => {
    writer.write(unpack(packed), path).then(
      (written) => answer({ written }),
      (error: Error) => answer({ problem: error.message }),
    );
  });
});
