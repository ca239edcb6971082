import type { Scope } from '../clock/scope.js';
import { DropConnection } from '../http/exchange.js';
import { type AnyResponse, asResponse } from '../http/response.js';
import type { PlainRequest } from '../requests/received-request.js';
import { StreamReader } from '../sse/reader.js';
import { EventStream } from '../sse/stream.js';

/** The client of a request without a socket, as the server sees it. */
export interface InProcessClient {
  /** Calls `then` with the reason when the client gives up before it has its answer. */
  onLeave(then: (reason: unknown) => void): void;
}

type Serve<R> = (request: R, client: InProcessClient) => AnyResponse | Promise<AnyResponse>;

/** The arguments of the global `fetch`; a string may be a path too. */
export type InProcessFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** The promised value, unless the signal aborts or the scope is disposed before: then the server learns why. */
async function inTime<T>(
  serving: Promise<T>,
  { scope, signal, leave }: { scope: Scope; signal: AbortSignal | undefined; leave(reason: unknown): void },
): Promise<T> {
  const waiting = signal ? scope.child().follow(signal) : scope;
  try {
    return await waiting.race(serving);
  } catch (error) {
    leave(error);
    throw error;
  } finally {
    if (waiting !== scope) void waiting.dispose();
  }
}

/** A client, and the callbacks of the server about it. */
function createClient(): InProcessClient & { leave(reason: unknown): void } {
  let report = (_: unknown) => {};
  return {
    onLeave(then) {
      report = then;
    },
    leave: (reason) => report(reason),
  };
}

/** Asks a server. If the server drops the connection, it rejects as `fetch` does. */
function called<R>(serve: Serve<R>, request: R, client: InProcessClient): AnyResponse | Promise<AnyResponse> {
  const unanswered = (error: unknown): never => {
    if (error instanceof DropConnection) throw new TypeError(`fetch failed: ${error.message}`, { cause: error });
    throw error;
  };
  try {
    const answer = serve(request, client);
    return answer instanceof Promise ? answer.catch(unanswered) : answer;
  } catch (error) {
    return unanswered(error);
  }
}

/**
 * A server as a function that is called like the global `fetch`, without a socket. It rejects with the reason of the
 * given signal as soon as that aborts, wherever the request is, and with that of `scope` once it is disposed. An abort
 * while the response streams ends it as a connection would: the reader sees the abort, the server its client's
 * disconnect. With `signal: null` nobody can abort, and a request costs less: its own signal needs no listener.
 */
export function inProcessFetch(serve: Serve<Request>, baseUrl: () => string, scope: Scope): InProcessFetch {
  return async (input, init) => {
    const url = typeof input === 'string' ? new URL(input, baseUrl()) : input;
    const request = url instanceof Request && (init === undefined || isDetached(init)) ? url : new Request(url, init);
    // The given signal: the request's own follows it weakly, and misses an abort once it was collected (Node 20).
    const given = init?.signal === undefined && input instanceof Request ? input.signal : init?.signal;
    const signal = given ?? undefined;
    if (request.bodyUsed) throw new TypeError('The body of the request has been used already');
    scope.throwIfDisposed();
    signal?.throwIfAborted();
    const client = createClient();
    const serving = called(serve, request, client);
    const answer = serving instanceof Promise ? serving.then(asResponse) : asResponse(serving);
    const leave = (reason: unknown) => {
      client.leave(reason);
      // A late answer has no reader.
      Promise.resolve(answer)
        .then(({ body }) => body?.cancel(reason))
        .catch(() => {});
    };
    // Most answers are ready at once: they need no race with an abort.
    const response = answer instanceof Promise ? await inTime(answer, { scope, signal, leave }) : answer;
    if (request.method === 'HEAD' && response.body) return new Response(null, response);
    if (!signal) return response;
    // An abort in the same turn comes before any answer could.
    await undefined;
    if (signal.aborted) {
      leave(signal.reason);
      throw signal.reason;
    }
    return response.body && isStream(response) ? new Response(abortable(response.body, signal), response) : response;
  };
}

/** The body of an answer in process: the ready bytes, or the reader of a stream. */
type Body = string | Uint8Array | Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'> | null;

/** An answer in process for callers that need no `Response`. */
export interface InProcessAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>> | Headers;
  readonly body: Body;
}

/** Asks in process without a `Request` or a `Response`, which cost more than most answers. Rejects as `fetch` does. */
export type InProcessExchange = (request: PlainRequest) => Promise<InProcessAnswer>;

function bodyOf(answer: AnyResponse, signal?: AbortSignal): Body {
  const { body } = answer;
  if (body instanceof EventStream) return new StreamReader(body, signal);
  return body instanceof ReadableStream ? (signal ? abortable(body, signal) : body).getReader() : body;
}

/**
 * The same as {@link inProcessFetch} for callers that need none of the web's own objects, such as the conformance kit.
 */
export function inProcessExchange(serve: Serve<PlainRequest>, scope: Scope): InProcessExchange {
  return async (request) => {
    const { signal } = request;
    scope.throwIfDisposed();
    signal?.throwIfAborted();
    const client = createClient();
    const serving = called(serve, request, client);
    const leave = (reason: unknown) => {
      client.leave(reason);
      Promise.resolve(serving)
        .then((answer) => {
          const body = bodyOf(answer);
          return body !== null && typeof body === 'object' && 'cancel' in body ? body.cancel(reason) : undefined;
        })
        .catch(() => {});
    };
    const answer = serving instanceof Promise ? await inTime(serving, { scope, signal, leave }) : serving;
    return { status: answer.status, headers: answer.headers, body: bodyOf(answer, signal) };
  };
}

/** Whether the options only leave the signal of a request alone, which needs no copy of it. */
const isDetached = (init: RequestInit): boolean => init.signal === null && Object.keys(init).length === 1;

const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;

/** The same stream, which ends with a signal too. */
function abortable(stream: ReadableStream<Uint8Array>, signal: AbortSignal): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let abort = () => {};
  const over = () => signal.removeEventListener('abort', abort);
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        abort = () => {
          reader.cancel(signal.reason).catch(() => {});
          controller.error(signal.reason);
        };
        if (signal.aborted) abort();
        else signal.addEventListener('abort', abort, { once: true });
      },
      async pull(controller) {
        const { done, value } = await reader.read();
        if (signal.aborted) return;
        if (!done) return controller.enqueue(value);
        over();
        controller.close();
      },
      cancel(reason) {
        over();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
