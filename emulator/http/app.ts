import { givenRequestId } from '../contract/request-id.js';
import type { PlainRequest, ReceivedRequest } from '../requests/received-request.js';
import { discardUnread } from '../requests/request-body.js';
import { DropConnection, type NodeBindings } from './exchange.js';
import type { createPipeline } from './pipeline.js';
import { internalError } from './protocol.js';
import { ALREADY_SENT, type PlainResponse, toResponse } from './response.js';
import type { ResourceOf } from './router.js';

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

/**
 * The interface as a function: every request goes through the pipeline, whether its path and
 * method are in the table or not.
 *
 * @throws TypeError from `fetch` if a fault drops the connection of an in-process request
 */
export function createApp(resourceOf: ResourceOf, run: ReturnType<typeof createPipeline>, deps: AppDeps): EmulatedApp {
  /** The answer to a failure around the pipeline, which answers its own errors. */
  const failureOf = (error: unknown, request: ReceivedRequest, answered?: PlainResponse): PlainResponse => {
    const requestId =
      answered?.headers['x-request-id'] ?? givenRequestId(request.headers.get('x-request-id')) ?? deps.requestId();
    const detail = error instanceof Error ? error.stack : String(error);
    deps.log({ level: 'error', event: 'internal_error', request_id: requestId, error: detail });
    return internalError({ url: request.url, requestId });
  };

  const fetch = (request: Request, bindings?: NodeBindings) => {
    const failed = (error: unknown, answer?: PlainResponse): Response =>
      error instanceof DropConnection
        ? dropWithout(bindings, DROPPED, error.reset)
        : toResponse(failureOf(error, request, answer));
    const respond = (answer: PlainResponse): Response => {
      try {
        return bindings?.send?.(answer) ?? toResponse(answer);
      } catch (error) {
        return failed(error, answer);
      }
    };
    const answered = (answer: PlainResponse): Response | Promise<Response> => {
      const rest = discardUnread(bindings?.incoming);
      return rest ? rest.then(() => respond(answer)) : respond(answer);
    };
    try {
      const answer = run(request, resourceOf(request), bindings);
      return answer instanceof Promise ? answer.then(answered).catch((error) => failed(error)) : answered(answer);
    } catch (error) {
      return failed(error);
    }
  };

  const answer = (request: PlainRequest, bindings?: NodeBindings) => {
    const failed = (error: unknown): PlainResponse => {
      if (error instanceof DropConnection) throw dropped(DROPPED);
      return failureOf(error, request);
    };
    try {
      const answer = run(request, resourceOf(request), bindings);
      return answer instanceof Promise ? answer.catch(failed) : answer;
    } catch (error) {
      return failed(error);
    }
  };
  return { fetch, answer };
}
