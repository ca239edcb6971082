import type { IncomingMessage } from 'node:http';
import { ERRORS } from '../contract/errors.js';
import { givenRequestId } from '../contract/request-id.js';
import { type Cors, CorsInvalid, createCors, foreignSite } from '../http/cors.js';
import { createHostRules, wrongAllowedHost } from '../http/hosts.js';
import { refuseHost } from '../http/protocol.js';
import { errorResponse, type PlainResponse } from '../http/response.js';

/** A host or an origin that cannot be admitted, because it is invalid. */
export class AdmissionInvalid extends Error {
  override readonly name = 'AdmissionInvalid';
}

export interface AdmissionOptions {
  /** Whether the listener is reached from this machine alone. */
  readonly loopback: boolean;
  /** Names that a listener on loopback serves beside the loopback names; `*` is any. */
  readonly allowHosts: readonly string[];
  /** Origins whose pages may use the recorder, beside loopback origins; `*` is any, `none` not even loopback. */
  readonly cors: readonly string[];
}

function corsOf(entries: readonly string[]): Cors {
  try {
    return createCors(entries);
  } catch (error) {
    throw error instanceof CorsInvalid ? new AdmissionInvalid(error.message) : error;
  }
}

/**
 * The callers that may use a recorder. As with the emulator, a listener on loopback serves only loopback names and
 * pages of loopback origins. Any other page could fill a recording, or reach a deployment in the place of its user.
 *
 * @returns the refusal of a request; undefined if it is admitted
 * @throws AdmissionInvalid for an entry that is not a host or origin
 */
export function createAdmission(
  options: AdmissionOptions,
): (request: Pick<IncomingMessage, 'url' | 'headers'>) => PlainResponse | undefined {
  const wrong = wrongAllowedHost(options.allowHosts);
  if (wrong !== undefined) throw new AdmissionInvalid(wrong);
  const hosts = createHostRules({
    regional: () => false,
    allowed: options.loopback ? options.allowHosts : undefined,
  });
  const cors = corsOf(options.cors);
  return ({ url, headers }) => {
    const requestId = givenRequestId(headers['x-request-id']?.toString() ?? null) ?? 'refused-by-the-recorder';
    const refused = refuseHost(hosts, { url, headers }, () => ({ url, requestId }));
    if (refused) return refused;
    const { origin } = headers;
    const detail =
      origin === undefined
        ? foreignSite((name) => headers[name]?.toString())
        : origin === `http://${headers.host}` || cors.allows(origin)
          ? undefined
          : cors.wrong(origin);
    if (detail === undefined) return undefined;
    return errorResponse({ ...ERRORS.regional, reason: 'foreign_origin', retryable: false }, { detail });
  };
}
