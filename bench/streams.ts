// Streams per second of a reply of 50 chunks without pacing, and the time to the first byte, at 32 and 500 at once:
// against aimock with an equal reply, and against bare node:http writing the emulator's own events chunk by chunk. The
// figure of node:http with all its writes in one turn of the event loop is printed beside.
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, percentile, report, type Served, start } from './lib.js';
import { type Load, streamLoad } from './load.js';

const CHUNKS = 50;
const ROUNDS = 3;
const SECONDS = 3;
const content = Array.from({ length: CHUNKS }, (_, i) => `word-${String(i).padStart(3, '0')} `).join('');

const script = join(tmpdir(), `intern-emulator-bench-${process.pid}.json`);
writeFileSync(script, JSON.stringify({ name: 'fifty', turn: [{ say: content, chunks: CHUNKS }] }));
// One intern streams to one client at a time, so there is one for each connection.
const LARGEST = 500;
const emulator = await start(
  'emulator.mjs',
  JSON.stringify({ scriptFiles: [script], settings: { turns_per_minute: 0 } }),
);
const target = emulator.hello as unknown as {
  base_url: string;
  workspace_id: string;
  credentials: { api_key: string };
};
const headers = { authorization: `Bearer ${target.credentials.api_key}` };
const ids: string[] = [];
for (let i = 0; i < LARGEST; i++) {
  const response = await fetch(`${target.base_url}/interns`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: `bench-${i}`,
      workspace_id: target.workspace_id,
      instructions: 'script: fifty',
      provision: true,
    }),
  });
  ids.push(((await response.json()) as { id: string }).id);
}
await fetch(target.base_url.replace('/api/v1', '/_emulator/clock'), {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ advance: '10s' }),
});

const prompt = JSON.stringify({ stream: true, model: 'bench', messages: [{ role: 'user', content: 'go' }] });
const sample = await (
  await fetch(`${target.base_url}/interns/${ids[0]}/chat/completions`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: prompt,
  })
).text();
const events = sample.split(/(?<=\n\n)/);
const aimock = await start('aimock.mjs', JSON.stringify({ content, chunkSize: content.length / CHUNKS }));
const bare = await start('node-http.mjs', JSON.stringify({ events, turns: true }));
const gathered = await start('node-http.mjs', JSON.stringify({ events, turns: false }));
const theirs = await (
  await fetch(`${aimock.hello.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: prompt,
  })
).text();
console.log(`events in a reply: emulator ${events.length}, aimock ${theirs.split(/\n\n/).length - 1}`);

const paths: Record<string, (connection: number) => string> = {
  emulator: (i) => `${target.base_url}/interns/${ids[i]}/chat/completions`,
  aimock: () => `${aimock.hello.url}/v1/chat/completions`,
  'node:http': () => `${bare.hello.url}/`,
  'node:http, one turn': () => `${gathered.hello.url}/`,
};

const servers: Record<string, Served> = {
  emulator,
  aimock,
  'node:http': bare,
  'node:http, one turn': gathered,
};

/** Processor time of a server per stream, in µs: the same even if other work takes its share of the machine. */
const load = async (name: string, connections: number): Promise<Load & { cost: number }> => {
  const at = paths[name];
  const server = servers[name];
  if (!at || !server) throw new Error(name);
  const before = server.cpu();
  // The emulator's connections go to an intern each; the others have one path for all.
  const loads = await Promise.all(
    Array.from({ length: connections }, (_, i) => streamLoad(at(i), { body: prompt, headers }, 1, SECONDS)),
  );
  const streams = loads.reduce((sum, { whole }) => sum + whole.length, 0);
  return {
    cost: ((server.cpu() - before) * 1e6) / streams,
    rate: loads.reduce((sum, { rate }) => sum + rate, 0),
    firstByte: loads.flatMap(({ firstByte }) => firstByte),
    whole: loads.flatMap(({ whole }) => whole),
  };
};

for (const connections of [32, 500]) {
  const rates: Record<string, number[]> = {};
  const first: Record<string, number[]> = {};
  const costs: Record<string, number[]> = {};
  for (let round = 0; round <= ROUNDS; round++) {
    for (const name of Object.keys(paths)) {
      const { rate, firstByte, cost } = await load(name, connections);
      if (round === 0) continue; // warm-up
      costs[name] = [...(costs[name] ?? []), cost];
      rates[name] = [...(rates[name] ?? []), rate];
      first[name] = [...(first[name] ?? []), percentile(firstByte, 0.5)];
    }
  }
  const ratio = (other: string) => median((rates.emulator ?? []).map((rate, i) => rate / (rates[other]?.[i] ?? 1)));
  for (const name of Object.keys(paths))
    console.log(
      `${connections} at once, ${name}: ${Math.round(median(rates[name] ?? []))} streams/s, first byte p50 ${median(first[name] ?? []).toFixed(1)} ms, ${Math.round(median(costs[name] ?? []))} µs of processor time each`,
    );
  report(`${connections} at once, times aimock`, ratio('aimock').toFixed(2), '≥ 1.5', ratio('aimock') >= 1.5);
  report(`${connections} at once, times node:http`, ratio('node:http').toFixed(2), '≥ 1.2', ratio('node:http') >= 1.2);
  console.log(`        times node:http that writes all in one turn: ${ratio('node:http, one turn').toFixed(2)}`);
  if (connections === 500) {
    const share = median((first.emulator ?? []).map((ms, i) => ms / (first.aimock?.[i] ?? 1)));
    report('first byte p50 at 500, of aimock’s', share.toFixed(2), '≤ 0.5', share <= 0.5);
  }
}
await Promise.all([emulator, aimock, bare, gathered].map((server) => server.stop()));
