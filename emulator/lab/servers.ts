import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { hostNow } from '../clock/host-wait.js';
import { bind } from '../contract/bind.js';
import type { Scripted } from '../contract/client-case.js';
import { overSocket, type Wire } from './wire.js';

/** The carrier of a request: a connection of HTTP/1.1, or a stream of HTTP/2. */
export interface Link {
  /** The same for each request of a connection. */
  readonly connection: object;
  /** Whether the lab has closed it already. */
  readonly over: boolean;
  readonly taken: number;
  wire(exchange: Scripted): Wire;
  refuse(status: 403 | 404 | 421): void;
  /** Calls back when the client closes it, and when nothing more comes or goes; returns what takes both back. */
  watch(closed: (by: 'client' | 'reset') => void, over: () => void): () => void;
  destroy(): void;
}

/** A request as received, its body read. */
export interface Received {
  readonly link: Link;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly origin: 'base' | 'other';
  readonly run: string | undefined;
  /** The bearer token, which names the run to the daemon. */
  readonly token: string | undefined;
  /** Below the run, or the whole if no run is named. */
  readonly path: string;
  readonly body: Buffer;
  readonly arrived: number;
}

export type Handle = (received: Received) => Promise<void>;

export interface Servers {
  readonly origins: { readonly base: string; readonly other: string };
  close(): Promise<void>;
}

/** Bodies beyond this are not kept. */
const MOST_BODY = 8 * 1024 * 1024;

const LOOPBACK = /^(localhost|([\w-]+\.)*localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

export const headerOf = (headers: Received['headers'], name: string): string =>
  headers.find(([key]) => key.toLowerCase() === name)?.[1] ?? '';

async function bodyOf(incoming: AsyncIterable<unknown>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of incoming) {
    size += (part as Buffer).length;
    if (size <= MOST_BODY) parts.push(part as Buffer);
  }
  return Buffer.concat(parts);
}

/** Reads a request whole and hands it on; one that names no host of loopback, or that navigates, is refused. */
export async function receive(
  handle: Handle,
  link: Link,
  request: { readonly method: string; readonly url: string; readonly body: AsyncIterable<unknown> },
  headers: Received['headers'],
  origin: 'base' | 'other',
): Promise<void> {
  const arrived = hostNow();
  if (!LOOPBACK.test(headerOf(headers, 'host') || headerOf(headers, ':authority'))) return link.refuse(421);
  // The bytes of a case are the case: it gets no header that would keep a script in it from running. So the lab
  // refuses navigations, and no browser shows a case as a page. Clients in a browser call `fetch`, which is not a
  // navigation.
  if (headerOf(headers, 'sec-fetch-mode') === 'navigate') return link.refuse(403);
  const { url, method } = request;
  const [, run, path = url] = /^\/lab\/([^/?]+)(.*)$/s.exec(url) ?? [];
  const [, token] = /^Bearer (.*)$/i.exec(headerOf(headers, 'authorization')) ?? [];
  try {
    const body = await bodyOf(request.body);
    await handle({ link, method, headers, origin, run, token, path, body, arrived });
  } catch {
    link.destroy();
  }
}

const REFUSALS = { 403: 'Forbidden', 404: 'Not Found', 421: 'Misdirected Request' } as const;

const linkOf = (socket: Socket): Link => ({
  connection: socket,
  get over() {
    return socket.writableEnded;
  },
  get taken() {
    return socket.bytesWritten;
  },
  wire: ({ framing, connection }) =>
    overSocket(socket, framing === 'chunked', connection === 'close' || framing === 'close'),
  refuse: (status) =>
    void socket.end(`HTTP/1.1 ${status} ${REFUSALS[status]}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`),
  watch(closed, over) {
    const onEnd = () => closed('client');
    const onError = () => closed('reset');
    socket.once('end', onEnd).once('error', onError).once('close', over);
    return () => {
      if (socket.destroyed) return;
      socket.removeListener('end', onEnd).removeListener('error', onError).removeListener('close', over);
    };
  },
  destroy: () => void socket.destroy(),
});

/**
 * Two origins on loopback. Node reads the requests. Answers are written to the sockets, so that they hold exactly what
 * a case says.
 */
export async function startServers(handle: Handle): Promise<Servers> {
  const listen = async (origin: 'base' | 'other') => {
    const take = (incoming: IncomingMessage) => {
      const { method = '', url = '/', rawHeaders: raw } = incoming;
      const headers = Array.from(
        { length: raw.length / 2 },
        (_, at) => [raw[2 * at] ?? '', raw[2 * at + 1] ?? ''] as const,
      );
      void receive(handle, linkOf(incoming.socket), { method, url, body: incoming }, headers, origin);
    };
    const server = createServer({ noDelay: true, requestTimeout: 0, headersTimeout: 0 }, take);
    server.on('checkContinue', (incoming: IncomingMessage) => {
      incoming.socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      take(incoming);
    });
    server.on('connection', (socket) => socket.on('error', () => {}));
    return { server, origin: `http://127.0.0.1:${await bind(server)}` };
  };
  const [base, other] = await Promise.all([listen('base'), listen('other')]);
  return {
    origins: { base: base.origin, other: other.origin },
    async close() {
      await Promise.all(
        [base, other].map(({ server }) => {
          server.closeAllConnections();
          return new Promise<void>((resolve) => server.close(() => resolve()));
        }),
      );
    },
  };
}
