import type { Scope } from './clock/scope.js';

/** What a server is told of a client without a socket. */
export interface InProcessClient {
  /** Has `then` called with the reason when the client gives up before it has its answer. */
  onLeave(then: (reason: unknown) => void): void;
}

type Serve = (request: Request, client: InProcessClient) => Response | Promise<Response>;

/** What the global `fetch` takes; a string may be a path too. */
export type InProcessFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * A server as a function that is called the way the global `fetch` is, without a socket. It rejects with the reason of
 * the given signal as soon as that aborts, wherever the request is, and with that of `scope` once it is disposed. An
 * abort while the response streams ends it as a connection would: the reader sees the abort, the server its client leave.
 * With `signal: null` nobody can abort, and a request costs less: its own signal has not to be listened to.
 */
export function inProcessFetch(serve: Serve, baseUrl: () => string, scope: Scope): InProcessFetch {
  /** What is promised, unless the signal aborts or the scope is disposed before. */
  const inTime = async (
    serving: Promise<Response>,
    signal: AbortSignal | undefined,
    leave: (reason: unknown) => void,
  ): Promise<Response> => {
    const waiting = scope.child();
    if (signal) waiting.follow(signal);
    try {
      return await waiting.race(serving);
    } catch (error) {
      leave(error);
      // An answer that comes after all has nobody who reads it.
      serving.then(({ body }) => body?.cancel(error)).catch(() => {});
      throw error;
    } finally {
      void waiting.dispose();
    }
  };

  return async (input, init) => {
    const url = typeof input === 'string' ? new URL(input, baseUrl()) : input;
    const request = url instanceof Request && (init === undefined || isDetached(init)) ? url : new Request(url, init);
    // The one that was given: the request's own follows it weakly, and misses an abort once it was collected (Node 20).
    const given = init?.signal === undefined && input instanceof Request ? input.signal : init?.signal;
    const signal = given ?? undefined;
    scope.throwIfDisposed();
    signal?.throwIfAborted();
    let leave = (_: unknown) => {};
    const onLeave = (then: typeof leave) => {
      leave = then;
    };
    const answer = serve(request, { onLeave });
    // Most answers are there at once: nothing can end what nobody waits for.
    const response = answer instanceof Promise ? await inTime(answer, signal, (reason) => leave(reason)) : answer;
    return signal && isStream(response) ? abortable(response, signal) : response;
  };
}

/** Whether nothing else is asked than to leave the signal of a request alone, which needs no copy of it. */
const isDetached = (init: RequestInit): boolean => init.signal === null && Object.keys(init).length === 1;

const isStream = (response: Response): boolean =>
  response.body !== null && response.headers.get('content-type')?.startsWith('text/event-stream') === true;

/** A streaming response that ends with a signal. */
function abortable(response: Response, signal: AbortSignal): Response {
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
  let abort = () => {};
  const over = () => signal.removeEventListener('abort', abort);
  const body = new ReadableStream<Uint8Array>(
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
  return new Response(body, response);
}
