/**
 * The versions of a proof. v1 names no route and may be used again within the window. v2 names one and is accepted
 * once.
 */
export type ProofVersion = 'v1' | 'v2';

/** A field that a layout may name. */
export type ProofFieldName = 'intern_id' | 'timestamp' | 'nonce' | 'user' | 'method' | 'path' | 'body_sha256';

/** The signed fields of a proof. The layout decides which fields are signed, and in which order. */
export type ProofFields = Partial<Record<ProofFieldName, string>>;

/** The layout of the signed bytes (a profile's `proof_layout`). */
export interface ProofLayout {
  readonly separator: string;
  readonly v1: readonly ProofFieldName[];
  readonly v2: readonly ProofFieldName[];
}

/** A field that cannot be signed without making the bytes ambiguous. `field` names it. */
export class UnsignableField extends Error {
  override readonly name = 'UnsignableField';
  constructor(
    readonly field: ProofFieldName,
    problem: string,
  ) {
    super(`${field} ${problem}`);
  }
}

/** Control characters (Cc), and halves of a surrogate pair, which UTF-8 cannot carry. */
const UNSIGNABLE = /[\p{Cc}\p{Surrogate}]/u;
const CONTROL = /\p{Cc}/u;

/**
 * The bytes that a proof signs: the layout's fields in its order, as UTF-8, joined by its separator, with nothing after
 * the last (SIGN-4). Throws {@link UnsignableField} for a field that is missing, empty, holds a control character or
 * the separator, or is not well-formed Unicode. So two different proofs never have the same bytes.
 */
export function canonicalise(layout: ProofLayout, version: ProofVersion, fields: ProofFields): Buffer {
  const parts = layout[version].map((field) => {
    const value = fields[field];
    if (value === undefined || value === '') throw new UnsignableField(field, 'is missing');
    if (UNSIGNABLE.test(value)) {
      throw new UnsignableField(
        field,
        CONTROL.test(value) ? 'holds a control character' : 'is not well-formed Unicode',
      );
    }
    if (layout.separator !== '' && value.includes(layout.separator)) {
      throw new UnsignableField(field, 'holds the separator of the layout');
    }
    return value;
  });
  return Buffer.from(parts.join(layout.separator), 'utf8');
}
