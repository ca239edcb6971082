// The cost of --data: an acknowledged create as the store grows, 32 at once against memory, and opening a large one.
// Needs a build (npm run build). Each figure in a process of its own, both sides of a comparison in turns.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, report } from './lib.js';

const INTERNS = 10_000;
const folder = mkdtempSync(join(tmpdir(), 'bench-store-'));
const script = new URL('servers/store.mjs', import.meta.url).pathname;

interface Result {
  opened: number;
  rss: number;
  times: number[];
  rate: number;
}

function run(what: string, file: string, count: number): Result {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, what, file, String(count)], {
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const grown = join(folder, 'grown.json');
const { times } = run('in-turn', grown, INTERNS + 50);
const around = (nth: number) => median(times.slice(Math.max(10, nth - 50), Math.max(10, nth - 50) + 100));
const ratio = around(INTERNS) / around(10);
console.log(`create: ${around(10).toFixed(3)} ms near the 10th, ${around(INTERNS).toFixed(3)} ms near the 10,000th`);
report('10,000th create, times the 10th', ratio.toFixed(2), '≤ 1.2', ratio <= 1.2);

const rates = [1, 2, 3].map((round) => ({
  file: run('together', join(folder, `together-${round}.json`), 5_000).rate,
  memory: run('together', '-', 5_000).rate,
}));
const share = median(rates.map(({ file, memory }) => file / memory));
console.log(
  `32 at once: ${rates.map(({ file, memory }) => `${file.toFixed(0)} of ${memory.toFixed(0)}/s`).join(', ')}`,
);
report('32 at once, of memory', `${(share * 100).toFixed(0)} %`, '≥ 40 %', share >= 0.4);

run('open', join(folder, 'empty.json'), 0);
const opens = [1, 2, 3, 4, 5].map(() => ({
  empty: run('open', join(folder, 'empty.json'), 0),
  grown: run('open', grown, 0),
}));
const more = median(opens.map(({ empty, grown }) => grown.opened - empty.opened));
const rss = median(opens.map(({ grown }) => grown.rss)) / 1e6;
console.log(`file of ${INTERNS} interns: ${(statSync(grown).size / 1e6).toFixed(1)} MB`);
report('opening 10,000 interns, more than an empty store', `${more.toFixed(0)} ms`, '≤ 200 ms', more <= 200);
report('resident memory after opening', `${rss.toFixed(0)} MB`, '≤ 150 MB', rss <= 150);
rmSync(folder, { recursive: true });
