import { hostDelay } from '../clock/host.js';
import { givenRequestId } from '../contract/request-id.js';
import type { PlainRequest, ReceivedRequest } from '../requests/received-request.js';
import { discardUnread, type Incoming } from '../requests/request-body.js';
import { DropConnection, type Transport } from './exchange.js';
import type { createPipeline } from './pipeline.js';
import { internalError } from './protocol.js';
import { ALREADY_SENT, type PlainResponse, toResponse } from './response.js';
import type { ResourceOf } from './router.js';

/** What @hono/node-server hands over beside the request, or what an in-process caller passes. */
export interface NodeBindings {
  readonly incoming?: Incoming & {
    readonly rawHeaders?: readonly string[];
    readonly socket: { destroy(): void; destroySoon(): void; resetAndDestroy(): void };
  };
  /** Tells the listener that the answer is a stream. */
  streams?(): void;
  /** Calls `then` when the client of an in-process request gives up. */
  onLeave?(then: (reason: unknown) => void): void;
  /**
   * Lets the listener send a stream, in chunks and without a length, even if all of it is ready (WEB-2). The result
   * says that it was; undefined for anything but a stream.
   */
  send?(answer: PlainResponse): Response | undefined;
}

export interface AppDeps {
  /** An id for a request that has none of its own. */
  requestId(): string;
  log(record: Record<string, unknown>): void;
}

/** The interface as a function, for a server or for none. */
export interface App {
  fetch(request: Request, bindings?: NodeBindings): Response | Promise<Response>;
}

/** The app that emulates, which also answers in plain values. */
export interface EmulatedApp extends App {
  /** @throws TypeError if a fault drops the connection */
  answer(request: PlainRequest, bindings?: NodeBindings): PlainResponse | Promise<PlainResponse>;
}

const DROPPED = 'the connection was dropped by an injected fault';

/**
 * How long a connection that is dropped within its body stays, in ms of real time. A client that finds the end together
 * with the first bytes, because its machine is busy, never learns that it was answered.
 */
const DROP_DELAY = 200;

/** Cuts the connection of a request, or resets it, once the written bytes have left; undefined in process. */
export function cutOf(bindings: NodeBindings | undefined): ((reset: boolean) => void) | undefined {
  const socket = bindings?.incoming?.socket;
  const drop = (reset: boolean) => (reset ? socket?.resetAndDestroy() : socket?.destroySoon());
  // The server reads ahead before it writes anything: what it has read needs a moment to leave.
  return socket && ((reset) => void hostDelay(DROP_DELAY).then(() => drop(reset)));
}

/** What an in-process client sees of a dropped connection. */
const dropped = (why: string) => new TypeError(`fetch failed: ${why}`);

/**
 * Drops the connection of a request that has no answer.
 *
 * @throws TypeError in process, with `why`
 */
export function dropWithout(bindings: NodeBindings | undefined, why: string, reset = false): Response {
  const socket = bindings?.incoming?.socket;
  if (!socket) throw dropped(why);
  if (reset) socket.resetAndDestroy();
  else socket.destroy();
  return new Response(null, { headers: ALREADY_SENT });
}

/** A request, and how it came. A class, since one is made per request. */
class Received implements Transport {
  constructor(
    readonly request: ReceivedRequest,
    readonly bindings: NodeBindings | undefined,
  ) {}
  get framed(): boolean {
    return this.bindings?.incoming !== undefined;
  }
  get rawHeaders(): readonly string[] | undefined {
    return this.bindings?.incoming?.rawHeaders;
  }
  get cut(): ((reset: boolean) => void) | undefined {
    return cutOf(this.bindings);
  }
  streams(): void {
    this.bindings?.streams?.();
  }
  onLeave(then: (reason: unknown) => void): void {
    this.bindings?.onLeave?.(then);
  }
}

/**
 * The interface as a function: every request goes through the pipeline, whether its path and
 * method are in the table or not.
 *
 * @throws TypeError from `fetch` if a fault drops the connection of an in-process request
 */
export function createApp(resourceOf: ResourceOf, run: ReturnType<typeof createPipeline>, deps: AppDeps): EmulatedApp {
  /** The answer to a failure around the pipeline, which answers its own errors. */
  const failureOf = (error: unknown, { request }: Received, answered?: PlainResponse): PlainResponse => {
    const requestId =
      answered?.headers['x-request-id'] ?? givenRequestId(request.headers.get('x-request-id')) ?? deps.requestId();
    const detail = error instanceof Error ? error.stack : String(error);
    deps.log({ level: 'error', event: 'internal_error', request_id: requestId, error: detail });
    return internalError({ url: request.url, requestId });
  };
  const failed = (error: unknown, received: Received, answered?: PlainResponse): Response =>
    error instanceof DropConnection
      ? dropWithout(received.bindings, DROPPED, error.reset)
      : toResponse(failureOf(error, received, answered));
  const respond = (answer: PlainResponse, received: Received): Response => {
    const { bindings } = received;
    try {
      return bindings?.send?.(answer) ?? toResponse(answer);
    } catch (error) {
      return failed(error, received, answer);
    }
  };
  const answered = (answer: PlainResponse, received: Received): Response | Promise<Response> => {
    const rest = discardUnread(received.bindings?.incoming);
    return rest ? rest.then(() => respond(answer, received)) : respond(answer, received);
  };
  const handle = (received: Received) => run(received.request, resourceOf(received.request), received);
  const fetch = (request: Request, bindings?: NodeBindings) => {
    const received = new Received(request, bindings);
    try {
      const answer = handle(received);
      return answer instanceof Promise
        ? answer.then((value) => answered(value, received)).catch((error) => failed(error, received))
        : answered(answer, received);
    } catch (error) {
      return failed(error, received);
    }
  };

  const answer = (request: PlainRequest, bindings?: NodeBindings) => {
    const received = new Received(request, bindings);
    const otherwise = (error: unknown): PlainResponse => {
      if (error instanceof DropConnection) throw dropped(DROPPED);
      return failureOf(error, received);
    };
    try {
      const answer = handle(received);
      return answer instanceof Promise ? answer.catch(otherwise) : answer;
    } catch (error) {
      return otherwise(error);
    }
  };
  return { fetch, answer };
}
