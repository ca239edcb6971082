import { createHash, timingSafeEqual } from 'node:crypto';
import { isLoopbackHost } from '../http/hosts.js';
import type { ReceivedRequest } from '../requests/received-request.js';

const digest = (text: string) => createHash('sha256').update(text).digest();

/** The names a credential of the control interface must not be reached by, and why. */
const foreignHost = (host: string) => (isLoopbackHost(host) ? undefined : `the host ${host} is not a loopback name`);
const foreignOrigin = (origin: string | null | undefined, host: string) =>
  origin == null || origin === `http://${host}` ? undefined : `requests from the origin ${origin} are refused`;

function wrongToken(authorization: string | null | undefined, token: string): string | undefined {
  const given = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(given), digest(token)) ? undefined : 'the control token is missing or wrong';
}

/** Whether a request only asks if the emulator is up, as whoever starts it does: by whatever name, and without a token. */
export const isHealthCheck = (method: string | undefined, path: string | undefined): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  (path === '/_emulator/health' || path?.startsWith('/_emulator/health?') === true);

/** Names of the emulator that lead to the interface alone (WEB-3). */
const publicOnly = (host: string, publicHost: string | undefined) =>
  publicHost !== undefined && host === publicHost && !isLoopbackHost(host)
    ? `${host} is the public name of the interface, not of the control interface`
    : undefined;

/**
 * Who may use the control interface: it hands out credentials, so a page that a browser happens to show must not reach
 * it. An `Origin`, where the browser sends one, must be the listener's own (against drive-by requests), and the `Host` a
 * loopback name (against DNS rebinding), unless the listener is there for others too. A token, where there is one, is
 * asked for in any case. Health needs neither.
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
  const origin = request.headers.get('origin');
  if (isHealthCheck(request.method, url.pathname)) return foreignOrigin(origin, host);
  return (
    foreignOrigin(origin, host) ??
    publicOnly(host, publicHost) ??
    (beyondLoopback ? undefined : foreignHost(host)) ??
    (token === undefined ? undefined : wrongToken(request.headers.get('authorization'), token))
  );
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Who may use the login provider, which makes anybody whoever they like: on loopback what calls it by a loopback name,
 * and beyond it only what carries the control token. What changes something must not come from another origin. A browser
 * comes from other pages to read, and has no token to send: a listener on loopback asks for none.
 *
 * @returns why the request is refused, or undefined
 */
export function guardLogin(
  request: { readonly method?: string | undefined; readonly headers: NodeJS.Dict<string | string[]> },
  token: string | undefined,
  beyondLoopback: boolean,
): string | undefined {
  const { host, origin, authorization } = request.headers as NodeJS.Dict<string>;
  const reads = READS.has(request.method ?? '');
  return (
    (reads ? undefined : foreignOrigin(origin, host ?? '')) ??
    (beyondLoopback ? wrongToken(authorization, token ?? '') : foreignHost(host ?? ''))
  );
}
