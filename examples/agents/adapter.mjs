// An adapter of the client lab for the client of a task: node adapter.mjs FOLDER/client.mjs. What it exports says what it is:
// `read` an event stream, `ask` a chat, `send` signed requests. For one in Python: python3 adapter.py FOLDER.
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const client = await import(pathToFileURL(resolve(process.argv[2])).href);
const keyOf = ({ headers }) => headers.authorization.slice('Bearer '.length);
const say = (line) => console.log(JSON.stringify(line));

const LAYERS = { read: 'sse', ask: 'chat', send: 'signing' };

const CALLS = {
  async sse({ run, url, body, timeout, stop_after, ...asked }) {
    const events = [];
    for await (const data of client.read({ url, key: keyOf(asked), body, signal: AbortSignal.timeout(timeout) })) {
      events.push({ event: 'message', data, id: '' });
      say({ run, event: {} });
      if (events.length === stop_after) break;
    }
    return { events };
  },
  async chat({ base_url, body, timeout, ...asked }) {
    const signal = AbortSignal.timeout(timeout);
    const reply = await client.ask({ base: base_url, key: keyOf(asked), body, signal });
    return { chat: { tool_calls: [], finish_reason: 'stop', usage: null, ...reply } };
  },
  async signing({ sign_url, daemon_origin, daemon_token, request, ...asked }) {
    const { method, path, headers, body_base64 } = request;
    const signed = { method, path, headers, body: Buffer.from(body_base64, 'base64') };
    const at = { signUrl: sign_url, daemonOrigin: daemon_origin, daemonToken: daemon_token };
    return { status: await client.send({ ...at, key: keyOf(asked), request: signed }) };
  },
};

const layers = Object.keys(LAYERS).flatMap((name) => (name in client ? [LAYERS[name]] : []));
say({ adapter: 'a client of examples/agents', version: '1', layers });
for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  try {
    say({ run: asked.run, outcome: 'complete', ...(await CALLS[asked.layer](asked)) });
  } catch (error) {
    say({ run: asked.run, outcome: 'error', error: { message: String(error), status: error.status } });
  }
}
