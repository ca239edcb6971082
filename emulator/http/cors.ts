import type { IncomingMessage, ServerResponse } from 'node:http';
import { givenRequestId } from '../contract/request-id.js';
import type { ReceivedRequest } from '../requests/received-request.js';
import { isLoopbackHost } from './hosts.js';
import type { AnyResponse, PlainResponse } from './response.js';

/** Headers of an answer that an allowed page may read, besides the standard ones (WEB-1). */
const EXPOSED = 'x-request-id, retry-after, x-emulator-detail, deprecation, link, location';
/** Headers that a page may send if its preflight names none. */
const ALLOWED = ['authorization', 'content-type', 'x-request-id'];
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/** An invalid entry of `--cors`. */
export class CorsInvalid extends Error {
  override readonly name = 'CorsInvalid';
}

export type Header = (name: string) => string | null | undefined;

/**
 * The refusal of a request from another site's page. Such a request may lack `Origin`, as for `<img src>`, but a browser still
 * names its site. Other clients name none.
 */
export function foreignSite(header: Header): string | undefined {
  const site = header('sec-fetch-site');
  if (site == null || site === 'none' || site === 'same-origin') return undefined;
  return `requests from other sites are refused (Sec-Fetch-Site: ${site})`;
}

/** Decides which origins may use the interface, and makes the headers for browsers. */
export interface Cors {
  allows(origin: string): boolean;
  /** The headers of any answer to a request with this `Origin`. */
  headers(origin: string | null | undefined): Readonly<Record<string, string>>;
  /** The answer to a preflight; undefined for anything else, a bare OPTIONS too. */
  preflight(method: string, header: Header): PlainResponse | undefined;
  /** The sentence about an origin that is not allowed. */
  wrong(origin: string): string;
}

/** `https://app.test/` as a browser sends it: `https://app.test`. */
function originOf(given: string): string {
  const expected = () =>
    new CorsInvalid(
      `CORS: expected an origin such as https://app.test, *, or none alone; found ${JSON.stringify(given)}`,
    );
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/\s]+\/?$/i.test(given) || !URL.canParse(given)) throw expected();
  const { origin } = new URL(given);
  // Pages of other schemes (`tauri://localhost`) have an origin that URL does not show.
  return origin === 'null' ? given.replace(/\/$/, '').toLowerCase() : origin;
}

function isLoopbackOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host } = new URL(origin);
  return (protocol === 'http:' || protocol === 'https:') && isLoopbackHost(host);
}

/** Whether an origin is allowed: loopback origins and `entries` are. `*` allows any, `none` not even loopback. */
function allowing(entries: readonly string[]): (origin: string) => boolean {
  if (entries.includes('none')) {
    if (entries.length > 1) throw new CorsInvalid('CORS: none must be the only entry');
    return () => false;
  }
  if (entries.includes('*')) return () => true;
  const named = new Set(entries.map(originOf));
  const known = new Map<string, boolean>();
  return (origin) => {
    const found = known.get(origin);
    if (found !== undefined) return found;
    if (known.size >= 100) known.clear();
    const allowed = named.has(origin) || isLoopbackOrigin(origin);
    known.set(origin, allowed);
    return allowed;
  };
}

/**
 * CORS of the interface and the daemons (WEB-1). Every loopback page may be admitted: credentials are bearer tokens, never
 * cookies, so a page can do nothing without one.
 *
 * @param entries the values of `--cors`
 * @param ofProfile the headers that the profile names, for keys and proofs
 * @throws CorsInvalid for an invalid entry
 */
export function createCors(entries: readonly string[] = [], ofProfile: readonly string[] = []): Cors {
  const allows = allowing(entries);
  const silent = entries.includes('none');
  const vary = silent ? {} : { vary: 'Origin' };

  const wrong = (origin: string) =>
    silent
      ? `pages of other origins are not admitted (--cors none): ${origin}`
      : `pages of the origin ${origin} are not admitted: start with --cors ${origin}`;

  return {
    allows,
    wrong,
    headers(origin) {
      if (origin == null || !allows(origin)) return vary;
      return { ...vary, 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED };
    },
    preflight(method, header) {
      if (method !== 'OPTIONS' || header('access-control-request-method') == null) return undefined;
      const origin = header('origin');
      if (origin == null) return { status: 204, body: null, headers: vary };
      if (!allows(origin))
        return { status: 204, body: null, headers: { ...vary, 'x-emulator-detail': wrong(origin).slice(0, 500) } };
      return {
        status: 204,
        body: null,
        headers: {
          ...vary,
          'access-control-allow-origin': origin,
          'access-control-allow-methods': METHODS,
          'access-control-allow-headers':
            header('access-control-request-headers') ?? [...ALLOWED, ...ofProfile].join(', '),
          'access-control-max-age': '600',
          ...(header('access-control-request-private-network') === 'true'
            ? { 'access-control-allow-private-network': 'true' }
            : {}),
        },
      };
    },
  };
}

/** Adds CORS headers to a server's answers, and answers preflights, with a request id as every answer has (BASE-6). */
export const withCors =
  <R extends ReceivedRequest, B>(
    cors: Cors,
    requestId: () => string,
    serve: (request: R, bindings?: B) => Promise<AnyResponse>,
  ) =>
  async (request: R, bindings?: B): Promise<AnyResponse> => {
    const { method, headers } = request;
    const preflight = cors.preflight(method, (name) => headers.get(name));
    if (preflight) {
      const id = givenRequestId(headers.get('x-request-id')) ?? requestId();
      return { ...preflight, headers: { ...preflight.headers, 'x-request-id': id } };
    }
    const answer = await serve(request, bindings);
    const added = cors.headers(headers.get('origin'));
    if (!(answer instanceof Response)) return { ...answer, headers: { ...answer.headers, ...added } };
    for (const [name, value] of Object.entries(added)) answer.headers.set(name, value);
    return answer;
  };

/**
 * Lets a page read answers of the login provider, which uses Node's own requests and responses.
 *
 * @returns true for a preflight, which is then answered
 */
export function admitPage(cors: Cors, request: IncomingMessage, response: ServerResponse): boolean {
  const header = (name: string) => request.headers[name]?.toString();
  const origin = header('origin');
  const preflight = cors.preflight(request.method ?? '', header);
  for (const [name, value] of Object.entries(preflight?.headers ?? cors.headers(origin)))
    response.setHeader(name, value);
  if (preflight) {
    response.writeHead(preflight.status).end();
    return true;
  }
  // Unless CORS headers are set, the provider admits any page.
  if (!response.hasHeader('access-control-expose-headers')) response.setHeader('access-control-expose-headers', '');
  // The guard must not take an admitted page for a foreign one.
  if (origin !== undefined && cors.allows(origin)) {
    delete request.headers.origin;
    delete request.headers['sec-fetch-site'];
  }
  return false;
}
