import { createPrivateKey, generateKeyPair, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

const ENCODINGS = {
  publicKeyEncoding: { type: 'spki', format: 'der' },
  privateKeyEncoding: { type: 'pkcs8', format: 'der', cipher: undefined, passphrase: undefined },
} as const;

/**
 * A private key of its own, by the encoding of one that was generated. Node 20 waits for ever where the job that has generated
 * a key is collected while that key is exported: both lock it.
 */
const ofItsOwn = (key: Buffer): KeyObject => createPrivateKey({ key, type: 'pkcs8', format: 'der' });

export const newEd25519Key = (): KeyObject => ofItsOwn(generateKeyPairSync('ed25519', ENCODINGS).privateKey);

export const newP256Key = (): KeyObject =>
  ofItsOwn(generateKeyPairSync('ec', { namedCurve: 'P-256', ...ENCODINGS }).privateKey);

export const newRsaKey = async (): Promise<KeyObject> =>
  ofItsOwn((await promisify(generateKeyPair)('rsa', { modulusLength: 2_048, ...ENCODINGS })).privateKey);
