// What a player is put before: a space of an emulator, and, with the door, the Model Context Protocol of it.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { variablesOf } from '../judges/tools.mjs';
import { commandOf } from '../package.mjs';

const FLAGS = ['--port', '0', '--daemon-port', '0', '--json', '--quiet', '--agents-may-run'];

/** An emulator, whose control interface wants a token that no player is given. */
export async function startEmulator() {
  const token = randomUUID();
  const [file, ...args] = commandOf('intern-emulator');
  const child = spawn(file, [...args, ...FLAGS, '--control-token', token], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(([status]) => {
      throw new Error(`the emulator ended with status ${status}`);
    }),
  ]);
  return { control: JSON.parse(line).control_url, token, close: () => child.kill('SIGKILL') };
}

/** A space of the emulator for one player: the `INTERN_…` variables that it gets, and counts of what it does. */
export async function serviceFor({ control, token }, door) {
  const authorization = `Bearer ${token}`;
  const call = async (method, url, body) => {
    const response = await fetch(url, {
      method,
      headers: { authorization },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`the emulator answers ${response.status} to ${method} ${url}`);
    return response.status === 204 ? undefined : response.json();
  };
  const { name, target } = await call('POST', `${control}/spaces`, {});
  const own = target.control_url;
  const requests = new Set();
  const calls = {};
  const look = async () => {
    for (const { id } of (await call('GET', `${own}/journal`)).data) requests.add(id);
  };
  const relay = door === 'mcp' ? await relayTo(`${own}/mcp`, authorization, calls, look) : undefined;
  return {
    variables: { ...variablesOf(target), ...(relay && { INTERN_MCP_URL: relay.url }) },
    async counts() {
      await look();
      return { requests: requests.size, door: calls };
    },
    async close() {
      relay?.close();
      await call('DELETE', `${control}/spaces/${name}`);
    },
  };
}

/** Passes the protocol on, with the token, and counts the calls of each tool. `before` is done before each. */
async function relayTo(url, authorization, calls, before) {
  const server = createServer(async (request, response) => {
    const left = new AbortController();
    response.on('close', () => left.abort());
    try {
      const pieces = [];
      for await (const piece of request) pieces.push(piece);
      const body = Buffer.concat(pieces);
      for (const { method, params } of messagesOf(body))
        if (method === 'tools/call') {
          calls[params?.name] = (calls[params?.name] ?? 0) + 1;
          // Restoring a snapshot empties the journal.
          await before();
        }
      const { host, connection, 'content-length': _, ...headers } = request.headers;
      const answer = await fetch(url, {
        method: request.method,
        headers: { ...headers, authorization },
        signal: left.signal,
        ...(body.length > 0 && { body }),
      });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
      for await (const piece of answer.body ?? []) response.write(piece);
      response.end();
    } catch {
      response.destroy();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The messages of a body; none of one that is not JSON, which the emulator refuses. */
export function messagesOf(body) {
  try {
    return [JSON.parse(body)].flat().filter((message) => message !== null && typeof message === 'object');
  } catch {
    return [];
  }
}
