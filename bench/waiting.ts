// 5,000 runs that wait silently with their clients connected: resident memory each, processor time while idle, and how
// late their keepalives come; compared with bare node:http holding as many open responses. Real sockets, real clock.
import { connect } from 'node:net';
import { report, type Served, start } from './lib.js';

const RUNS = 5_000;
const IDLE_SECONDS = 20;

const emulator = await start('emulator.mjs', JSON.stringify({ settings: { turns_per_minute: 0 } }));
const target = emulator.hello as unknown as {
  base_url: string;
  control_url: string;
  workspace_id: string;
  credentials: { api_key: string };
};
const bare = await start('open-responses.mjs');
const headers = { authorization: `Bearer ${target.credentials.api_key}`, 'content-type': 'application/json' };
const post = (url: string, body: unknown) => fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });

// One intern streams to one client at a time.
const ids: string[] = [];
for (let i = 0; i < RUNS; i++) {
  const made = await post(`${target.base_url}/interns`, {
    name: `w-${i}`,
    workspace_id: target.workspace_id,
    instructions: 'script: silent',
    provision: true,
  });
  ids.push(((await made.json()) as { id: string }).id);
}
await post(`${target.control_url}/clock`, { advance: '10s' });

/**
 * When a keepalive came, in ms since the bytes before it, and on the average since the request: it cannot have been
 * sent before that, while those bytes may have come late.
 */
interface Keepalive {
  readonly sinceLast: number;
  readonly sinceRequest: number;
}

/** Opens a response and keeps it open; reports every keepalive. */
const hold = (url: string, onKeepalive: (keepalive: Keepalive) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const { hostname, port, pathname } = new URL(url);
    const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'wait' }] });
    const socket = connect(Number(port), hostname);
    let last = 0;
    let sent = 0;
    let count = 0;
    socket.once('error', reject);
    socket.once('connect', () => {
      sent = performance.now();
      socket.write(
        `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: ${headers.authorization}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
    });
    socket.on('data', (data) => {
      const now = performance.now();
      if (last === 0) resolve();
      if (data.includes(': keepalive')) onKeepalive({ sinceLast: now - last, sinceRequest: (now - sent) / ++count });
      last = now;
    });
  });

const open = async (server: Served, url: (i: number) => string, onKeepalive: (keepalive: Keepalive) => void) => {
  const before = server.rss();
  for (let at = 0; at < RUNS; at += 100)
    await Promise.all(Array.from({ length: 100 }, (_, i) => hold(url(at + i), onKeepalive)));
  return (server.rss() - before) / RUNS;
};

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const bareEach = await open(
  bare,
  () => `${bare.hello.url}/`,
  () => {},
);
const keepalives: Keepalive[] = [];
const each = await open(
  emulator,
  (i) => `${target.base_url}/interns/${ids[i]}/chat/completions`,
  (keepalive) => keepalives.push(keepalive),
);
const opened = performance.now();
const cpu = emulator.cpu();
await sleep(IDLE_SECONDS * 1_000);
// Before the first keepalives: nothing at all happens.
const idle = (emulator.cpu() - cpu) / ((performance.now() - opened) / 1_000);
// Two keepalives each.
await sleep(45_000);
const late = Math.max(...keepalives.map(({ sinceLast }) => sinceLast)) / 1_000;
// To the millisecond, as the clock of the emulator counts.
const early = Math.round(Math.min(...keepalives.map(({ sinceRequest }) => sinceRequest))) / 1_000;

const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`;
report(
  'a silent run with its client connected',
  kilobytes(each),
  '≤ 16 KB',
  each <= 16 * 1024,
  `bare \`node:http\` ${kilobytes(bareEach)}`,
);
report('of a core while idle', `${(idle * 100).toFixed(2)} %`, '< 1 %', idle < 0.01);
report(
  `${keepalives.length} keepalives after`,
  `${early.toFixed(2)} to ${late.toFixed(2)} s`,
  '30 to 31 s, all runs',
  keepalives.length >= RUNS && early >= 30 && late <= 31,
);
await Promise.all([emulator, bare].map((server) => server.stop()));
process.exit();
