import { ERRORS } from '../contract/errors.js';
import { json, type PlainResponse } from '../http/response.js';
import type { ReceivedRequest } from '../requests/received-request.js';
import { guardControl } from './guard.js';
import type { ControlParts } from './parts.js';
import { createRouter } from './router.js';
import { controlRows } from './rows.js';

/**
 * The control interface under `/_emulator` (section 2 of the contract), as a function. `streams` is called when the
 * answer is a stream.
 */
export function createControl(
  parts: ControlParts,
): (request: ReceivedRequest, streams?: () => void) => Promise<PlainResponse> {
  // Made on the first call: many emulators are never controlled.
  let serve: ReturnType<typeof createRouter> | undefined;
  return async (request, streams) => {
    const refused = guardControl(request, parts.token, parts.beyondLoopback(), parts.publicHost);
    if (refused === undefined) {
      serve ??= createRouter(controlRows(parts), parts.log, parts.scope);
      return serve(request, streams);
    }
    const { status } = ERRORS.regional;
    return json({ error: { code: status, message: refused } }, status);
  };
}
