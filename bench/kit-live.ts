// The cost of the default live run: requests, interns made, and real time at a rate of requests. Against the built
// emulator over HTTP without its control interface, on a real clock, where a boot takes 2 s.
//
//   npx tsx bench/kit-live.ts [requests per second] [slowest]
import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { report, startCommand } from './lib.js';

/** The script of every intern, except where a prompt names another. */
const SCRIPT = {
  name: 'echo',
  turn: [{ say: 'Hello there. ', chunks: 3 }, { usage: { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 } }],
  lifecycle: { boot: { after: '2s', steps: ['Creating disk', 'Starting runtime'] } },
};

const rate = Number(process.argv[2] ?? 20);
const folder = mkdtempSync(join(tmpdir(), 'kit-live-'));
const served = await startCommand(
  ['--port', '0', '--daemon-port', '0', '--turns-per-minute', '0', '--clock', 'real'],
  openSync(join(folder, 'log'), 'w'),
);
try {
  const { origin } = new URL(String(served.hello.base_url));
  const { credentials, workspace_id: workspace } = (await (await fetch(`${origin}/_emulator/target`)).json()) as {
    credentials: { api_key: string };
    workspace_id: string;
  };
  const boots = await fetch(`${origin}/_emulator/scripts/echo`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(SCRIPT),
  });
  if (!boots.ok) throw new Error(`the script was answered ${boots.status} ${await boots.text()}`);
  const bin = new URL('../dist/bin/intern-conformance.js', import.meta.url).pathname;
  const file = join(folder, 'results.json');
  const args = [`${origin}/api/v1`, '--no-control', '--rate', String(rate), '--report', `json=${file}`];
  const child = spawn(process.execPath, [bin, ...args, '--ledger-dir', join(folder, 'ledgers')], {
    env: { ...process.env, INTERN_API_KEY: credentials.api_key, INTERN_WORKSPACE_ID: workspace },
    stdio: 'ignore',
  });
  const exit = await new Promise((resolve) => child.on('exit', resolve));
  const results = JSON.parse(readFileSync(file, 'utf8')) as {
    requests: number;
    duration: number;
    cleanup: { created: number };
    counts: Record<string, number>;
    checks: { id: string; verdict: string; duration: number; requests: number; finding?: { what: string } }[];
  };
  if (process.argv[3] === 'slowest')
    for (const { id, duration, requests } of [...results.checks].sort((a, b) => b.duration - a.duration).slice(0, 40))
      console.log(duration, requests, id);
  for (const { id, verdict, finding } of results.checks)
    if (['fail', 'warn', 'error'].includes(verdict)) console.log(verdict, id, finding?.what ?? '');
  console.log(`exit ${exit}`, JSON.stringify(results.counts), `${results.cleanup.created} interns made`);
  report('requests of the default live run', String(results.requests), '≤ 3,000', results.requests <= 3_000);
  const seconds = results.duration / 1_000;
  report(`its time at ${rate} requests a second`, `${seconds.toFixed(0)} s`, '≤ 180 s', seconds <= 180);
} finally {
  await served.stop();
  rmSync(folder, { recursive: true, force: true });
}
