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

/** The values of the `Host` lines after the first: Node's `headers` leaves them out. */
function furtherHosts(rawHeaders: readonly string[] = []): readonly string[] {
  const hosts: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts.push(rawHeaders[at + 1] ?? '');
  return hosts.slice(1);
}

/**
 * Refuses a request for its host: each `Host` header and the authority of an absolute target count. More than one `Host` is
 * malformed (RFC 9112, 3.2). Undefined for a served host, and for a regional host that fits into a URL: the pipeline refuses
 * that one and notes it in the journal.
 */
export function refuseHost(
  validate: (host: string | undefined) => HostVerdict,
  request: {
    readonly url?: string | undefined;
    readonly headers: { readonly host?: string | undefined };
    readonly rawHeaders?: readonly string[];
  },
  seen: () => RequestSeen,
): PlainResponse | undefined {
  const { host } = request.headers;
  const authority = authorityOf(request.url);
  const further = furtherHosts(request.rawHeaders);
  if (authority === undefined && further.length === 0 && validate(host) === 'served') return undefined;
  const hosts = authority === undefined ? [host, ...further] : [host, ...further, authority];
  const verdicts = hosts.map(validate);
  const wrong = (['regional', 'malformed', 'foreign'] as const).find((verdict) => verdicts.includes(verdict));
  const found = further.length > 0 && wrong !== 'regional' ? 'malformed' : wrong;
  if (found === undefined) return undefined;
  const known = further.length === 0 && hosts.every((one) => one !== undefined && URL.canParse(`http://${one}`));
  if (found === 'regional' && known) return undefined;
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
