// GET /interns/{id} per second at 32 connections, journal on, against a bare Hono route of the same answer and against
// json-server: each in a process of its own, in turns, so that a drift of the machine's speed affects all of them.
import autocannon from 'autocannon';
import { median, report, start } from './lib.js';

const ROUNDS = 5;
const SECONDS = 3;

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

/** Processor time of each server per request, in µs: the same even if other work takes its share of the machine. */
const costs: Record<string, number[]> = { emulator: [], hono: [], 'json-server': [] };
const servers = { emulator, hono, 'json-server': jsonServer };

const load = async (url: string, name: keyof typeof servers): Promise<number> => {
  const before = servers[name].cpu();
  const result = await autocannon({ url, connections: 32, duration: SECONDS, headers });
  if (result.non2xx + result.errors > 0) throw new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors`);
  costs[name]?.push(((servers[name].cpu() - before) * 1e6) / result.requests.total);
  return result.requests.average;
};

const sides = {
  emulator: base_url + path,
  hono: `${hono.hello.url}${path}`,
  'json-server': `${jsonServer.hello.url}${path}`,
};
const rates: Record<string, number[]> = { emulator: [], hono: [], 'json-server': [] };
for (const url of Object.values(sides)) await autocannon({ url, connections: 32, duration: 1, headers });
for (let round = 0; round < ROUNDS; round++)
  for (const [name, url] of Object.entries(sides)) rates[name]?.push(await load(url, name as keyof typeof servers));

const of = (name: string) => median(rates[name] ?? []);
for (const name of Object.keys(sides)) {
  const cost = Math.round(median(costs[name] ?? []));
  console.log(`${name}: ${Math.round(of(name))} requests/s, ${cost} µs of processor time each`);
}
const ratio = (other: string) => median((rates.emulator ?? []).map((rate, i) => rate / (rates[other]?.[i] ?? 1)));
const cheaper = median((costs.hono ?? []).map((cost, i) => cost / (costs.emulator?.[i] ?? 1)));
console.log(`by processor time, of a bare Hono route: ${Math.round(cheaper * 100)} %`);
report('of a bare Hono route', `${Math.round(ratio('hono') * 100)} %`, '≥ 85 %', ratio('hono') >= 0.85);
report('times json-server', ratio('json-server').toFixed(1), '≥ 10', ratio('json-server') >= 10);
await Promise.all([emulator, hono, jsonServer].map((server) => server.stop()));
