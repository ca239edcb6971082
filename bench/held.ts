// How long one caller holds others: 4,000 calls of the agents' door that one connection sends at once, beside 100 chats. The
// others ask for the list of interns, one call after another, and for one reply.
import { once } from 'node:events';
import { connect } from 'node:net';
import { parseArgs } from 'node:util';
import { percentile, report, startCommand } from './lib.js';

const { values } = parseArgs({ options: { calls: { type: 'string', default: '4000' }, tool: { type: 'string' } } });
const MOST = Number(values.calls);
const CHATS = 100;
const TOOLS: Readonly<Record<string, object>> = {
  status: {},
  list_requests: { limit: 50 },
  chat: { prompt: 'hello' },
};

for (const [tool, given] of Object.entries(TOOLS).filter(([name]) => (values.tool ?? name) === name)) {
  const served = await startCommand(['--port', '0', '--daemon-port', '0'], 'ignore');
  const target = served.hello as unknown as {
    base_url: string;
    control_url: string;
    credentials: { api_key: string; intern: { id: string } };
  };
  const { hostname, port } = new URL(target.control_url);
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: tool, arguments: given },
  });
  const head = [
    'POST /_emulator/mcp HTTP/1.1',
    `host: ${hostname}:${port}`,
    'content-type: application/json',
    'accept: application/json, text/event-stream',
    'mcp-protocol-version: 2025-06-18',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  let answered = 0;
  let rest = '';
  socket.on('data', (data) => {
    const parts = (rest + data.toString('latin1')).split('HTTP/1.1 200');
    answered += parts.length - 1;
    rest = (parts.at(-1) ?? '').slice(-11);
  });
  const headers = { authorization: `Bearer ${target.credentials.api_key}`, 'content-type': 'application/json' };
  const chat = async (prompt: string) => {
    const response = await fetch(`${target.base_url}/interns/${target.credentials.intern.id}/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: prompt }] }),
    });
    return response.text();
  };
  const chats = Array.from({ length: CHATS }, () => chat('script: slow'));
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`.repeat(MOST));
  const begun = performance.now();
  const waits: number[] = [];
  /** Processor time of the server while each waited: what is held on a machine without other work. */
  const costs: number[] = [];
  const timed = async (call: () => Promise<unknown>) => {
    const used = served.cpu();
    const at = performance.now();
    await call();
    waits.push(performance.now() - at);
    costs.push((served.cpu() - used) * 1_000);
  };
  while (answered < MOST && performance.now() - begun < 300_000) {
    await timed(async () => (await fetch(`${target.base_url}/interns`, { headers })).text());
    await timed(async () => (await fetch(`${target.control_url}/clock`)).text());
    await timed(() => chat('hello'));
  }
  const took = (performance.now() - begun) / 1_000;
  const [cost, wait] = [Math.max(...costs), Math.max(...waits)];
  report(
    `${MOST} calls of ${tool} at once beside ${CHATS} chats: the longest that another call waits`,
    `${cost.toFixed(0)} ms of processor time (${wait.toFixed(0)} ms here, 95 % under ${percentile(waits, 0.95).toFixed(0)} ms)`,
    '≤ 1,000 ms',
    cost <= 1_000,
    `${answered} answered in ${took.toFixed(0)} s`,
  );
  socket.destroy();
  await served.stop();
  await Promise.allSettled(chats);
}
