import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { hostDelay } from '../clock/host.js';
import { bind } from '../contract/bind.js';
import { ERRORS, type ErrorRow } from '../contract/errors.js';
import { givenRequestId } from '../contract/request-id.js';
import { createDepartures } from '../http/departures.js';
import { DropConnection, type NodeBindings, reset } from '../http/exchange.js';
import { internalError, parserError, protocolError, type RequestSeen } from '../http/protocol.js';
import type { AnyResponse, PlainResponse } from '../http/response.js';
import { type ReceivedRequest, SocketRequest } from '../requests/received-request.js';
import { EventStream } from '../sse/stream.js';
import { InertResponse } from './inert-response.js';
import { handshakeFailed } from './log.js';
import type { Secured } from './tls.js';
import { write, writeRaw } from './write-answer.js';

/** How long connections may take to drain when a listener closes, in ms of real time. */
const DRAIN = 1_500;
/** How often to check which of them have drained. */
const DRAIN_STEP = 25;
export interface Listener {
  readonly port: number;
  /** Stops listening, gives requests in progress a moment to end, then cuts them. */
  close(): Promise<void>;
}

/** Answers the requests below a prefix. */
export type Mounted = Pick<ListenOptions, 'answer' | 'intercept'>;

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** @throws DropConnection for a request that gets no answer */
  answer(request: ReceivedRequest, bindings: NodeBindings): AnyResponse | Promise<AnyResponse>;
  readonly tls?: Pick<Secured, 'cert' | 'key'> | undefined;
  /** An id for a request that has none of its own (BASE-6). */
  requestId(): string;
  /** Refuses a request before anything else looks at it; undefined accepts it. */
  refuse?(request: IncomingMessage, seen: () => RequestSeen): PlainResponse | undefined;
  /** Requests that a handler of Node's own takes (the login provider); true when it did. */
  intercept?(request: IncomingMessage, response: InertResponse): boolean;
  /** The space that answers a request in place of these functions, if one does; its prefix is taken off the target. */
  mounted?(request: IncomingMessage, response: InertResponse): Mounted | undefined;
  /** Receives our own errors and what the HTTP parser refused. */
  log(record: Record<string, unknown>): void;
  /** How long the head of a request may take, in ms of real time. Default: 60 s. */
  readonly headersTimeout?: number;
}

/**
 * Answers what Node's parser refuses in the error envelope. If an answer is already being sent on that connection, it
 * is cut instead: nothing may be written into the middle of it. The result must be called with every request.
 */
function answerParserErrors(server: Server, options: Pick<ListenOptions, 'requestId' | 'log'>) {
  const refused = new WeakSet<Socket>();
  const answering = new WeakMap<Duplex, ServerResponse>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Data that follows what could not be parsed fails again, and a broken connection has nobody to read an answer.
    if (refused.has(socket)) return;
    refused.add(socket);
    const response = answering.get(socket);
    if (error.code === 'ECONNRESET' || !socket.writable || (response?.headersSent && !response.closed))
      return void socket.destroy();
    const requestId = options.requestId();
    const answer = parserError(error.code, requestId);
    const { status } = answer;
    options.log({ event: 'request_refused', request_id: requestId, status, error: error.code ?? error.message });
    writeRaw(socket, answer);
  });
  return {
    sees: (request: IncomingMessage, response: InertResponse) => void answering.set(request.socket, response),
    /** Whether an answer is on its way to a socket. */
    isAnswering: (socket: Duplex) => answering.get(socket)?.closed === false,
  };
}

/**
 * Binds a function that answers to a port. Answers are inert in a browser ({@link INERT_HEADERS}), except those that
 * bring a policy of their own.
 *
 * @throws Error with Node's `code` (`EADDRINUSE`, `EACCES`, …) if the port is not available
 */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { streams, connected, queued } = createDepartures();
  const seenOf = ({ url, headers }: IncomingMessage): RequestSeen => ({
    url,
    requestId: givenRequestId(headers['x-request-id']) ?? options.requestId(),
  });
  const failed = (seen: RequestSeen, error: unknown): PlainResponse => {
    const detail = error instanceof Error ? error.stack : String(error);
    options.log({ level: 'error', event: 'internal_error', request_id: seen.requestId, error: detail });
    return internalError(seen);
  };
  const refused = (row: ErrorRow, seen: RequestSeen): PlainResponse => {
    options.log({ event: 'request_refused', request_id: seen.requestId, status: row.status, error: row.message });
    return protocolError(row, seen);
  };

  const send = (answer: AnyResponse, response: InertResponse) => {
    const { req } = response;
    if (answer.body instanceof EventStream && !answer.body.whole) streams(req.socket, response);
    write(response, answer, (error) => failed(seenOf(req), error));
  };
  const unanswered = (error: unknown, response: InertResponse) => {
    const { socket } = response.req;
    if (!(error instanceof DropConnection)) send(failed(seenOf(response.req), error), response);
    else if (error.reset) reset(socket);
    else socket.destroy();
  };
  const serve = (mounted: Mounted, incoming: IncomingMessage, response: InertResponse) => {
    let request: SocketRequest;
    try {
      request = new SocketRequest(incoming, response, streams);
    } catch {
      return send(refused(ERRORS.malformed_request, seenOf(incoming)), response);
    }
    try {
      const answer = mounted.answer(request, request);
      if (!(answer instanceof Promise)) send(answer, response);
      else answer.then((one) => send(one, response)).catch((error) => unanswered(error, response));
    } catch (error) {
      unanswered(error, response);
    }
  };
  // A request without a host is refused like one with a wrong host. Node would refuse it without a word.
  const behaviour = {
    ServerResponse: InertResponse,
    requireHostHeader: false,
    ...(options.headersTimeout && { connectionsCheckingInterval: 25 }),
  };
  const take = (request: IncomingMessage, response: InertResponse) => {
    answering.sees(request, response);
    // An answer has no socket yet only behind the unfinished answer to an earlier request of its connection.
    if (response.socket === null) queued(request.socket, response);
    const mounted = options.mounted?.(request, response) ?? options;
    const refusal = options.refuse?.(request, () => seenOf(request));
    if (refusal) return write(response, refusal, () => {});
    if (!mounted.intercept?.(request, response)) serve(mounted, request, response);
  };
  const { tls } = options;
  const server: Server = tls
    ? (await import('node:https')).createServer({ ...behaviour, ...tls }, take)
    : createServer(behaviour, take);
  server.on('tlsClientError', (error: Error) => {
    const record = handshakeFailed(error);
    if (record) options.log(record);
  });
  const answering = answerParserErrors(server, options);
  server.on('checkExpectation', (request: IncomingMessage, response: InertResponse) => {
    write(response, refused(ERRORS.expectation_failed, seenOf(request)), () => {});
  });
  // Node answers CONNECT with nothing: to the interface it is a malformed request, as its target is no path.
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    const answer = refused(ERRORS.malformed_request, seenOf(request));
    if (answering.isAnswering(socket)) socket.destroy();
    else writeRaw(socket, answer);
  });
  server.on(tls ? 'secureConnection' : 'connection', connected);
  // Node's list of connections has a TLS connection only once it has agreed on keys.
  const accepted = new Set<Socket>();
  if (tls)
    server.on('connection', (socket: Socket) => {
      accepted.add(socket);
      socket.once('close', () => accepted.delete(socket));
    });
  // A client that has nothing more to send may still be reading: without this, Node ends the connection before it has
  // answered.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Long silences are part of the interface: a stream may say nothing for minutes.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 60_000;
  server.headersTimeout = options.headersTimeout ?? 60_000;
  const port = await bind(server, options.port, options.host);
  return {
    port,
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
      for (const socket of accepted) socket.destroy();
      await closed;
    },
  };
}
