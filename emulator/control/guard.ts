import { createHash, timingSafeEqual } from 'node:crypto';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

const digest = (text: string) => createHash('sha256').update(text).digest();

/**
 * Who may use the control interface: it hands out credentials, so a page that a browser happens to show must not reach
 * it. Without a token, the `Host` must be a loopback name (against DNS rebinding) and an `Origin`, where the browser
 * sends one, the listener's own (against drive-by requests). With a token, the token decides.
 *
 * @returns why the request is refused, or undefined
 */
export function guardControl(request: Request, token: string | undefined): string | undefined {
  const host = request.headers.get('host') ?? new URL(request.url).host;
  const origin = request.headers.get('origin');
  if (origin !== null && origin !== `http://${host}`) return `requests from the origin ${origin} are refused`;
  if (token !== undefined) {
    const given = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
    return timingSafeEqual(digest(given), digest(token)) ? undefined : 'the control token is missing or wrong';
  }
  return LOOPBACK.test(host) ? undefined : `the host ${host} is not a loopback name`;
}
