import { ERRORS } from '../contract/errors.js';
import { headOf, json, type PlainResponse } from '../http/response.js';
import type { ReceivedRequest } from '../requests/received-request.js';
import { guardControl } from './guard.js';
import type { ControlParts } from './parts.js';
import type { createRouter } from './router.js';

/**
 * The control interface under `/_emulator` (section 2 of the contract), as a function. Its calls are loaded at the first call.
 * `streams` is called when the answer is a stream.
 */
export function createControl(
  { beyondLoopback, publicHost, token }: Pick<ControlParts, 'beyondLoopback' | 'publicHost' | 'token'>,
  load: () => Promise<ReturnType<typeof createRouter>>,
): (request: ReceivedRequest, streams?: () => void) => Promise<PlainResponse> {
  let serve: ReturnType<typeof load> | undefined;
  const answerTo = async (request: ReceivedRequest, streams?: () => void): Promise<PlainResponse> => {
    const refused = guardControl(request, token, beyondLoopback(), publicHost);
    if (refused === undefined) {
      serve ??= load().catch((error: unknown) => {
        serve = undefined;
        throw error;
      });
      return (await serve)(request, streams);
    }
    const { status } = ERRORS.regional;
    return json({ error: { code: status, message: refused } }, status);
  };
  return async (request, streams) => {
    const answer = await answerTo(request, streams);
    if (request.method !== 'HEAD') return answer;
    // A stream that nobody reads is released.
    if (answer.body instanceof ReadableStream) await answer.body.cancel();
    return headOf(answer);
  };
}
