// The cost of observing: GET /interns/{id} per second at 32 connections with the log on and off, and with ten pages
// following the events and none, of the built command, in turns. Needs a build (npm run build) and the neighbours (npm
// ci --prefix bench).
import { mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { median, report, type Served, startCommand } from './lib.js';

const ROUNDS = 9;
const SECONDS = 2;
const SUBSCRIBERS = 10;

const folder = mkdtempSync(join(tmpdir(), 'watching-'));
const log = join(folder, 'log');
const QUIET = ['--port', '0', '--quiet'];
const nothing = openSync('/dev/null', 'w');
const written = openSync(log, 'w');

interface Load {
  rate: number;
  /** Processor time of the server per request, in µs: the same even if other work takes its share of the machine. */
  cost: number;
}

async function load(server: Served, seconds = SECONDS): Promise<Load> {
  const { base_url, credentials } = server.hello as unknown as {
    base_url: string;
    credentials: { api_key: string; intern: { id: string } };
  };
  const before = server.cpu();
  const { requests, non2xx, errors } = await autocannon({
    url: `${base_url}/interns/${credentials.intern.id}`,
    connections: 32,
    duration: seconds,
    headers: { authorization: `Bearer ${credentials.api_key}` },
  });
  if (non2xx + errors > 0) throw new Error(`${non2xx} refusals, ${errors} errors`);
  return { rate: requests.average, cost: ((server.cpu() - before) * 1e6) / requests.total };
}

/** The load in a process of its own: no two are compiled alike, which by itself makes some percent. */
async function loadAnew(args: readonly string[], stderr: number): Promise<Load> {
  const server = await startCommand(args, stderr);
  await load(server, 1);
  const found = await load(server);
  await server.stop();
  return found;
}

/** Follows the events of a server until it is stopped; returns how many bytes came. */
async function follow(server: Served): Promise<() => number> {
  let bytes = 0;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${(server.hello as { control_url?: string }).control_url}/events`, resolve).on('error', reject);
  });
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  response.on('error', () => {});
  return () => {
    response.destroy();
    return bytes;
  };
}

/** Both sides in turns, and the median of their ratio, by rate and by processor time. */
async function compare(without: () => Promise<Load>, with_: () => Promise<Load>) {
  const pairs: [Load, Load][] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const pair: [Load, Load] = [await without(), await with_()];
    // The first round compiles.
    if (round > 0) pairs.push(pair);
  }
  const of = (side: 0 | 1, key: keyof Load) => Math.round(median(pairs.map((pair) => pair[side][key])));
  console.log(`without: ${of(0, 'rate')} requests/s, ${of(0, 'cost')} µs each`);
  console.log(`with:    ${of(1, 'rate')} requests/s, ${of(1, 'cost')} µs each`);
  return {
    rate: median(pairs.map(([a, b]) => b.rate / a.rate)),
    cost: median(pairs.map(([a, b]) => a.cost / b.cost)),
  };
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

console.log('== the log');
const logged = await compare(
  () => loadAnew(QUIET, nothing),
  () => loadAnew(['--port', '0'], written),
);
console.log(`${Math.round(statSync(log).size / 1e6)} MB of log were written`);
report('log on, of GET throughput with it off', percent(logged.rate), '≥ 95 %', logged.rate >= 0.95);
console.log(`by processor time: ${percent(logged.cost)}`);

console.log(`== the events, ${SUBSCRIBERS} subscribers`);
let received = 0;
const quiet = await startCommand(QUIET, nothing);
const followed = await compare(
  () => load(quiet),
  async () => {
    const stops = await Promise.all(Array.from({ length: SUBSCRIBERS }, () => follow(quiet)));
    const found = await load(quiet);
    received += stops.reduce((sum, stop) => sum + stop(), 0);
    return found;
  },
);
console.log(`${Math.round(received / 1e6)} MB of events were received`);
report('events on, of GET throughput without', percent(followed.rate), '≥ 90 %', followed.rate >= 0.9);
console.log(`by processor time: ${percent(followed.cost)}`);

await quiet.stop();
rmSync(folder, { recursive: true });
