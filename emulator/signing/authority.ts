import { createPublicKey, hash, type KeyObject, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { newP256Key } from './new-key.js';

// Node makes keys, but no certificates. The packages that do weigh 350 kB and more, four times what this package has
// left; two certificates of one form take this little DER (RFC 5280 4.1).

const tlv = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const { length } = body;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), body]);
};
const sequence = (...parts: readonly Uint8Array[]) => tlv(0x30, ...parts);
const octets = (part: Uint8Array) => tlv(0x04, part);
const bits = (part: Uint8Array) => tlv(0x03, Buffer.from([0]), part);
const integer = (bytes: Uint8Array) => tlv(0x02, bytes);
const oid = (hex: string) => tlv(0x06, Buffer.from(hex, 'hex'));
const TRUE = Buffer.from('0101ff', 'hex');

const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'));
const named = (name: string) => sequence(tlv(0x31, sequence(oid('550403'), tlv(0x0c, Buffer.from(name)))));
const time = (at: number) =>
  tlv(
    0x17,
    Buffer.from(
      `${new Date(at)
        .toISOString()
        .replaceAll(/[-:T]|\.\d+/g, '')
        .slice(2, 14)}Z`,
    ),
  );
const extension = (id: string, critical: boolean, value: Uint8Array) =>
  sequence(oid(id), ...(critical ? [TRUE] : []), octets(value));

/** Key usage: keyCertSign. */
const SIGNS = Buffer.from('03020204', 'hex');
const AUTHORITY = [extension('551d13', true, sequence(TRUE)), extension('551d0f', true, SIGNS)];
/** The 16 bytes of an IPv6 address. */
function ipv6(address: string): Buffer {
  const [, plain = ''] = /^\[(.*)\]$/.exec(new URL(`http://[${address}]`).hostname) ?? [];
  const [head = [], tail = []] = plain.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
const alternative = (name: string): Buffer => {
  const version = isIP(name);
  if (version === 0) return tlv(0x82, Buffer.from(name));
  return tlv(0x87, version === 4 ? Buffer.from(name.split('.').map(Number)) : ipv6(name));
};
const serverNamed = (names: readonly string[]) => [extension('551d11', false, sequence(...names.map(alternative)))];

/** Names of this machine that every certificate is for. */
const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

const DAY = 86_400_000;
/** ms after now for which a certificate holds. */
const LIFE = 90 * DAY;

interface Party {
  readonly name: string;
  readonly key: KeyObject;
}

const pem = (label: string, der: Uint8Array): string =>
  `-----BEGIN ${label}-----\n${(
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  ).join('\n')}\n-----END ${label}-----\n`;

function certificate(subject: Party, issuer: Party, extensions: readonly Uint8Array[], now: number): string {
  const key = createPublicKey(subject.key).export({ type: 'spki', format: 'der' });
  const idOf = (party: Party) =>
    hash('sha1', createPublicKey(party.key).export({ type: 'spki', format: 'der' }), 'buffer');
  const body = sequence(
    tlv(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), idOf(subject).subarray(0, 8)])),
    ECDSA_SHA256,
    named(issuer.name),
    sequence(time(now - DAY), time(now + LIFE)),
    named(subject.name),
    key,
    tlv(
      0xa3,
      sequence(
        ...extensions,
        extension('551d0e', false, octets(idOf(subject))),
        extension('551d23', false, sequence(tlv(0x80, idOf(issuer)))),
      ),
    ),
  );
  return pem('CERTIFICATE', sequence(body, ECDSA_SHA256, bits(sign('sha256', body, issuer.key))));
}

/** The files of a TLS server, and the authority that its clients must trust. All of it is PEM. */
export interface Authority {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/**
 * An authority of its own and a certificate for this machine and `names` (hosts and addresses), for 90 days from `now`
 * on (LAB-17). Nobody keeps the key of the authority: it signs nothing else.
 */
export function createAuthority(now: number, names: readonly string[] = []): Authority {
  const party = (name: string): Party => ({ name, key: newP256Key() });
  const authority = party('Authority of intern-emulator');
  const server = party('intern-emulator');
  return {
    ca: certificate(authority, authority, AUTHORITY, now),
    cert: certificate(server, authority, serverNamed([...new Set([...LOOPBACK, ...names])]), now),
    key: server.key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
