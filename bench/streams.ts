// Streams per second of a reply of 50 chunks without pacing, and the time to the first byte, at 32 and 500 at once:
// against aimock with an equal reply, and against bare node:http writing the emulator's own events chunk by chunk. The
// figure of node:http with all its writes in one turn of the event loop is printed beside. Ratios are of processor time.
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, percentile, report, type Served, shown, start, type Turn, times } from './lib.js';
import { streamLoad } from './load.js';

const CHUNKS = 50;
const ROUNDS = 5;
const SECONDS = 2;
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

const load = async (name: string, connections: number): Promise<Turn & { first: number }> => {
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
    first: percentile(
      loads.flatMap(({ firstByte }) => firstByte),
      0.5,
    ),
  };
};

for (const connections of [32, 500]) {
  const turns: Record<string, (Turn & { first: number })[]> = {};
  for (let round = 0; round <= ROUNDS; round++) {
    for (const name of Object.keys(paths)) {
      const turn = await load(name, connections);
      // The first round compiles.
      if (round > 0) turns[name] = [...(turns[name] ?? []), turn];
    }
  }
  const of = (name: string) => turns[name] ?? [];
  const first = (name: string) => median(of(name).map((turn) => turn.first));
  for (const name of Object.keys(paths))
    console.log(`${connections} at once, ${name}: ${shown(of(name))}, first byte p50 ${first(name).toFixed(1)} ms`);
  const compare = (what: string, other: string, least: number) => {
    const cpu = times(of('emulator'), of(other));
    const figure = `${cpu.toFixed(2)} ×: ${shown(of('emulator'))}`;
    report(what, figure, `≥ ${least} × ${other}`, cpu >= least, `${other} ${shown(of(other))}`);
  };
  compare(`reply of 50 chunks, ${connections} at once`, 'aimock', 1.5);
  compare('the same', 'node:http', 1.2);
  console.log(
    `        node:http that writes all in one turn: ${times(of('emulator'), of('node:http, one turn')).toFixed(2)} ×`,
  );
  if (connections === 500) {
    const share = median(of('emulator').map((turn, i) => turn.first / (of('aimock')[i]?.first ?? 1)));
    const figure = `${first('emulator').toFixed(0)} ms (${share.toFixed(2)} ×)`;
    report(
      'first byte at 500 at once, median',
      figure,
      '≤ 0.5 × aimock',
      share <= 0.5,
      `aimock ${first('aimock').toFixed(0)} ms`,
    );
  }
}
await Promise.all([emulator, aimock, bare, gathered].map((server) => server.stop()));
