import { hash } from 'node:crypto';
import type { DaemonHint } from '../contract/daemon.js';
import type { ProofFieldName, ProofFields, ProofLayout, ProofVersion } from '../signing/canonical.js';
import type { VerifyKey } from '../signing/verify.js';
import type { Issued } from './issued.js';
import { verifySignature } from './verify-proof.js';

/** Inputs for finding what else a signature might have been made for. */
export interface Suspects {
  readonly internIds: Iterable<string>;
  readonly users: Iterable<string>;
  /** The body, if available. */
  readonly body?: Uint8Array;
  /** The query of the request, with its question mark; empty without one. */
  readonly search?: string;
}

/** The fields that a wrong signature was made over. */
export interface Made {
  readonly fields: ProofFields;
  /** Known from having signed it, or found by trying. */
  readonly source: 'issued' | 'tried';
  /** The signed fields that have another value than the request. */
  readonly differing: ProofFieldName[];
}

const HINTS: readonly (readonly [DaemonHint, readonly ProofFieldName[]])[] = [
  ['wrong_intern', ['intern_id']],
  ['user_mismatch', ['user']],
  ['digest_mismatch', ['body_sha256']],
  ['route_mismatch', ['method', 'path']],
];

/** The hint for fields that differ, if there is one. */
export const hintOf = (differing: readonly ProofFieldName[]): DaemonHint | undefined =>
  HINTS.find(([, fields]) => fields.some((field) => differing.includes(field)))?.[0];

const sha256 = (bytes: Uint8Array | string) => hash('sha256', bytes, 'hex');

/** How many other interns and users are tried: a refusal stays cheap however many there are. */
const MOST_SUSPECTS = 32;
const LARGEST_BODY_TO_RESHAPE = 65_536;

function* otherDigests(body: Uint8Array): Generator<string> {
  yield sha256('');
  if (body.length > LARGEST_BODY_TO_RESHAPE) return;
  const text = Buffer.from(body).toString('utf8');
  yield sha256(`${text}\n`);
  yield sha256(text.trim());
  try {
    const value: unknown = JSON.parse(text);
    yield sha256(JSON.stringify(value));
    yield sha256(JSON.stringify(value, null, 2));
  } catch {
    // Not JSON: nothing to write differently.
  }
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

function* otherRoutes({ method = '', path = '' }: ProofFields, search: string): Generator<ProofFields> {
  for (const other of [...METHODS, method.toLowerCase()]) yield { method: other };
  if (search !== '') yield { path: path + search };
  yield { path: path.endsWith('/') ? path.slice(0, -1) : `${path}/` };
  try {
    const decoded = decodeURIComponent(path);
    if (decoded !== path) yield { path: decoded };
  } catch {
    // Not percent-encoded: nothing to decode.
  }
}

function* variations(version: ProofVersion, expected: ProofFields, suspects: Suspects): Generator<ProofFields> {
  let count = 0;
  for (const intern_id of suspects.internIds) if (count++ < MOST_SUSPECTS) yield { intern_id };
  count = 0;
  for (const user of suspects.users) if (count++ < MOST_SUSPECTS) yield { user };
  if (suspects.body) for (const body_sha256 of otherDigests(suspects.body)) yield { body_sha256 };
  if (version === 'v2') yield* otherRoutes(expected, suspects.search ?? '');
}

const differs = (layout: readonly ProofFieldName[], made: ProofFields, expected: ProofFields) =>
  layout.filter((field) => made[field] !== expected[field]);

/**
 * Finds out what a signature that does not verify over `expected` was made over: by remembering, or by trying values
 * that clients are known to use by mistake, one field at a time.
 */
export function diagnose(
  deps: { key: VerifyKey; layout: ProofLayout; issued: Issued },
  version: ProofVersion,
  signature: string,
  expected: ProofFields,
  suspects: Suspects,
): Made | undefined {
  const layout = deps.layout[version];
  const known = deps.issued.get(signature);
  if (known) {
    const differing = differs(layout, known, expected);
    // Signed by us under the other version's layout, or altered by somebody who changed the key: no field explains it.
    if (differing.length > 0 && layout.every((field) => known[field] !== undefined)) {
      const made = Object.fromEntries(layout.map((field) => [field, known[field]])) as ProofFields;
      if (verifySignature(deps.key, deps.layout, version, signature, made))
        return { fields: made, source: 'issued', differing };
    }
  }
  for (const variation of variations(version, expected, suspects)) {
    const fields = { ...expected, ...variation };
    const differing = differs(layout, fields, expected);
    if (differing.length > 0 && verifySignature(deps.key, deps.layout, version, signature, fields)) {
      return { fields, source: 'tried', differing };
    }
  }
  return undefined;
}
