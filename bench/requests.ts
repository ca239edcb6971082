// GET /interns/{id} per second at 32 connections, journal on, against a bare Hono route of the same answer and against
// json-server: each in a process of its own, in turns, so that a drift of the machine's speed meets all of them.
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

const load = async (url: string): Promise<number> => {
  const result = await autocannon({ url, connections: 32, duration: SECONDS, headers });
  if (result.non2xx + result.errors > 0) throw new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors`);
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
  for (const [name, url] of Object.entries(sides)) rates[name]?.push(await load(url));

const of = (name: string) => median(rates[name] ?? []);
for (const name of Object.keys(sides)) console.log(`${name}: ${Math.round(of(name))} requests/s`);
const ratio = (other: string) => median((rates.emulator ?? []).map((rate, i) => rate / (rates[other]?.[i] ?? 1)));
report('of a bare Hono route', `${Math.round(ratio('hono') * 100)} %`, '≥ 60 %', ratio('hono') >= 0.6);
report('times json-server', ratio('json-server').toFixed(1), '≥ 5', ratio('json-server') >= 5);
await Promise.all([emulator, hono, jsonServer].map((server) => server.stop()));
