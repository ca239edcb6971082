import { generateKeyPairSync, sign } from 'node:crypto';

/** One value of ASN.1 in DER. */
function der(tag: number, ...parts: (Uint8Array | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const size = body.length.toString(16);
  const bytes = Buffer.from(size.padStart(size.length + (size.length % 2), '0'), 'hex');
  return Buffer.concat([
    Buffer.from([tag, ...(body.length < 0x80 ? [body.length] : [0x80 + bytes.length, ...bytes])]),
    body,
  ]);
}

const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const oid = (...bytes: number[]) => der(0x06, Uint8Array.from(bytes));
const utc = (at: number) => der(0x17, `${new Date(at).toISOString().slice(2, 19).replace(/\D/g, '')}Z`);

const ECDSA_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const COMMON_NAME = oid(0x55, 0x04, 0x03);
const SUBJECT_ALT_NAME = oid(0x55, 0x1d, 0x11);
const YEAR = 365 * 24 * 3_600_000;

/** A certificate that vouches for itself, for one DNS name, as it stands on the day of `now`; and its key. */
export function selfSigned(name: string, now: number): { readonly key: string; readonly cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const who = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, name))));
  const names = sequence(SUBJECT_ALT_NAME, der(0x04, sequence(der(0x82, name))));
  const body = sequence(
    der(0xa0, der(0x02, Uint8Array.of(2))),
    der(0x02, Uint8Array.of(1)),
    ECDSA_SHA256,
    who,
    sequence(utc(now - YEAR), utc(now + YEAR)),
    who,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(names)),
  );
  const signature = sign('sha256', body, privateKey);
  const whole = sequence(body, ECDSA_SHA256, der(0x03, Uint8Array.of(0), signature)).toString('base64');
  const lines = whole.match(/.{1,64}/g)?.join('\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}
