import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { hostNow } from '../clock/host-wait.js';

/** A request as received, its body read. Its answer is written to the socket itself. */
export interface Received {
  readonly socket: Socket;
  readonly incoming: IncomingMessage;
  readonly origin: 'base' | 'other';
  /** The run that the path names. */
  readonly run: string | undefined;
  /** The bearer token, which names the run to the daemon. */
  readonly token: string | undefined;
  /** Below the run, or the whole if no run is named. */
  readonly path: string;
  readonly body: Buffer;
  readonly arrived: number;
}

export interface Servers {
  readonly origins: { readonly base: string; readonly other: string };
  close(): Promise<void>;
}

/** Bodies beyond this are not kept. */
const MOST_BODY = 8 * 1024 * 1024;

const LOOPBACK = /^(localhost|([\w-]+\.)*localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of incoming) {
    size += (part as Buffer).length;
    if (size <= MOST_BODY) parts.push(part as Buffer);
  }
  return Buffer.concat(parts);
}

/**
 * Two origins on loopback. Node reads the requests. Answers are written to the sockets, so that they hold exactly what
 * a case says.
 */
export async function startServers(handle: (received: Received) => Promise<void>): Promise<Servers> {
  const listen = (origin: 'base' | 'other') =>
    new Promise<Server>((resolve, reject) => {
      const receive = async (incoming: IncomingMessage) => {
        const arrived = hostNow();
        const { socket } = incoming;
        if (!LOOPBACK.test(incoming.headers.host ?? '')) {
          socket.end('HTTP/1.1 421 Misdirected Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
          return;
        }
        // The bytes of a case are the case: it gets no header that would keep a script in it from running. So the lab
        // refuses navigations, and no browser shows a case as a page. Clients in a browser call `fetch`, which is not a
        // navigation.
        if (incoming.headers['sec-fetch-mode'] === 'navigate') {
          socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
          return;
        }
        const url = incoming.url ?? '/';
        const [, run, path = url] = /^\/lab\/([^/?]+)(.*)$/s.exec(url) ?? [];
        const [, token] = /^Bearer (.*)$/i.exec(incoming.headers.authorization ?? '') ?? [];
        try {
          const body = await bodyOf(incoming);
          await handle({ socket, incoming, origin, run, token, path, body, arrived });
        } catch {
          socket.destroy();
        }
      };
      const server = createServer(
        { noDelay: true, requestTimeout: 0, headersTimeout: 0 },
        (incoming) => void receive(incoming),
      );
      server.on('checkContinue', (incoming: IncomingMessage) => {
        incoming.socket.write('HTTP/1.1 100 Continue\r\n\r\n');
        void receive(incoming);
      });
      server.on('connection', (socket) => socket.on('error', () => {}));
      server.once('error', reject);
      server.listen(0, '127.0.0.1', () => resolve(server));
    });
  const [base, other] = await Promise.all([listen('base'), listen('other')]);
  const originOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origins: { base: originOf(base), other: originOf(other) },
    async close() {
      await Promise.all(
        [base, other].map((server) => {
          server.closeAllConnections();
          return new Promise<void>((resolve) => server.close(() => resolve()));
        }),
      );
    },
  };
}
