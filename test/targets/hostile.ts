import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net';
import type { Fetch } from '../../conformance/probe/client.js';

/** A server on loopback that a test closes. */
export interface Served {
  readonly origin: string;
  close(): Promise<void>;
}

async function listening(server: Server, hangUp: () => void): Promise<Served> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      hangUp();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Serves HTTP/1.1. */
export function serve(listener: RequestListener): Promise<Served> {
  const server = createServer(listener);
  return listening(server, () => server.closeAllConnections());
}

const MEGABYTE = Buffer.alloc(2 ** 20, 0x20);

/** A body as long as given, sent no faster than it is taken. Infinity never ends. */
function flood(response: ServerResponse, megabytes: number): void {
  let left = megabytes;
  const on = () => {
    while (left-- > 0) if (!response.write(MEGABYTE)) return;
    response.end();
  };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.on('drain', on);
  on();
}

/** The treatment of a request by a target that the kit must survive. `elsewhere` is another origin. */
export type Hostility = (request: IncomingMessage, response: ServerResponse, elsewhere: string) => void;

export const HOSTILE: Readonly<Record<string, Hostility>> = {
  'sends 100 MB': (_, response) => flood(response, 100),
  'sends without end': (_, response) => flood(response, Number.POSITIVE_INFINITY),
  'begins a body and never ends it': (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":[');
  },
  'redirects elsewhere': (request, response, elsewhere) => {
    response.writeHead(307, { location: `${elsewhere}${request.url}` }).end();
  },
  'closes at once': (request) => void request.socket.destroy(),
};

/** Serves a `fetch` as HTTP/1.0 does: no chunks, no length, and the end of the connection ends the body. */
export function serveHttp10(fetch: Fetch): Promise<Served> {
  const open = new Set<{ destroy(): void }>();
  const server = createSocketServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => {});
    let got = Buffer.alloc(0);
    const take = async (data: Buffer) => {
      got = Buffer.concat([got, data]);
      const head = got.indexOf('\r\n\r\n');
      if (head < 0) return;
      const [line = '', ...lines] = got.subarray(0, head).toString().split('\r\n');
      const headers = new Headers(lines.map((one) => one.split(/:\s*/, 2) as [string, string]));
      const length = Number(headers.get('content-length') ?? 0);
      const body = got.subarray(head + 4);
      if (body.length < length) return;
      socket.off('data', take);
      const [method = '', path = ''] = line.split(' ');
      const url = `http://${headers.get('host')}${path}`;
      const answer = await fetch(new Request(url, { method, headers, ...(length > 0 ? { body } : {}) }));
      const said = [...answer.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
      socket.write(`HTTP/1.0 ${answer.status} ${answer.statusText || 'X'}\r\n${said}\r\n`);
      for await (const piece of answer.body ?? []) socket.write(piece);
      socket.end();
    };
    socket.on('data', take);
  });
  return listening(server, () => {
    for (const socket of open) socket.destroy();
  });
}
