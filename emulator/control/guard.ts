import { createHash, timingSafeEqual } from 'node:crypto';
import { isLoopbackHost } from '../http/hosts.js';

const digest = (text: string) => createHash('sha256').update(text).digest();

/**
 * Who may use the control interface: it hands out credentials, so a page that a browser happens to show must not reach
 * it. An `Origin`, where the browser sends one, must be the listener's own (against drive-by requests), and the `Host` a
 * loopback name (against DNS rebinding), unless the listener is there for others too. A token, where there is one, is
 * asked for in any case.
 *
 * @returns why the request is refused, or undefined
 */
export function guardControl(request: Request, token: string | undefined, beyondLoopback: boolean): string | undefined {
  const host = request.headers.get('host') ?? new URL(request.url).host;
  const origin = request.headers.get('origin');
  if (origin !== null && origin !== `http://${host}`) return `requests from the origin ${origin} are refused`;
  if (!beyondLoopback && !isLoopbackHost(host)) return `the host ${host} is not a loopback name`;
  if (token === undefined) return undefined;
  const given = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(given), digest(token)) ? undefined : 'the control token is missing or wrong';
}
