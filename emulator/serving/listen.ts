import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { hostDelay } from '../clock/host.js';
import { bind } from '../contract/bind.js';
import { ERRORS } from '../contract/errors.js';
import { INERT_HEADERS } from '../contract/inert.js';
import { givenRequestId } from '../contract/request-id.js';
import { createDepartures } from '../http/departures.js';
import { DropConnection, type NodeBindings, reset } from '../http/exchange.js';
import { internalError, parserError, protocolError, type RequestSeen } from '../http/protocol.js';
import type { AnyResponse, PlainResponse } from '../http/response.js';
import { writeStream } from '../http/write-stream.js';
import type { ReceivedRequest } from '../requests/received-request.js';
import { hasBody } from '../requests/request-body.js';
import { SocketRequest } from '../requests/socket-request.js';
import { EventStream } from '../sse/stream.js';
import { InertResponse } from './inert-response.js';
import { handshakeFailed } from './log.js';
import type { Secured } from './tls.js';

/** How long connections may take to drain when a listener closes, in ms of real time. */
const DRAIN = 1_500;
/** How often to check which of them have drained. */
const DRAIN_STEP = 25;
/**
 * How long a connection whose request could not be parsed stays, so that its client can read why, in ms of real time.
 */
const LINGER = 200;

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
  intercept?(request: IncomingMessage, response: ServerResponse): boolean;
  /** The space that answers a request in place of these functions, if one does; its prefix is taken off the target. */
  mounted?(request: IncomingMessage, response: ServerResponse): Mounted | undefined;
  /** Receives our own errors and what the HTTP parser refused. */
  log(record: Record<string, unknown>): void;
  /** How long the head of a request may take, in ms of real time. Default: 60 s. */
  readonly headersTimeout?: number;
}

/** How long a sender may go on after its answer, in ms of real time: nobody reads what it sends. */
const UNREAD = 500;
/** How many pieces of a body are waited for, each for a turn of the event loop, so that a short one gets its length. */
const AHEAD = 3;

type HeaderLines = Readonly<Record<string, string | string[]>>;

/** Sends a body piece by piece as it is read. Events never get a length (WEB-2). */
async function sendPieces(
  response: InertResponse,
  status: number,
  headers: HeaderLines,
  body: ReadableStream<Uint8Array>,
): Promise<void> {
  // A client that has left leaves no second time.
  if (response.destroyed) return void body.cancel().catch(() => {});
  const reader = body.getReader();
  const left = () => void reader.cancel().catch(() => {});
  response.once('close', left);
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  try {
    const isEvents = String(headers['content-type']).startsWith('text/event-stream');
    const pieces: Uint8Array[] = [];
    let next = reader.read();
    while (pieces.length < AHEAD && !isEvents) {
      const piece = await Promise.race([next, turn()]);
      if (piece?.done) return response.whole(status, headers, Buffer.concat(pieces));
      if (!piece) break;
      pieces.push(piece.value);
      next = reader.read();
    }
    response.writeHead(status, { ...headers });
    response.flushHeaders();
    for (const piece of pieces) response.write(piece);
    for (let piece = await next; !piece.done; piece = await reader.read())
      if (!response.write(piece.value) && !response.destroyed)
        await new Promise<unknown>((resolve) => response.once('drain', resolve).once('close', resolve));
    response.end();
  } catch (error) {
    response.destroy(error as Error);
  } finally {
    response.off('close', left);
  }
}

/** Headers by their names: the only ones that come several times are cookies. */
function linesOf(headers: Headers): HeaderLines {
  const cookies = headers.getSetCookie();
  return { ...Object.fromEntries(headers), ...(cookies.length > 1 && { 'set-cookie': cookies }) };
}

/** Sends an answer. A stream of events leaves in chunks, even if all of it is ready (WEB-2). */
function send(response: InertResponse, request: SocketRequest, answer: AnyResponse): void {
  const { status, body } = answer;
  const headers = 'arrayBuffer' in answer ? linesOf(answer.headers) : answer.headers;
  const { incoming } = request;
  if (!incoming.complete && hasBody(incoming))
    response.once('finish', () =>
      hostDelay(UNREAD).then(() => {
        if (!incoming.complete) incoming.socket.destroySoon();
      }),
    );
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) response.whole(status, headers, body);
  else if (!(body instanceof EventStream)) void sendPieces(response, status, headers, body);
  else {
    response.writeHead(status, headers);
    if (!body.whole) request.streams();
    writeStream(body, response);
  }
}

/**
 * Answers what Node's parser refuses in the error envelope. If an answer is already being sent on that connection, it
 * is cut instead: nothing may be written into the middle of it. The result must be called with every request.
 */
function answerParserErrors(server: Server, options: Pick<ListenOptions, 'requestId' | 'log'>) {
  const refused = new WeakSet<Socket>();
  const answering = new WeakMap<Socket, ServerResponse>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Data that follows what could not be parsed fails again, and a broken connection has nobody to read an answer.
    if (refused.has(socket)) return;
    refused.add(socket);
    const response = answering.get(socket);
    if (error.code === 'ECONNRESET' || !socket.writable || (response?.headersSent && !response.closed))
      return void socket.destroy();
    const requestId = options.requestId();
    const { status, headers, body } = parserError(error.code, requestId);
    options.log({ event: 'request_refused', request_id: requestId, status, error: error.code ?? error.message });
    const lines = Object.entries({
      ...INERT_HEADERS,
      ...headers,
      'content-length': Buffer.byteLength(String(body)),
      connection: 'close',
    });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head}\r\n${body}`);
    void hostDelay(LINGER).then(() => socket.destroy());
  });
  return (request: IncomingMessage, response: ServerResponse) => void answering.set(request.socket, response);
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

  // A request without a host is refused like one with a wrong host. Node would refuse it without a word.
  const behaviour = {
    ServerResponse: InertResponse,
    requireHostHeader: false,
    ...(options.headersTimeout && { connectionsCheckingInterval: 25 }),
  };
  const refuse = (response: InertResponse, { status, headers, body }: PlainResponse) => {
    if (response.headersSent) response.destroy();
    else response.whole(status, headers, String(body ?? ''));
  };
  const respond = (incoming: IncomingMessage, response: InertResponse, { answer }: Pick<Mounted, 'answer'>) => {
    const unanswered = (error: unknown) => {
      if (error instanceof DropConnection && error.reset) reset(incoming.socket);
      else if (error instanceof DropConnection) incoming.socket.destroy();
      else refuse(response, failed(seenOf(incoming), error));
    };
    let request: SocketRequest;
    try {
      request = new SocketRequest(incoming, response, streams);
    } catch {
      return refuse(response, protocolError(ERRORS.malformed_request, { requestId: options.requestId() }));
    }
    try {
      const answered = answer(request, request);
      if (answered instanceof Promise) void answered.then((value) => send(response, request, value)).catch(unanswered);
      else send(response, request, answered);
    } catch (error) {
      unanswered(error);
    }
  };
  const take = (request: IncomingMessage, response: InertResponse) => {
    answering(request, response);
    // An answer has no socket yet only behind the unfinished answer to an earlier request of its connection.
    if (response.socket === null) queued(request.socket, response);
    const mounted = options.mounted?.(request, response);
    const refusal = options.refuse?.(request, () => seenOf(request));
    if (refusal) return refuse(response, refusal);
    if (!(mounted ?? options).intercept?.(request, response)) respond(request, response, mounted ?? options);
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
    refuse(response, protocolError(ERRORS.expectation_failed, seenOf(request)));
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
