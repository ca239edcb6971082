import { ERRORS } from '../contract/errors.js';
import { json, toResponse } from '../http/response.js';
import { guardControl } from './guard.js';
import type { ControlParts } from './parts.js';
import { createRouter } from './router.js';
import { controlRows } from './rows.js';

/** The control interface under `/_emulator` (section 2 of the contract), as a fetch function. */
export function createControl(parts: ControlParts): (request: Request) => Promise<Response> {
  const serve = createRouter(controlRows(parts), parts.log);
  return async (request) => {
    const refused = guardControl(request, parts.token, parts.beyondLoopback());
    if (refused === undefined) return serve(request);
    const { status } = ERRORS.regional;
    return toResponse(json({ error: { code: status, message: refused } }, status));
  };
}
