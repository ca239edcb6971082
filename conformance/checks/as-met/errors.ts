import { equal, isObject, match, ok } from '../../framework/assert.js';
import { checksOf } from '../../framework/check.js';
import type { Ctx } from '../../framework/context.js';
import type { Met } from '../../framework/watch.js';
import { isFromService, isSigning, nameOf } from '../../helpers/met.js';
import { DIGEST, OPERATIONS, operation, request } from '../../helpers/operations.js';

/** What the catalogue of signing states (Signing route errors). Others on the way refuse too many requests in words of their own. */
const SIGNING: Readonly<Record<number, { message: RegExp; reason: string; retryable: boolean }>> = {
  400: { message: /^Invalid request body/, reason: 'invalid_body', retryable: false },
  403: {
    message: /^Personal connections require the OIDC login/,
    reason: 'personal_identity_required',
    retryable: false,
  },
  404: { message: /^Intern not found/, reason: 'not_found', retryable: false },
  408: { message: /^Operation timed out/, reason: 'timeout', retryable: true },
  413: { message: /^Request body exceeds 1048576 bytes/, reason: 'payload_too_large', retryable: false },
  415: {
    message: /^Request body must be sent as application\/json/,
    reason: 'unsupported_media_type',
    retryable: false,
  },
  500: { message: /^The request could not be completed/, reason: 'internal_error', retryable: true },
};

/** What is said where a key is missing or invalid, and of what is unknown to the directory (Authentication, SCIM mapping read errors). */
const KEYLESS = /^Invalid or missing API key/;
const SCIM: Readonly<Record<number, string>> = {
  401: 'Missing Authentication header',
  404: 'Resource not found',
  500: 'Internal Server Error',
};

/** "Envelope: `{ error: { code: <integer HTTP status>, message: <string>, metadata: { reason: <string>, retryable: <boolean> } } }`." */
function sees(met: Met): boolean {
  const { answer, operation: asked, send } = met;
  const { status, json } = answer;
  const name = nameOf(met);
  if (name === undefined || status < 400 || !isFromService(answer)) return false;
  const what = `a ${status} of ${asked}`;
  isObject(json, `body of ${what}`);
  isObject(json.error, `error of ${what}`);
  const { code, message, metadata } = json.error;
  equal(code, status, `error.code of ${what}`);
  ok(typeof message === 'string' && message !== '', `error.message of ${what}`, 'a message', message);
  // "The `metadata` object is absent on the 401 error of the signing route and on all SCIM errors."
  const absent = name === 'scim' || (status === 401 && isSigning(name));
  if (absent) ok(!('metadata' in json.error), `error of ${what}`, 'no metadata', metadata);
  const none = send.as === null && send.headers === undefined;
  if (status === 401 && isSigning(name) && none) match(message, KEYLESS, `error.message of ${what}`);
  if (name === 'scim' && SCIM[status] !== undefined && (status !== 401 || none))
    equal(message, SCIM[status], `error.message of ${what}`);
  const stated = isSigning(name) && send.host === undefined ? SIGNING[status] : undefined;
  // Only the catalogue of signing states which errors have it.
  if (absent || (stated === undefined && metadata === undefined)) return true;
  isObject(metadata, `error.metadata of ${what}`);
  const { reason, retryable } = metadata;
  ok(typeof reason === 'string', `error.metadata.reason of ${what}`, 'a string', reason);
  ok(typeof retryable === 'boolean', `error.metadata.retryable of ${what}`, 'a boolean', retryable);
  if (stated === undefined) return true;
  match(message, stated.message, `error.message of ${what}`);
  equal(reason, stated.reason, `error.metadata.reason of ${what}`);
  equal(retryable, stated.retryable, `error.metadata.retryable of ${what}`);
  return true;
}

/** Every operation, refused for its key and for its intern; signing, for all else that its catalogue has. */
async function meet(ctx: Ctx): Promise<void> {
  const { interns, send, wrongKey } = ctx;
  for (const row of OPERATIONS) {
    await send(request(ctx, row, interns.unknownId(), { as: wrongKey }));
    if (row.on === 'intern') await send(request(ctx, row, interns.unknownId()));
  }
  const { id } = await interns.stopped();
  for (const name of ['sign', 'sign alias']) {
    const row = operation(name);
    await send(request(ctx, row, id, { as: 'api_key' }));
    await send(request(ctx, row, id, { json: {} }));
    await send({ method: row.method, path: row.path(id), as: row.as, body: JSON.stringify({ bodySha256: DIGEST }) });
  }
}

/** BASE-3: the errors that a run met. */
export const ERRORS_AS_MET = checksOf('BASE-3', {
  'as-met/errors': {
    title: 'Every error that the run met has the envelope, and on the signing routes what their catalogue states.',
    needs: [],
    watch: () => ({ sees }),
    run: meet,
  },
});
