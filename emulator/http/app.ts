import { givenRequestId } from '../contract/request-id.js';
import type { ReceivedRequest } from '../requests/received-request.js';
import { discardUnread } from '../requests/request-body.js';
import { after, DropConnection, type NodeBindings } from './exchange.js';
import type { createPipeline } from './pipeline.js';
import { internalError } from './protocol.js';
import type { AnyResponse, PlainResponse } from './response.js';
import type { ResourceOf } from './router.js';

export interface AppDeps {
  /** An id for a request that has none of its own. */
  requestId(): string;
  log(record: Record<string, unknown>): void;
}

/** The interface as a function, for a listener or for a caller in this process. */
export interface App<Made extends AnyResponse = AnyResponse> {
  /** @throws DropConnection for a request that gets no answer */
  answer(request: ReceivedRequest, bindings?: NodeBindings): Made | Promise<Made>;
}

/** The interface as a function: every request goes through the pipeline, whether or not the table has its path. */
export function createApp(
  resourceOf: ResourceOf,
  run: ReturnType<typeof createPipeline>,
  deps: AppDeps,
): App<PlainResponse> {
  /** The answer to a failure around the pipeline, which answers its own errors. */
  const failed = (error: unknown, { headers, url }: ReceivedRequest): PlainResponse => {
    if (error instanceof DropConnection) throw error;
    const requestId = givenRequestId(headers.get('x-request-id')) ?? deps.requestId();
    const detail = error instanceof Error ? error.stack : String(error);
    deps.log({ level: 'error', event: 'internal_error', request_id: requestId, error: detail });
    return internalError({ url, requestId });
  };
  const answered = (answer: PlainResponse, bindings?: NodeBindings): PlainResponse | Promise<PlainResponse> =>
    after(discardUnread(bindings?.incoming), () => answer);
  return {
    answer(request, bindings) {
      try {
        const answer = run(request, resourceOf(request), bindings);
        if (!(answer instanceof Promise)) return answered(answer, bindings);
        return answer.then(
          (one) => answered(one, bindings),
          (error) => failed(error, request),
        );
      } catch (error) {
        return failed(error, request);
      }
    },
  };
}
