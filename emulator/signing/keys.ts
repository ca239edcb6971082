import { createPrivateKey, createPublicKey, hash, type KeyObject } from 'node:crypto';
import { newEd25519Key } from './new-key.js';
import { importPublicKey, type VerifyKey } from './verify.js';

/**
 * A public Ed25519 key as a JWK (RFC 8037).
 *
 * @internal
 */
export interface SigningJwk {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
  /** RFC 7638 thumbprint. */
  kid: string;
  alg: 'EdDSA';
  use: 'sig';
}

/**
 * A pair to sign proofs with.
 *
 * @internal
 */
export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly publicKey: VerifyKey;
  readonly jwk: SigningJwk;
  /** The private key as PKCS #8 PEM, as a store keeps it. */
  readonly pem: string;
}

/** A key that cannot be used; the message says why. */
export class UnusableKey extends Error {
  override readonly name = 'UnusableKey';
}

/**
 * The public JWK of a raw public key.
 *
 * @internal
 */
export function publicJwk(raw: Uint8Array): SigningJwk {
  const x = Buffer.from(raw).toString('base64url');
  // RFC 7638: the required members in lexicographic order, without white space.
  const kid = hash('sha256', `{"crv":"Ed25519","kty":"OKP","x":"${x}"}`, 'base64url');
  return { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' };
}

const rawPublic = (key: KeyObject): Buffer => {
  if (key.asymmetricKeyType !== 'ed25519') {
    throw new UnusableKey(`expected an Ed25519 key, got ${key.asymmetricKeyType ?? key.type}`);
  }
  return Buffer.from(String(key.export({ format: 'jwk' }).x), 'base64url');
};

function describe(privateKey: KeyObject): SigningKey {
  const raw = rawPublic(createPublicKey(privateKey));
  const publicKey = importPublicKey(raw);
  if (!publicKey) throw new UnusableKey('the public key is of small order');
  return {
    privateKey,
    publicKey,
    jwk: publicJwk(raw),
    get pem() {
      return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    },
  };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function parseJwk(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UnusableKey('the key is neither PEM nor JSON');
  }
  const jwk = isObject(value) && Array.isArray(value.keys) ? value.keys[0] : value;
  if (!isObject(jwk)) throw new UnusableKey('the key is not a JWK');
  if (jwk.kty !== 'OKP' || jwk.crv !== 'Ed25519') {
    throw new UnusableKey('expected a JWK with kty "OKP" and crv "Ed25519"');
  }
  return jwk;
}

const is32Bytes = (value: unknown): value is string =>
  typeof value === 'string' && Buffer.from(value, 'base64url').length === 32;

/** The bytes before the secret in the PKCS #8 form of an Ed25519 key (RFC 8410, section 7). */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * The pair of a 32-byte secret.
 *
 * @internal
 */
export function signingKeyFromSecret(secret: Uint8Array): SigningKey {
  if (secret.length !== 32) throw new UnusableKey(`an Ed25519 secret has 32 bytes, got ${secret.length}`);
  // Not a JWK, which must say `x` too: from 24.22.3 on Node refuses one whose `x` is not that of `d`.
  const key = Buffer.concat([PKCS8_ED25519, secret]);
  return describe(createPrivateKey({ key, format: 'der', type: 'pkcs8' }));
}

/** Whether a text is a key, PEM or JWK, and not the name of a file with one. */
export const isKeyText = (text: string): boolean => /^\s*(\{|-----BEGIN)/.test(text);

/**
 * Reads a private Ed25519 key: PKCS #8 PEM, or a JWK. Throws {@link UnusableKey}.
 *
 * @internal
 */
export function readPrivateKey(text: string): SigningKey {
  const trimmed = text.trim();
  if (trimmed.startsWith('-----BEGIN')) {
    if (trimmed.includes('PUBLIC KEY')) throw new UnusableKey('a private key is required, this one is public');
    try {
      return describe(createPrivateKey(trimmed));
    } catch (cause) {
      if (cause instanceof UnusableKey) throw cause;
      throw new UnusableKey('the PEM cannot be read as an unencrypted private key', { cause });
    }
  }
  const jwk = parseJwk(trimmed);
  if (jwk.d === undefined) throw new UnusableKey('a private key is required: the JWK has no "d"');
  if (!is32Bytes(jwk.d)) throw new UnusableKey('the "d" of the JWK is not 32 bytes of Base64url');
  const key = signingKeyFromSecret(Buffer.from(jwk.d, 'base64url'));
  if (jwk.x !== undefined && jwk.x !== key.jwk.x)
    throw new UnusableKey('"x" and "d" of the JWK do not belong together');
  return key;
}

/**
 * Reads a public Ed25519 key: SPKI PEM, a JWK, or a JWK set (its first key). Throws {@link UnusableKey}.
 *
 * @internal
 */
export function readPublicKey(text: string): VerifyKey {
  const trimmed = text.trim();
  let raw: Buffer;
  if (trimmed.startsWith('-----BEGIN')) {
    try {
      raw = rawPublic(createPublicKey(trimmed));
    } catch (cause) {
      if (cause instanceof UnusableKey) throw cause;
      throw new UnusableKey('the PEM cannot be read as a key', { cause });
    }
  } else {
    const jwk = parseJwk(trimmed);
    if (!is32Bytes(jwk.x)) throw new UnusableKey('the "x" of the JWK is not 32 bytes of Base64url');
    raw = Buffer.from(jwk.x, 'base64url');
  }
  const key = importPublicKey(raw);
  if (!key) throw new UnusableKey('the public key is not a point, not canonical, or of small order');
  return key;
}

/** A key that always can be made, made when it is first used: making it takes longer than the rest of an emulator. */
function whenUsed(make: () => SigningKey): SigningKey {
  let made: SigningKey | undefined;
  const key = () => {
    made ??= make();
    return made;
  };
  return {
    get privateKey() {
      return key().privateKey;
    },
    get publicKey() {
      return key().publicKey;
    },
    get jwk() {
      return key().jwk;
    },
    get pem() {
      return key().pem;
    },
  };
}

/**
 * The key of an emulator: as given (PEM or JWK text), else derived from the seed, else as the store kept it (PEM), else
 * a new one. Throws {@link UnusableKey}.
 *
 * @internal
 */
export function loadSigningKey(from: { given?: string; seed?: string; stored?: string }): SigningKey {
  if (from.given !== undefined) return readPrivateKey(from.given);
  if (from.seed !== undefined) {
    const secret = hash('sha256', `intern-emulator signing key\n${from.seed}`, 'buffer');
    return whenUsed(() => signingKeyFromSecret(secret));
  }
  if (from.stored !== undefined) return readPrivateKey(from.stored);
  return whenUsed(() => describe(newEd25519Key()));
}
