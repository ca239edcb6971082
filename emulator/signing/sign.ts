import { type KeyObject, sign } from 'node:crypto';

/** Signs with Ed25519 (RFC 8032): standard Base64, padded, 88 characters. */
export function signBytes(privateKey: KeyObject, bytes: Uint8Array): string {
  return sign(null, bytes, privateKey).toString('base64');
}
