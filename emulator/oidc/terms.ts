import type { Clock } from '../clock/clock.js';
import type { Random } from '../clock/random.js';
import type { Member } from '../contract/seed.js';

export const LOGIN_PATH = '/oidc';

const FETCHED = [
  '/token',
  '/jwks',
  '/me',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
];

/** Whether a path is one that pages call by `fetch`: token, keys, userinfo, discovery (WEB-1). */
export const isFetchedByPages = (path: string): boolean =>
  FETCHED.some((own) => path === LOGIN_PATH + own || path.startsWith(`${LOGIN_PATH}${own}?`));

/** The person of a token from a login, and its grant (AUTH-7, AUTH-8). */
export interface LoginToken {
  readonly member: Member;
  /** `full` carries `vault:read`, `interns` does not. */
  readonly grant: 'full' | 'interns';
}

/** The grant of a token's scopes: none without `interns`, whatever else is among them (AUTH-8, AUTH-10). */
export function grantOf(scopes: readonly string[]): LoginToken['grant'] | undefined {
  if (!scopes.includes('interns')) return undefined;
  return scopes.includes('vault:read') ? 'full' : 'interns';
}

export interface LoginDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Pick<Random, 'bytes'>;
  readonly members: readonly Member[];
  /** The beginning of its paths before {@link LOGIN_PATH}, taken off the requests that come here. */
  readonly prefix?: string;
  /** The address of the local provider, without a slash at the end: `http://127.0.0.1:4683/oidc`. */
  issuer(): string;
  /** Another issuer whose access tokens (JWT) are trusted; there is no local provider then. */
  readonly outsideIssuer?: string | undefined;
  /** The audience that its tokens must have; any by default. */
  readonly outsideAudience?: string | undefined;
  readonly log?: ((record: { event: string; [detail: string]: unknown }) => void) | undefined;
}
