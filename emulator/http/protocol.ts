import { ERRORS, type ErrorRow } from '../contract/errors.js';
import type { HostVerdict } from './hosts.js';
import { errorResponse, type PlainResponse } from './response.js';
import { BASE } from './route.js';

/** The address of a request, as far as it is known. */
export interface RequestSeen {
  /** The target of the request line: a path, or an absolute URL. */
  readonly url?: string | undefined;
  readonly requestId: string;
}

const isScim = (url = ''): boolean => url.replace(/^[a-z]+:\/\/[^/]*/i, '').startsWith(`${BASE}/scim`);

/** An error that is answered outside of the routes, in the error form of its path: SCIM has no metadata. */
export function protocolError(
  row: ErrorRow,
  { url, requestId }: RequestSeen,
  options: { message?: string; detail?: string } = {},
): PlainResponse {
  const { status, message } = row;
  const answer = errorResponse(isScim(url) ? { status, message } : row, options);
  return { ...answer, headers: { ...answer.headers, 'x-request-id': requestId } };
}

/** A failure of our own: 500 in the form of the path, with nothing of the error in it. */
export const internalError = (seen: RequestSeen): PlainResponse =>
  protocolError(isScim(seen.url) ? ERRORS.scim_internal : ERRORS.internal_error, seen);

const BY_VERDICT: Readonly<Record<Exclude<HostVerdict, 'served'>, ErrorRow>> = {
  regional: ERRORS.regional,
  malformed: ERRORS.malformed_request,
  foreign: ERRORS.misdirected,
};

/** The authority of an absolute request target; undefined for a path. */
const authorityOf = (target = ''): string | undefined => /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1];

/**
 * Refuses a request for its host: both the `Host` header and the authority of an absolute target count. Undefined if it
 * is served, and for regional hosts that a URL can hold: the pipeline answers those, and they are in its journal.
 */
export function refuseHost(
  validate: (host: string | undefined) => HostVerdict,
  {
    url,
    headers: { host },
  }: { readonly url?: string | undefined; readonly headers: { readonly host?: string | undefined } },
  seen: () => RequestSeen,
): PlainResponse | undefined {
  const authority = authorityOf(url);
  if (authority === undefined && validate(host) === 'served') return undefined;
  const hosts = authority === undefined ? [host] : [host, authority];
  const verdicts = hosts.map(validate);
  const found = (['regional', 'malformed', 'foreign'] as const).find((verdict) => verdicts.includes(verdict));
  if (found === undefined) return undefined;
  if (found === 'regional' && hosts.every((one) => one !== undefined && URL.canParse(`http://${one}`)))
    return undefined;
  const foreign = hosts[verdicts.indexOf(found)];
  return protocolError(BY_VERDICT[found], seen(), {
    ...(found === 'foreign' && { detail: `${foreign} is not a loopback name; to serve it, start with --allow-host` }),
  });
}

/** Requests that HTTP itself does not allow, by the code of Node's parser; any other code is a malformed request. */
const BY_CODE: Readonly<Record<string, { row: ErrorRow; message?: string }>> = {
  HPE_HEADER_OVERFLOW: { row: ERRORS.headers_too_large },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { row: ERRORS.payload_too_large, message: 'Chunk extensions are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { row: ERRORS.request_timeout },
};

/** The answer to what Node's HTTP parser refuses. */
export function parserError(code: string | undefined, requestId: string): PlainResponse {
  const { row, ...options } = BY_CODE[code ?? ''] ?? { row: ERRORS.malformed_request };
  return protocolError(row, { requestId }, options);
}
