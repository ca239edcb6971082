import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { hostDelay } from './clock/host.js';
import { envelope } from './contract/errors.js';

/** How long connections may take to drain when a listener closes, in ms of real time. */
const DRAIN = 1_500;
/** How often it is looked which of them have drained. */
const DRAIN_STEP = 25;

export interface Listener {
  readonly port: number;
  /** Stops listening, gives what is under way a moment to end, then cuts it. */
  close(): Promise<void>;
}

/** What a fetch function gets beside the request. */
export interface Bindings {
  readonly incoming: IncomingMessage;
  /** To be called when the answer is a stream: then a client that closes its half of the connection has left. */
  streams(): void;
}

type Fetch = (request: Request, bindings: Bindings) => Response | Promise<Response>;

type Handle = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  fetch: Fetch;
  /** An id for a request that never becomes one (BASE-6). */
  requestId(): string;
  /** Requests that a handler of Node's own takes (the login provider); true when it did. */
  intercept?(request: IncomingMessage, response: ServerResponse): boolean;
  /**
   * Lets @hono/node-server put its faster Request and Response in place of the global ones. For a process of our own;
   * never inside somebody else's.
   */
  readonly replaceGlobals?: boolean;
}

/**
 * Notices clients that leave where Node says nothing of it. A client that closes its half of the connection gets the
 * plain answers it waits for; of a stream it has left, since nothing tells it from one that is gone altogether.
 */
function createDepartures() {
  const streaming = new WeakSet<Socket>();
  const waiting = new WeakMap<Socket, Set<ServerResponse>>();
  return {
    streams(socket: Socket, response: ServerResponse) {
      if (socket.readableEnded) return void socket.destroy();
      streaming.add(socket);
      response.once('close', () => streaming.delete(socket));
    },
    connected(socket: Socket) {
      socket.once('end', () => {
        if (streaming.has(socket)) socket.destroy();
      });
    },
    /** An answer behind another one is not told when their connection goes. */
    queued(socket: Socket, response: ServerResponse) {
      let responses = waiting.get(socket);
      if (!responses) {
        responses = new Set();
        waiting.set(socket, responses);
        const left = responses;
        socket.once('close', () => {
          for (const one of left) one.emit('close');
        });
      }
      responses.add(response);
      response.once('close', () => waiting.get(socket)?.delete(response));
    },
  };
}

/** The answer to what is no request of HTTP: a host that isn't one, a target that isn't a URL. */
export const invalidRequest = (requestId: string) =>
  new Response(JSON.stringify(envelope('invalid_body', 'Invalid request')), {
    status: 400,
    headers: { 'content-type': 'application/json', 'x-request-id': requestId },
  });

/**
 * Binds a fetch function to a port.
 *
 * @throws Error with Node's `code` (`EADDRINUSE`, `EACCES`, …) when the port can't be had
 */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { streams, connected, queued } = createDepartures();
  let handle: Handle | undefined;
  const load = async (): Promise<Handle> => {
    const { getRequestListener } = await import('@hono/node-server');
    const serve = (request: Request, { incoming, outgoing }: { incoming: IncomingMessage; outgoing: ServerResponse }) =>
      options.fetch(request, { incoming, streams: () => streams(incoming.socket, outgoing) });
    handle = getRequestListener(serve as Parameters<typeof getRequestListener>[0], {
      overrideGlobalObjects: options.replaceGlobals ?? false,
      errorHandler: () => invalidRequest(options.requestId()),
    });
    return handle;
  };
  let loading: Promise<Handle> | undefined;
  // A request without a host is refused like one with a wrong host, not by Node without a word.
  const server: Server = createServer({ requireHostHeader: false }, (request, response) => {
    // Only behind the unfinished answer to an earlier request of its connection has an answer no socket yet.
    if (response.socket === null) queued(request.socket, response);
    if (options.intercept?.(request, response)) return;
    if (handle) {
      handle(request, response);
      return;
    }
    // With it come Node's own fetch classes: a tenth of the time to start, which the first request can better bear.
    loading ??= load();
    loading.then((loaded) => loaded(request, response)).catch((error: unknown) => response.destroy(error as Error));
  });
  server.on('connection', connected);
  // Whoever has nothing more to send may still be reading: without this, Node ends the connection before it has answered.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Long silences are part of the interface: a stream may say nothing for minutes.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      let open = true;
      const closed = new Promise<void>((resolve) =>
        server.close(() => {
          open = false;
          resolve();
        }),
      );
      // A connection whose answer ends meanwhile goes idle, and its client may keep it for long.
      for (let waited = 0; open && waited < DRAIN; waited += DRAIN_STEP) {
        server.closeIdleConnections();
        await Promise.race([closed, hostDelay(DRAIN_STEP)]);
      }
      server.closeAllConnections();
      await closed;
    },
  };
}
