// Memory of used nonces: 1,000,000 nonces through the memory itself, and 20,000 v2 proofs through the whole daemon,
// both spread over virtual hours. Prints what is held and the heap at points along the way, after a garbage collection.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createNonces } from '../emulator/daemon/nonces.js';
import { createBench } from '../emulator/daemon/testing.js';
import { report } from './lib.js';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

const heap = () => {
  collect();
  return process.memoryUsage().heapUsed;
};
const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

const nonces = createNonces();
const COUNT = 1_000_000;
const HOURS = 3;
const heaps: number[] = [];
const sizes: number[] = [];
for (let count = 0; count < COUNT; count++) {
  const second = Math.floor((count / COUNT) * HOURS * 3_600);
  nonces.forgetBefore(second - 60);
  if (!nonces.take('intern', `nonce-${count}`, second)) throw new Error('a nonce was taken for used');
  if ((count + 1) % (COUNT / 10) !== 0) continue;
  sizes.push(nonces.size);
  heaps.push(heap());
  console.log(`after ${count + 1} nonces: ${nonces.size} held, heap ${mebibytes(heaps.at(-1) ?? 0)}`);
}
const growth = (heaps.at(-1) ?? 0) - (heaps[0] ?? 0);
const flat = growth < 2 ** 20 && Math.max(...sizes) <= (COUNT / (HOURS * 3_600)) * 63;
report(
  `nonce memory after ${COUNT} nonces over ${HOURS} virtual hours`,
  `${mebibytes(growth)} more than after a tenth`,
  'flat',
  flat,
);

const bench = createBench();
const PROOFS = 20_000;
const through: number[] = [];
for (let count = 0; count < PROOFS; count++) {
  const { status } = await bench.send({ headers: bench.prove() });
  if (status !== 200) throw new Error(`a proof was answered ${status}`);
  if (count % 100 === 99) await bench.clock.advance(60_000);
  if ((count + 1) % (PROOFS / 5) !== 0) continue;
  bench.logged.length = 0;
  through.push(heap());
  console.log(
    `after ${count + 1} proofs: ${bench.daemon.nonces.size} nonces held, heap ${mebibytes(through.at(-1) ?? 0)}`,
  );
}
// Issued signatures are remembered too, the last 10,000: by the third point that is full.
const more = (through.at(-1) ?? 0) - (through[2] ?? 0);
report(
  `memory of the daemon after ${PROOFS} v2 proofs over ${(PROOFS / 6_000).toFixed(1)} virtual hours`,
  `${mebibytes(more)} more`,
  'flat',
  more < 2 ** 20,
);
