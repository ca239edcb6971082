import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import { hostDelay } from '../clock/host.js';
import { grantOf, type LoginDeps, type LoginToken } from './terms.js';

/** Accepted signature algorithms: asymmetric ones, which an issuer's published keys can verify. */
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

/** Header types that access tokens have: RFC 9068's, and that of issuers that do not say what a token is for. */
const ACCESS_TOKEN = new Set(['at+jwt', 'application/at+jwt']);
const UNSAID = new Set(['', 'jwt', 'application/jwt']);

/** Claims that only ID tokens (OpenID Connect Core) and logout tokens (Back-Channel Logout) have. */
const NOT_OF_ACCESS_TOKENS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events'];

/** Why a signed token of the issuer is not an access token; undefined if it is one. */
function notAccessToken(type: string, payload: JWTPayload): string | undefined {
  if (ACCESS_TOKEN.has(type)) return undefined;
  if (!UNSAID.has(type)) return `its typ is ${type}`;
  const claim = NOT_OF_ACCESS_TOKENS.find((name) => payload[name] !== undefined);
  if (claim !== undefined) return `it has the claim ${claim}`;
  // Keycloak and Cognito say in a claim what the header does not.
  if (payload.typ !== undefined && !/^(bearer|at\+jwt)$/i.test(String(payload.typ)))
    return `its claim typ is ${payload.typ}`;
  if (payload.token_use !== undefined && payload.token_use !== 'access') return `its token_use is ${payload.token_use}`;
  return undefined;
}

async function findKeys(issuer: string, timeout: number): Promise<URL> {
  const discovery = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  // The timer holds the controller: a signal that only a request holds is collected, and never aborts (Node 20).
  const late = new AbortController();
  void hostDelay(timeout).then(() => late.abort(new Error(`${discovery} did not answer in ${timeout} ms`)));
  const response = await fetch(discovery, { headers: { accept: 'application/json' }, signal: late.signal });
  if (!response.ok) throw new Error(`${discovery} answered ${response.status}`);
  const metadata = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown };
  if (metadata.issuer !== issuer) throw new Error(`${discovery} is of the issuer ${String(metadata.issuer)}`);
  if (typeof metadata.jwks_uri !== 'string') throw new Error(`${discovery} names no jwks_uri`);
  return new URL(metadata.jwks_uri);
}

/**
 * Accepts JWT access tokens of an outside issuer: signed by one of its published keys, issued by it, not expired on the
 * emulator's clock, with a `sub` that is the OAuth subject of a seeded person and the scope `interns`; for the
 * configured audience, if there is one. With `vault:read` among its scopes the grant is full. ID and logout tokens are
 * signed with the same keys, and are refused.
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
      const { payload, protectedHeader } = await jwtVerify(token, await load(), {
        issuer,
        algorithms: ALGORITHMS,
        currentDate: new Date(deps.clock.now()),
        requiredClaims: ['sub', 'exp'],
        ...(deps.outsideAudience === undefined ? {} : { audience: deps.outsideAudience }),
      });
      const problem = notAccessToken((protectedHeader.typ ?? '').toLowerCase(), payload);
      if (problem !== undefined) throw new errors.JWTInvalid(`not an access token: ${problem}`);
      const grant = grantOf(scopesOf(payload));
      if (grant === undefined) throw new errors.JWTInvalid('its scope has no interns');
      const member = deps.members.find((candidate) => candidate.oauth_subject === payload.sub);
      if (!member) throw new errors.JWTInvalid('its sub is nobody of the seed');
      return { member, grant };
    } catch (error) {
      // An unreachable issuer is asked again with the next token.
      if (!(error instanceof errors.JOSEError)) keys = undefined;
      deps.log?.({ event: 'login_refused', issuer, error: error instanceof Error ? error.message : String(error) });
      return undefined;
    }
  };
}
