import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { hostDelay } from '../clock/host.js';
import { bind } from '../contract/bind.js';
import { ERRORS, type ErrorRow } from '../contract/errors.js';
import { INERT_HEADERS } from '../contract/inert.js';
import { givenRequestId } from '../contract/request-id.js';
import { createDepartures } from '../http/departures.js';
import { DropConnection, reset } from '../http/exchange.js';
import { internalError, parserError, protocolError, type RequestSeen } from '../http/protocol.js';
import { type AnyResponse, type PlainResponse, toResponse } from '../http/response.js';
import { writeStream } from '../http/write-stream.js';
import { EventStream } from '../sse/stream.js';
import { isStream, through } from '../wire/streams.js';
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

/** The connection of a request, for who answers it. */
export interface Bindings {
  readonly incoming: IncomingMessage;
  /** Call it when the answer is a stream: then a client that closes its half of the connection has left. */
  streams(): void;
}

type Handle = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Answers the requests below a prefix. */
export type Mounted = Pick<ListenOptions, 'answer' | 'intercept'>;

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** @throws DropConnection for a request that gets no answer */
  answer(request: Request, bindings: Bindings): AnyResponse | Promise<AnyResponse>;
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
  /**
   * Lets @hono/node-server replace the global Request and Response by its faster ones. For a process of our own; never
   * inside somebody else's.
   */
  readonly replaceGlobals?: boolean;
}

/** The bindings of one request. A class, since one is made per request. */
class Connection implements Bindings {
  constructor(
    readonly incoming: IncomingMessage,
    private readonly outgoing: ServerResponse,
    private readonly streaming: (socket: Socket, response: ServerResponse) => void,
    private readonly sent: Response,
    private readonly failed: (error: unknown) => void,
  ) {}
  streams(): void {
    this.streaming(this.incoming.socket, this.outgoing);
  }
  /**
   * The answer for @hono/node-server. A stream is sent here, in chunks and without a length even if all of it is ready
   * (WEB-2).
   */
  send(answer: AnyResponse): Response {
    if (answer instanceof Response) return isStream(answer) ? this.guarded(answer) : answer;
    if (!(answer.body instanceof EventStream)) return toResponse(answer);
    const { status, headers, body } = answer;
    this.outgoing.writeHead(status, headers);
    writeStream(body, this.outgoing);
    return this.sent;
  }
  /** The same stream. If it fails, that is logged, and the connection is cut. */
  private guarded(answer: Response): Response {
    return through(answer, {
      broken: (error) => {
        // A client that has left is the reason, and no failure.
        if (!this.outgoing.destroyed) this.failed(error);
        this.incoming.socket.destroy();
      },
    });
  }
  /** Leaves without an answer. */
  drop(resets: boolean): Response {
    if (resets) reset(this.incoming.socket);
    else this.incoming.socket.destroy();
    return this.sent;
  }
}

/** Writes an answer of the listener's own. */
function write(request: IncomingMessage, response: ServerResponse, { status, headers, body }: PlainResponse): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(String(body ?? '')) });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Writes an answer for which Node has made no response, and ends the connection. */
function writeRaw(socket: Duplex, { status, headers, body }: PlainResponse): void {
  const lines = Object.entries({
    ...INERT_HEADERS,
    ...headers,
    'content-length': Buffer.byteLength(String(body)),
    connection: 'close',
  });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head}\r\n${body}`);
  void hostDelay(LINGER).then(() => socket.destroy());
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
    sees: (request: IncomingMessage, response: ServerResponse) => void answering.set(request.socket, response),
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

  /** Spaces by the requests that they answer. */
  const mounts = new WeakMap<IncomingMessage, Mounted>();
  let handle: Handle | undefined;
  const load = async (): Promise<Handle> => {
    const [{ getRequestListener, RequestError }, { RESPONSE_ALREADY_SENT }] = await Promise.all([
      import('@hono/node-server'),
      import('@hono/node-server/utils/response'),
    ]);
    const serve = (
      request: Request,
      { incoming, outgoing }: { incoming: IncomingMessage; outgoing: ServerResponse },
    ) => {
      const fails = (error: unknown) => failed(seenOf(incoming), error);
      const connection = new Connection(incoming, outgoing, streams, RESPONSE_ALREADY_SENT, fails);
      const send = (answer: AnyResponse) => connection.send(answer);
      const unanswered = (error: unknown) =>
        error instanceof DropConnection ? connection.drop(error.reset) : toResponse(fails(error));
      try {
        const answer = (mounts.get(incoming) ?? options).answer(request, connection);
        return answer instanceof Promise ? answer.then(send).catch(unanswered) : send(answer);
      } catch (error) {
        return unanswered(error);
      }
    };
    handle = getRequestListener(serve as Parameters<typeof getRequestListener>[0], {
      overrideGlobalObjects: options.replaceGlobals ?? false,
      // No Request can be made of a target that is not a URL. Any other error is a failure of ours.
      errorHandler(error) {
        const seen = { requestId: options.requestId() };
        return toResponse(
          error instanceof RequestError ? refused(ERRORS.malformed_request, seen) : failed(seen, error),
        );
      },
    });
    return handle;
  };
  let loading: Promise<Handle> | undefined;
  // A request without a host is refused like one with a wrong host. Node would refuse it without a word.
  const behaviour = {
    ServerResponse: InertResponse,
    requireHostHeader: false,
    ...(options.headersTimeout && { connectionsCheckingInterval: 25 }),
  };
  const take = (request: IncomingMessage, response: ServerResponse) => {
    answering.sees(request, response);
    // An answer has no socket yet only behind the unfinished answer to an earlier request of its connection.
    if (response.socket === null) queued(request.socket, response);
    const mounted = options.mounted?.(request, response);
    if (mounted) mounts.set(request, mounted);
    const refusal = options.refuse?.(request, () => seenOf(request));
    if (refusal) return write(request, response, refusal);
    if ((mounted ?? options).intercept?.(request, response)) return;
    if (handle) {
      handle(request, response);
      return;
    }
    // It loads Node's own fetch classes: a tenth of the time to start, which the first request can better bear.
    loading ??= load();
    loading
      .then((loaded) => loaded(request, response))
      .catch((error: unknown) => write(request, response, failed(seenOf(request), error)));
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
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    write(request, response, refused(ERRORS.expectation_failed, seenOf(request)));
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
