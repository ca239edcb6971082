// GET /interns/{id} per second at 32 connections, journal on, against a bare Hono route of the same answer and against
// json-server: each in a process of its own, in turns, so that a drift of the machine's speed affects all of them. The
// ratios are of processor time for each request.
import autocannon from 'autocannon';
import { report, type Served, shown, start, type Turn, times } from './lib.js';

const ROUNDS = 9;
const SECONDS = 2;

const emulator = await start('emulator.mjs', '{}');
const { base_url, credentials } = emulator.hello as unknown as {
  base_url: string;
  credentials: { api_key: string; intern: { id: string } };
};
const headers = { authorization: `Bearer ${credentials.api_key}` };
const path = `/interns/${credentials.intern.id}`;
const intern = await (await fetch(base_url + path, { headers })).text();
const hono = await start('hono.mjs', intern);
const jsonServer = await start('json-server.cjs', intern);

interface Side {
  readonly server: Served;
  readonly url: string;
  readonly turns: Turn[];
}
const side = (server: Served, base: unknown): Side => ({ server, url: `${base}${path}`, turns: [] });
const ours = side(emulator, base_url);
const bare = side(hono, hono.hello.url);
const theirs = side(jsonServer, jsonServer.hello.url);

const load = async ({ server, url }: Side, duration = SECONDS): Promise<Turn> => {
  const before = server.cpu();
  const { requests, non2xx, errors } = await autocannon({ url, connections: 32, duration, headers });
  if (non2xx + errors > 0) throw new Error(`${url}: ${non2xx} refusals, ${errors} errors`);
  return { rate: requests.average, cost: ((server.cpu() - before) * 1e6) / requests.total };
};

const sides = [ours, bare, theirs];
for (const one of sides) await load(one, 1);
for (let round = 0; round < ROUNDS; round++) for (const one of sides) one.turns.push(await load(one));

const compare = (what: string, other: Side, name: string, least: number, target: string) => {
  const cpu = times(ours.turns, other.turns);
  const figure = `${cpu.toFixed(2)} ×: ${shown(ours.turns)}`;
  report(what, figure, target, cpu >= least, `${name} ${shown(other.turns)}`);
};
const WHAT = '`GET /interns/{id}`, 32 connections, journal on';
compare(WHAT, bare, 'a bare Hono route', 0.95, '≥ 0.95 × a bare Hono route');
compare('the same', theirs, 'json-server 0.17', 10, '≥ 10 × json-server');
await Promise.all(sides.map(({ server }) => server.stop()));
