import { canonicalise, type ProofFields, type ProofLayout, UnsignableField } from './canonical.js';
import type { SigningKey } from './keys.js';
import { signBytes } from './sign.js';

/** The request for a proof. `timestamp` in Unix seconds. */
export interface ProofRequest {
  readonly internId: string;
  readonly timestamp: number;
  readonly user: string;
  readonly bodySha256: string;
  /** A route adds a v2 signature, bound to `nonce`. */
  readonly route?: { readonly method: string; readonly path: string; readonly nonce: string } | undefined;
}

export interface Proof {
  readonly signature: string;
  readonly timestamp: string;
  readonly user: string;
  readonly signatureV2?: string;
  readonly nonce?: string;
}

export interface Signer {
  /** Throws {@link UnsignableField} if a field cannot be signed or carried in a header. */
  sign(request: ProofRequest): Proof;
}

/** A user that a header carries unchanged: printable ASCII without space and comma (which joins repeated headers). */
export const PROOF_USER = /^[\x21-\x2b\x2d-\x7e]{1,255}$/;

/**
 * `onSigned` receives every signature and what it was made over. So an emulator can say later what a signature that
 * does not verify was made for.
 */
export function createSigner(
  key: SigningKey,
  layout: ProofLayout,
  onSigned?: (signature: string, fields: ProofFields) => void,
): Signer {
  return {
    sign({ internId, timestamp, user, bodySha256, route }) {
      if (!PROOF_USER.test(user)) throw new UnsignableField('user', 'cannot be carried in a header');
      const v1 = { intern_id: internId, timestamp: String(timestamp), user, body_sha256: bodySha256 };
      const signature = signBytes(key.privateKey, canonicalise(layout, 'v1', v1));
      onSigned?.(signature, v1);
      const proof = { signature, timestamp: v1.timestamp, user };
      if (!route) return proof;
      // The spread comes last, here and below: in the other order V8 makes a separate shape for every object.
      const v2 = { nonce: route.nonce, method: route.method, path: route.path, ...v1 };
      const signatureV2 = signBytes(key.privateKey, canonicalise(layout, 'v2', v2));
      onSigned?.(signatureV2, v2);
      return { signatureV2, nonce: route.nonce, ...proof };
    },
  };
}
