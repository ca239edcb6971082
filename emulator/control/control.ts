import { ERRORS } from '../contract/errors.js';
import { json, type PlainResponse } from '../http/response.js';
import type { ReceivedRequest } from '../requests/received-request.js';
import { guardControl } from './guard.js';
import type { ControlParts } from './parts.js';

/**
 * The control interface under `/_emulator` (section 2 of the contract), as a function. `streams` is called when the
 * answer is a stream.
 */
export function createControl(
  parts: ControlParts,
): (request: ReceivedRequest, streams?: () => void) => Promise<PlainResponse> {
  const load = async () => {
    const { createRouter } = await import('./router.js');
    const { controlRows } = await import('./rows.js');
    return createRouter(await controlRows(parts), parts.log, parts.scope);
  };
  // Loaded at the first call: many emulators are never controlled.
  let serve: ReturnType<typeof load> | undefined;
  return async (request, streams) => {
    const refused = guardControl(request, parts.token, parts.beyondLoopback(), parts.publicHost);
    if (refused === undefined) {
      serve ??= load();
      return (await serve)(request, streams);
    }
    const { status } = ERRORS.regional;
    return json({ error: { code: status, message: refused } }, status);
  };
}
