import { hash, timingSafeEqual } from 'node:crypto';
import { foreignSite, type Header } from '../http/cors.js';
import { isLoopbackHost } from '../http/hosts.js';
import type { ReceivedRequest } from '../requests/received-request.js';

const digest = (text: string) => hash('sha256', text, 'buffer');

/** The names under which the control interface must not be reached, since it hands out credentials, and why. */
const foreignHost = (host: string) => (isLoopbackHost(host) ? undefined : `the host ${host} is not a loopback name`);
const foreignOrigin = (origin: string | null | undefined, own: string) =>
  origin == null || origin === own ? undefined : `requests from the origin ${origin} are refused`;

/** Whether a browser shows the answer in a tab, or in a frame: somebody followed a link, or was redirected. */
const isNavigation = (header: Header) => header('sec-fetch-mode') === 'navigate';

function wrongToken(authorization: string | null | undefined, token: string): string | undefined {
  const given = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(given), digest(token)) ? undefined : 'the control token is missing or wrong';
}

/**
 * Whether a request only asks if the emulator is up, as the process that starts it does: by any name, and without a
 * token.
 */
export const isHealthCheck = (method: string | undefined, path: string | undefined): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  (path === '/_emulator/health' || path?.startsWith('/_emulator/health?') === true);

/** Names of the emulator that lead to the interface alone (WEB-3). */
const publicOnly = (host: string, publicHost: string | undefined) =>
  publicHost !== undefined && host === publicHost && !isLoopbackHost(host)
    ? `${host} is the public name of the interface, not of the control interface`
    : undefined;

/**
 * The callers that may use the control interface. It hands out credentials, so a page that a browser happens to show
 * must not reach it. `Origin` and `Sec-Fetch-Site`, if the browser sends them, must be the listener's own (against
 * drive-by requests). The `Host` must be a loopback name (against DNS rebinding), unless others may reach the listener
 * too. If there is a token, every request needs it. Health needs neither name nor token.
 *
 * @returns why the request is refused, or undefined
 */
export function guardControl(
  request: ReceivedRequest,
  token: string | undefined,
  beyondLoopback: boolean,
  publicHost?: string,
): string | undefined {
  const url = new URL(request.url);
  const host = request.headers.get('host') ?? url.host;
  const foreign =
    foreignOrigin(request.headers.get('origin'), `${url.protocol}//${host}`) ??
    foreignSite((name) => request.headers.get(name));
  if (isHealthCheck(request.method, url.pathname)) return foreign;
  return (
    foreign ??
    publicOnly(host, publicHost) ??
    (beyondLoopback ? undefined : foreignHost(host)) ??
    (token === undefined ? undefined : wrongToken(request.headers.get('authorization'), token))
  );
}

/**
 * The callers that may see the console: as {@link guardControl}, without a token, and also somebody who follows a link
 * to it from another site, into a tab of its own. The page holds nothing of this emulator, and its requests come from
 * its own origin.
 *
 * @returns why the request is refused, or undefined
 */
export function guardPage(request: ReceivedRequest, beyondLoopback: boolean): string | undefined {
  const header: Header = (name) => request.headers.get(name);
  const inTab = isNavigation(header) && header('sec-fetch-dest') === 'document' && header('origin') == null;
  if (!inTab) return guardControl(request, undefined, beyondLoopback);
  return beyondLoopback ? undefined : foreignHost(header('host') ?? new URL(request.url).host);
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * The callers that may use the login provider, which lets anybody be any seeded person. On loopback, requests by a
 * loopback name may. Beyond loopback, only requests that carry the control token may. A change must not come from
 * another origin. A browser comes from other pages to read, by navigating, and has no token to send: a listener on
 * loopback asks for none.
 *
 * @returns why the request is refused, or undefined
 */
export function guardLogin(
  request: {
    readonly method?: string | undefined;
    readonly headers: NodeJS.Dict<string | string[]>;
    readonly socket?: object;
  },
  token: string | undefined,
  beyondLoopback: boolean,
): string | undefined {
  const { host, origin, authorization } = request.headers as NodeJS.Dict<string>;
  const reads = READS.has(request.method ?? '');
  const scheme = 'encrypted' in (request.socket ?? {}) ? 'https' : 'http';
  const header = (name: string) => request.headers[name]?.toString();
  return (
    (reads ? undefined : foreignOrigin(origin, `${scheme}://${host ?? ''}`)) ??
    (reads && isNavigation(header) ? undefined : foreignSite(header)) ??
    (beyondLoopback ? wrongToken(authorization, token ?? '') : foreignHost(host ?? ''))
  );
}
