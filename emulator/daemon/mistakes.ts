import { hash } from 'node:crypto';
import { canonicalise, type ProofFields, type ProofLayout, type ProofVersion } from '../signing/canonical.js';

/** A way to get the signed bytes wrong although every value is right. */
export interface Mistake {
  readonly name: string;
  readonly description: string;
  bytes(layout: ProofLayout, version: ProofVersion, fields: ProofFields): Buffer;
}

const values = (layout: ProofLayout, version: ProofVersion, fields: ProofFields) =>
  layout[version].map((field) => fields[field] ?? '');

const joined = (layout: ProofLayout, version: ProofVersion, fields: ProofFields, separator = layout.separator) =>
  Buffer.from(values(layout, version, fields).join(separator), 'utf8');

/** Known mistakes of implementations. The signing lab makes them on request, and recognizes them. */
export const MISTAKES: readonly Mistake[] = [
  {
    name: 'trailing_newline',
    description: 'the bytes end in a newline; nothing follows the last field',
    bytes: (layout, version, fields) => Buffer.concat([canonicalise(layout, version, fields), Buffer.from('\n')]),
  },
  {
    name: 'crlf',
    description: 'the fields are joined by CR LF',
    bytes: (layout, version, fields) => joined(layout, version, fields, '\r\n'),
  },
  {
    name: 'no_separator',
    description: 'the fields are joined by nothing',
    bytes: (layout, version, fields) => joined(layout, version, fields, ''),
  },
  {
    name: 'space_separator',
    description: 'the fields are joined by spaces',
    bytes: (layout, version, fields) => joined(layout, version, fields, ' '),
  },
  {
    name: 'swapped_fields',
    description: 'timestamp and user stand in each other’s place',
    bytes: (layout, version, fields) =>
      canonicalise(layout, version, {
        ...fields,
        ...(fields.user !== undefined && { timestamp: fields.user }),
        ...(fields.timestamp !== undefined && { user: fields.timestamp }),
      }),
  },
  {
    name: 'uppercase_digest',
    description: 'the digest is in upper-case hexadecimal',
    bytes: (layout, version, fields) =>
      canonicalise(layout, version, { ...fields, body_sha256: (fields.body_sha256 ?? '').toUpperCase() }),
  },
  {
    name: 'base64_digest',
    description: 'the digest is in Base64 instead of hexadecimal',
    bytes: (layout, version, fields) =>
      canonicalise(layout, version, {
        ...fields,
        body_sha256: Buffer.from(fields.body_sha256 ?? '', 'hex').toString('base64'),
      }),
  },
  {
    name: 'raw_digest',
    description: 'the digest is 32 raw bytes instead of hexadecimal',
    bytes: (layout, version, fields) =>
      Buffer.concat(
        layout[version].flatMap((field, index) => [
          Buffer.from(index === 0 ? '' : layout.separator),
          Buffer.from(fields[field] ?? '', field === 'body_sha256' ? 'hex' : 'utf8'),
        ]),
      ),
  },
  {
    name: 'json',
    description: 'the fields are signed as a JSON array',
    bytes: (layout, version, fields) => Buffer.from(JSON.stringify(values(layout, version, fields))),
  },
  {
    name: 'hashed_first',
    description: 'what is signed is the SHA-256 of the bytes instead of the bytes',
    bytes: (layout, version, fields) => hash('sha256', canonicalise(layout, version, fields), 'buffer'),
  },
];

/** The other version, whose bytes may have been signed by mistake. */
export const otherVersion = (version: ProofVersion): ProofVersion => (version === 'v1' ? 'v2' : 'v1');
