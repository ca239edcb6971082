// How long the client lab takes through an adapter of Node's fetch: every case uncut, and every case with its few cuts.
// Each a process of its own, from the built package. Cases that wait overlap, so the time is less than their sum.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { report } from './lib.js';

const ROOT = resolve(import.meta.dirname, '..');
const bin = resolve(ROOT, 'dist/bin/intern-conformance.js');
const adapter = [process.execPath, '--import', 'tsx', 'clients/adapters/fetch.ts'];

interface Ran {
  readonly duration: number;
  readonly requests: number;
  readonly checks: readonly { readonly verdict: string; readonly duration: number }[];
}

function run(cuts: 'none' | 'few', most: number): void {
  const args = [bin, 'client', '--cuts', cuts, '--report', 'json', '--', ...adapter];
  const { stdout } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1e9 });
  const { checks, duration, requests }: Ran = JSON.parse(stdout);
  const judged = checks.filter(({ verdict }) => verdict !== 'skip');
  if (judged.some(({ verdict }) => verdict === 'error')) throw new Error('a case has no verdict');
  const alone = judged.reduce((sum, check) => sum + check.duration, 0) / 1_000;
  const seconds = duration / 1_000;
  const figure = `${seconds.toFixed(1)} s, ${judged.length} cases, ${requests} requests, ${alone.toFixed(0)} s one after the other`;
  report(`the whole lab, --cuts ${cuts}`, figure, `≤ ${most} s`, seconds <= most);
}

run('none', 60);
run('few', 90);
