import type { ExplainField, ExplainSignature, SignedBytes } from '../contract/signing-lab.js';
import {
  canonicalise,
  type ProofFieldName,
  type ProofFields,
  type ProofLayout,
  type ProofVersion,
} from '../signing/canonical.js';
import { decodeSignature, type VerifyKey, verifyBytes } from '../signing/verify.js';
import { diagnose, type Suspects } from './diagnose.js';
import type { Issued } from './issued.js';
import { MISTAKES, otherVersion } from './mistakes.js';

export interface ExplainSignatureDeps {
  readonly key: VerifyKey;
  readonly layout: ProofLayout;
  readonly issued: Issued;
}

/** The input of a signature: bytes, the values if known, and the mistake if it is a known one. */
interface SignedOver {
  readonly bytes: Buffer;
  readonly fields?: ProofFields;
  readonly how: 'issued' | 'tried';
  readonly mistake?: string;
}

const show = (bytes: Buffer): SignedBytes => ({
  text: bytes.toString('utf8'),
  hex: bytes.toString('hex'),
  length: bytes.length,
});

const tryBytes = (make: () => Buffer): Buffer | undefined => {
  try {
    return make();
  } catch {
    return undefined;
  }
};

function* mistaken(layout: ProofLayout, version: ProofVersion, expected: ProofFields): Generator<SignedOver> {
  const other = otherVersion(version);
  const swapped = tryBytes(() => canonicalise(layout, other, expected));
  if (swapped) {
    const mistake = `it is the ${other} signature, under the name of ${version}`;
    yield { bytes: swapped, fields: expected, how: 'tried', mistake };
  }
  for (const { description, bytes: make } of MISTAKES) {
    const bytes = tryBytes(() => make(layout, version, expected));
    if (bytes) yield { bytes, how: 'tried', mistake: description };
  }
}

/** Finds the signed bytes of a wrong signature: with another value of a field, or with a known mistake. */
function find(
  deps: ExplainSignatureDeps,
  version: ProofVersion,
  signature: string,
  expected: ProofFields,
  suspects: Suspects,
): SignedOver | undefined {
  const { key, layout } = deps;
  const made = diagnose(deps, version, signature, expected, suspects);
  if (made) return { bytes: canonicalise(layout, version, made.fields), fields: made.fields, how: made.source };
  const decoded = decodeSignature(signature);
  if (!decoded) return undefined;
  for (const found of mistaken(layout, version, expected)) if (verifyBytes(key, found.bytes, decoded)) return found;
  const known = deps.issued.get(signature);
  const other = otherVersion(version);
  const bytes = known && tryBytes(() => canonicalise(layout, other, known));
  if (bytes && verifyBytes(key, bytes, decoded)) {
    return { bytes, fields: known, how: 'issued', mistake: `it is a ${other} signature, under the name of ${version}` };
  }
  return undefined;
}

/** The field of the layout that a byte of the canonical bytes lies in; a separator counts to the field before it. */
function fieldAt(layout: ProofLayout, version: ProofVersion, fields: ProofFields, index: number): string | null {
  let end = 0;
  for (const name of layout[version]) {
    end += Buffer.byteLength(fields[name] ?? '') + Buffer.byteLength(layout.separator);
    if (index < end) return name;
  }
  return layout[version].at(-1) ?? null;
}

const hex = (bytes: Buffer, index: number) =>
  index < bytes.length ? bytes.subarray(index, index + 1).toString('hex') : null;

function firstDifference(
  layout: ProofLayout,
  version: ProofVersion,
  fields: ProofFields,
  expected: Buffer,
  found: Buffer,
): ExplainSignature['first_difference'] {
  const longest = Math.max(expected.length, found.length);
  for (let index = 0; index < longest; index++) {
    if (expected[index] === found[index]) continue;
    return {
      index,
      expected: hex(expected, index),
      found: hex(found, index),
      field: fieldAt(layout, version, fields, index),
    };
  }
  return null;
}

/** Explains a signature: the bytes to sign, the signed bytes if they can be found, and the first difference. */
export function explainSignature(
  deps: ExplainSignatureDeps,
  version: ProofVersion,
  header: string,
  signature: string,
  expectedFields: ProofFields,
  from: (field: ProofFieldName) => string,
  suspects: Suspects,
): ExplainSignature {
  const { key, layout } = deps;
  const expected = tryBytes(() => canonicalise(layout, version, expectedFields));
  const decoded = decodeSignature(signature);
  const verifies = expected !== undefined && decoded !== undefined && verifyBytes(key, expected, decoded);
  const found = verifies ? undefined : find(deps, version, signature, expectedFields, suspects);
  const signedFields = verifies ? expectedFields : found?.mistake === undefined ? found?.fields : undefined;
  const fields = layout[version].map((name): ExplainField => {
    const value = expectedFields[name] ?? null;
    const signed = signedFields ? (signedFields[name] ?? null) : null;
    return { name, from: from(name), expected: value, signed, same: signedFields ? value === signed : null };
  });
  const wrong = fields.filter((field) => field.same === false).map((field) => field.name);
  const problem = verifies
    ? null
    : (found?.mistake ??
      (wrong.length > 0
        ? `it was made for another ${wrong.join(', ')}`
        : 'it was made with another key or over bytes that could not be guessed'));
  return {
    version,
    header,
    verifies,
    expected: expected ? show(expected) : null,
    found: found ? { ...show(found.bytes), how: found.how, mistake: found.mistake ?? null } : null,
    first_difference:
      expected && found ? firstDifference(layout, version, expectedFields, expected, found.bytes) : null,
    fields,
    problem,
  };
}
