// Where the time of a GET goes: processor time of the emulator and of a bare Hono route for each request, by part, from a
// profile of both under the same load.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { type Served, startProfiled } from './lib.js';

const REQUESTS = 80_000;
const TURNS = 16;

/** The parts, each with what its functions are called, by their file and their name. The first that fits counts. */
const PARTS: readonly (readonly [string, (url: string, name: string) => boolean])[] = [
  ['the system call that writes', (_, name) => /^(writev|write\w*String|writeBuffer)$/.test(name)],
  ['garbage collection', (_, name) => name === '(garbage collector)'],
  ['digests', (url) => url.startsWith('node:internal/crypto')],
  ["Node's HTTP, streams and sockets", (url) => url.startsWith('node:') || url === ''],
  ['@hono/node-server', (url) => /\/@hono\/node-server\/|\/dist\/dist-\w+\.js$/.test(url)],
  ['Hono', (url) => /\/node_modules\/hono\//.test(url)],
  ["the emulator's own code", () => true],
];

interface Profile {
  readonly nodes: readonly { id: number; callFrame: { functionName: string; url: string } }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** µs of each part for one request; the start is among them, spread over all requests. */
function parts({ nodes, samples, timeDeltas }: Profile): Map<string, number> {
  const partOf = new Map<number, string>();
  for (const { id, callFrame } of nodes) {
    const { url, functionName } = callFrame;
    const [part] = PARTS.find(([, fits]) => fits(url, functionName)) ?? [''];
    if (functionName !== '(idle)') partOf.set(id, part);
  }
  const sums = new Map<string, number>();
  for (const [at, id] of samples.entries()) {
    const part = partOf.get(id);
    if (part !== undefined) sums.set(part, (sums.get(part) ?? 0) + (timeDeltas[at] ?? 0) / REQUESTS);
  }
  return sums;
}

const folder = mkdtempSync(join(tmpdir(), 'bench-profile-'));
const emulator = await startProfiled('emulator.mjs', join(folder, 'emulator'), '{}');
const { base_url, credentials } = emulator.hello as unknown as {
  base_url: string;
  credentials: { api_key: string; intern: { id: string } };
};
const headers = { authorization: `Bearer ${credentials.api_key}` };
const path = `/interns/${credentials.intern.id}`;
const intern = await (await fetch(base_url + path, { headers })).text();
const hono = await startProfiled('hono.mjs', join(folder, 'hono'), intern);

// In turns, so that other work on the machine affects both.
for (let turn = 0; turn < TURNS; turn++)
  for (const url of [base_url + path, `${hono.hello.url}${path}`]) {
    const { non2xx, errors } = await autocannon({ url, connections: 32, amount: REQUESTS / TURNS, headers });
    if (non2xx + errors > 0) throw new Error(`${url}: ${non2xx} refusals, ${errors} errors`);
  }

async function profileOf(server: Served, name: string): Promise<Map<string, number>> {
  await server.stop('SIGTERM');
  const [file] = readdirSync(join(folder, name));
  if (file === undefined) throw new Error(`${name} left no profile`);
  return parts(JSON.parse(readFileSync(join(folder, name, file), 'utf8')));
}
const ours = await profileOf(emulator, 'emulator');
const bare = await profileOf(hono, 'hono');
rmSync(folder, { recursive: true });

const total = (sums: Map<string, number>) => [...sums.values()].reduce((sum, each) => sum + each, 0);
const shown = (us: number | undefined, all: number) =>
  us === undefined ? '' : `${us.toFixed(1)} µs (${Math.round((us / all) * 100)} %)`;
const row = (part: string) =>
  `| ${part} | ${shown(ours.get(part), total(ours))} | ${shown(bare.get(part), total(bare))} |`;
const lines = [
  '| part | the emulator | a bare Hono route |',
  '|---|---|---|',
  ...PARTS.map(([part]) => row(part)),
  `| all | ${total(ours).toFixed(1)} µs | ${total(bare).toFixed(1)} µs |`,
].join('\n');
console.log(lines);
