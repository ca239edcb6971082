import { problem, words } from '../../emulator/contract/problem.js';
import {
  PROFILES,
  type Profile,
  type ProofHeaders,
  profileSchema,
  shippedProfile,
} from '../../emulator/contract/profile.js';
import { isRecord } from '../../emulator/contract/record.js';
import { UsageError } from './usage.js';

const HEADERS = ['proof_header_prefix', 'idempotency_header'] as const;

/** The profile with the names of headers in lower case. */
function withLowerHeaders(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const lower = HEADERS.flatMap((key) => (typeof value[key] === 'string' ? [[key, value[key].toLowerCase()]] : []));
  return { ...value, ...Object.fromEntries(lower) };
}

/** Reads a profile, which may have unknown keys. @throws UsageError in one line that names the wrong key */
export function readProfile(value: unknown, from: string): Profile {
  const schema = profileSchema();
  const known = schema.extend({ proof_layout: schema.shape.proof_layout.strip() }).strip();
  const { data, error } = known.safeParse(withLowerHeaders(value), { error: words });
  if (error !== undefined) throw new UsageError(`${from}: ${problem(error, 'the whole')}`);
  return data;
}

/** A profile, or the shipped one of a name. @throws UsageError in one line for an unknown name */
export function profileBy(given: Profile | string = 'svc'): Profile {
  const found = typeof given === 'string' ? shippedProfile(given) : given;
  if (found !== undefined) return found;
  throw new UsageError(`profile: expected ${Object.keys(PROFILES).join(' or ')}, got ${JSON.stringify(given)}`);
}

/** The header of idempotency keys unless a profile names another: the published one (CREATE-4). */
export const IDEMPOTENCY_HEADER = 'idempotency-key';

export const idempotencyHeaderOf = (profile: Profile): string => profile.idempotency_header ?? IDEMPOTENCY_HEADER;

export function proofHeadersOf(profile: Profile): ProofHeaders {
  const prefix = profile.proof_header_prefix;
  return {
    signature: `${prefix}-signature`,
    timestamp: `${prefix}-timestamp`,
    user: `${prefix}-user`,
    signatureV2: `${prefix}-signature-v2`,
    nonce: `${prefix}-nonce`,
  };
}
