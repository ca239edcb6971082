// The effect of 32 busy signers on 100 paced chat streams: p99 of how late their events come, alone and beside the signers, in
// turns against one emulator in a process of its own. Run after `npm run build`: npx tsx bench/sign-streams.ts
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import seed from '../fixtures/seeds/default.json' with { type: 'json' };
import { median, percentile, report, start } from './lib.js';

const STREAMS = 100;
const EVERY = 50;
const EVENTS = 80;
const ROUNDS = 3;

const [first] = seed.interns;
if (!first) throw new Error('the default seed has no intern');
const interns = Array.from({ length: STREAMS }, (_, index) => ({
  ...first,
  id: `0b000000-0000-4000-8000-${String(index + 100).padStart(12, '0')}`,
  vault_id: `0b000000-0000-4000-9000-${String(index + 100).padStart(12, '0')}`,
  name: `streamer-${index}`,
  api_key: `bench-key-${index}-0000`,
}));
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const paced = join(folder, 'paced.json');
const text = 'x'.repeat(EVENTS);
writeFileSync(paced, JSON.stringify({ name: 'paced', turn: [{ say: text, chunks: EVENTS, every: `${EVERY}ms` }] }));
const seedFile = join(folder, 'seed.json');
writeFileSync(seedFile, JSON.stringify({ ...seed, interns: [first, ...interns] }));
const emulator = await start(
  'emulator.mjs',
  JSON.stringify({ seedFile, scriptFiles: [paced], settings: { turns_per_minute: 0 } }),
);
const { base_url, credentials } = emulator.hello as unknown as {
  base_url: string;
  credentials: { api_key: string; oauth_token: string; intern: { id: string } };
};

/** How late each event of a stream was, in ms: the time since the one before it, less the pace. */
const stream = async (id: string): Promise<number[]> => {
  const response = await fetch(`${base_url}/interns/${id}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credentials.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'script: paced' }] }),
  });
  if (!response.ok || !response.body) throw new Error(`${response.status}: ${await response.text()}`);
  const late: number[] = [];
  let last: number | undefined;
  for await (const chunk of response.body) {
    if (!Buffer.from(chunk).includes('"content":"x"')) continue;
    const now = performance.now();
    if (last !== undefined) late.push(Math.max(0, now - last - EVERY));
    last = now;
  }
  if (late.length < EVENTS / 2) throw new Error(`only ${late.length} events came apart`);
  return late;
};
const p99 = async () => percentile((await Promise.all(interns.map(({ id }) => stream(id)))).flat(), 0.99);

const signers = (seconds: number) =>
  autocannon({
    url: `${base_url}/interns/${credentials.intern.id}/daemon/sign`,
    connections: 32,
    duration: seconds,
    workers: 1,
    method: 'POST',
    headers: { authorization: `Bearer ${credentials.oauth_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ bodySha256: '0'.repeat(64), route: { method: 'POST', path: '/api/invoke' } }),
  });

await p99();
const alone: number[] = [];
const beside: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  alone.push(await p99());
  const signing = signers((EVENTS * EVERY) / 1_000 + 1);
  beside.push(await p99());
  const { non2xx, errors, requests } = await signing;
  if (non2xx + errors > 0) throw new Error(`${non2xx} refusals, ${errors} errors`);
  console.log(
    `alone ${alone.at(-1)?.toFixed(1)} ms, beside ${Math.round(requests.average)} signatures/s ${beside.at(-1)?.toFixed(1)} ms`,
  );
}
const added = median(beside.map((late, round) => late - (alone[round] ?? 0)));
report(
  `p99 event delay of ${STREAMS} streams beside 32 signers`,
  `${added.toFixed(1)} ms added`,
  '≤ 10 ms',
  added <= 10,
);
await emulator.stop();
rmSync(folder, { recursive: true });
