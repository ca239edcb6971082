// Costs of a recorder and a judge: the time to the first byte of a stream, and streams per second at 32 at once, compared with
// the same without them, in turns in one run. Emulator, recorder and judge are processes of their own; a stream says 20 pieces, 20
// ms apart.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, report } from './lib.js';

const AT_ONCE = 32;
const ROUNDS = 4;
const FIRSTS = 60;
const bin = fileURLToPath(new URL('../bin/intern-emulator.ts', import.meta.url));
const kit = fileURLToPath(new URL('../bin/intern-conformance.ts', import.meta.url));

function run(args: readonly string[], bin: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, ['--import', 'tsx', bin, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      const url = /"base_url":"([^"]+)|records \S+ at (\S+)|^listening (\S+)/
        .exec(chunk.toString())
        ?.slice(1)
        .find(Boolean);
      if (url) resolve({ child, url });
    });
  });
}

const folder = mkdtempSync(join(tmpdir(), 'bench-recorder-'));
const emulator = await run(['--port', '0', '--quiet', '--json', '--turns-per-minute', '0'], bin);
const recorder = await run(['record', emulator.url, '--out', join(folder, 'out.jsonl'), '--port', '0', '--quiet'], bin);
const judge = await run(['judge', '--listen', '0', '--to', emulator.url], kit);
const control = emulator.url.replace('/api/v1', '/_emulator');
const target = (await (await fetch(`${control}/target`)).json()) as {
  workspace_id: string;
  credentials: { api_key: string; intern: { id: string } };
};
await fetch(`${control}/scripts/paced`, {
  method: 'PUT',
  body: JSON.stringify({ name: 'paced', turn: [{ say: 'word '.repeat(40), chunks: 20, every: '20ms' }] }),
});
const headers = { authorization: `Bearer ${target.credentials.api_key}`, 'content-type': 'application/json' };
const ids: string[] = [];
for (let number = 0; number < AT_ONCE; number++) {
  const body = JSON.stringify({ name: `in-${number}`, workspace_id: target.workspace_id, provision: true });
  ids.push(
    ((await (await fetch(`${emulator.url}/interns`, { method: 'POST', headers, body })).json()) as { id: string }).id,
  );
}
await fetch(`${control}/clock`, { method: 'POST', body: '{"advance":"5s"}' });

/** One stream read whole; ms to its first byte. */
async function stream(base: string, id: string, script: string): Promise<number> {
  const begun = performance.now();
  const response = await fetch(`${base}/interns/${id}/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: `script: ${script}` }] }),
  });
  const reader = response.body?.getReader();
  await reader?.read();
  const first = performance.now() - begun;
  while (!(await reader?.read())?.done);
  if (response.status !== 200) throw new Error(`a stream was refused: ${response.status}`);
  return first;
}

const bases = { direct: emulator.url, recorded: recorder.url, judged: judge.url };
const SIDES = ['direct', 'recorded', 'judged'] as const;
const firsts = { direct: [] as number[], recorded: [] as number[], judged: [] as number[] };
const rates = { direct: [] as number[], recorded: [] as number[], judged: [] as number[] };
for (let round = 0; round < FIRSTS; round++)
  for (const by of SIDES) firsts[by].push(await stream(bases[by], ids[round % AT_ONCE] ?? '', 'no-usage'));
for (let round = 0; round < ROUNDS; round++) {
  for (const by of SIDES) {
    const begun = performance.now();
    await Promise.all(
      ids.map(async (id) => {
        for (let time = 0; time < 4; time++) await stream(bases[by], id, 'paced');
      }),
    );
    rates[by].push((AT_ONCE * 4_000) / (performance.now() - begun));
  }
}
const added = median(firsts.recorded) - median(firsts.direct);
report('added to the first byte', `${added.toFixed(2)} ms`, '≤ 5 ms', added <= 5);
const share = median(rates.recorded) / median(rates.direct);
const figure = `${median(rates.recorded).toFixed(0)} of ${median(rates.direct).toFixed(0)} streams/s`;
report('streams per second at 32 at once', `${(share * 100).toFixed(0)} %, ${figure}`, '≥ 80 %', share >= 0.8);
const later = median(firsts.judged) - median(firsts.recorded);
report('a judge adds to the first byte, beside a recorder', `${later.toFixed(2)} ms`, '≤ 1 ms', later <= 1);
const kept = median(rates.judged) / median(rates.recorded);
report('streams per second of a judge, of those of a recorder', `${(kept * 100).toFixed(0)} %`, '≥ 95 %', kept >= 0.95);
for (const { child } of [judge, recorder, emulator]) {
  const ended = new Promise((resolve) => child.removeAllListeners('exit').once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
rmSync(folder, { recursive: true });
