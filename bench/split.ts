// Splitting a text of `say`: 1 MB of family emoji in 10,000 pieces, and one character of 1 MB.
import { split } from '../emulator/scripts/split.js';
import { median, report } from './lib.js';

const ROUNDS = 7;
const MEGABYTE = 1_000_000;

function timeOf(text: string): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const begun = performance.now();
    split(text, 10_000);
    return performance.now() - begun;
  });
  return median(times);
}

const family = '👨‍👩‍👧‍👦';
const families = timeOf(family.repeat(Math.ceil(MEGABYTE / Buffer.byteLength(family))));
report('1 MB of families in 10,000 pieces', `${families.toFixed(0)} ms`, '≤ 200 ms', families <= 200);
const one = timeOf(`e${'\u0301'.repeat(MEGABYTE / 2)}`);
report('1 MB that is one character', `${one.toFixed(0)} ms`, '≤ 200 ms', one <= 200);
