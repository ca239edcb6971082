import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import type { LoginDeps, LoginToken } from './terms.js';

/** Signature algorithms taken: asymmetric ones, as an issuer's published keys can verify. */
const ALGORITHMS = [
  'EdDSA',
  'Ed25519',
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
];

/** The scopes of a token: `scope` as a string (RFC 9068), or `scp` as some issuers have it. */
function scopesOf(payload: JWTPayload): string[] {
  const claim = payload.scope ?? payload.scp;
  if (Array.isArray(claim)) return claim.filter((scope) => typeof scope === 'string');
  return typeof claim === 'string' ? claim.split(' ') : [];
}

async function findKeys(issuer: string, timeout: number): Promise<URL> {
  const discovery = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await fetch(discovery, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(timeout),
  });
  if (!response.ok) throw new Error(`${discovery} answered ${response.status}`);
  const metadata = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown };
  if (metadata.issuer !== issuer) throw new Error(`${discovery} is of the issuer ${String(metadata.issuer)}`);
  if (typeof metadata.jwks_uri !== 'string') throw new Error(`${discovery} names no jwks_uri`);
  return new URL(metadata.jwks_uri);
}

/**
 * Takes JWT access tokens of an outside issuer: signed by one of its published keys, issued by it, not expired on the
 * emulator's clock, with a `sub` that is the OAuth subject of a seeded person. The audience isn't looked at: which one
 * the service has is the issuer's configuration. With `vault:read` among its scopes the grant is full.
 *
 * @param timeout how long the issuer may take to answer, in ms of the host's time: callers wait for it
 */
export function createOutside(deps: LoginDeps, issuer: string, timeout = 5_000) {
  let keys: Promise<ReturnType<typeof createRemoteJWKSet>> | undefined;
  const load = () => {
    keys ??= findKeys(issuer, timeout).then((url) => createRemoteJWKSet(url, { timeoutDuration: timeout }));
    return keys;
  };

  return async (token: string): Promise<LoginToken | undefined> => {
    try {
      const { payload } = await jwtVerify(token, await load(), {
        issuer,
        algorithms: ALGORITHMS,
        currentDate: new Date(deps.clock.now()),
        requiredClaims: ['sub', 'exp'],
      });
      const member = deps.members.find((candidate) => candidate.oauth_subject === payload.sub);
      if (!member) return undefined;
      return { member, grant: scopesOf(payload).includes('vault:read') ? 'full' : 'interns' };
    } catch (error) {
      // An issuer that can't be reached is asked again with the next token.
      if (!(error instanceof errors.JOSEError)) keys = undefined;
      deps.log?.({ event: 'login_refused', issuer, error: error instanceof Error ? error.message : String(error) });
      return undefined;
    }
  };
}
