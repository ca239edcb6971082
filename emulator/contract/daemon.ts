import type { ErrorKey, ErrorRow } from './errors.js';
import { type Infer, withZod } from './with-zod.js';

/** Why a daemon refuses a request, in the order in which it looks. */
export const DAEMON_REFUSALS = {
  token_invalid: { message: 'The daemon token is missing or not of a running intern', requirement: 'DAEMON-1' },
  proof_missing: { message: 'A proof header is missing', requirement: 'SIGN-1' },
  proof_malformed: { message: 'A proof header does not have its form', requirement: 'SIGN-1' },
  proof_expired: { message: 'The proof is older than the window', requirement: 'SIGN-7' },
  proof_from_future: { message: 'The proof was made in the future', requirement: 'SIGN-7' },
  bad_signature: { message: 'A signature does not verify', requirement: 'SIGN-4' },
  nonce_reused: { message: 'The nonce was used before', requirement: 'SIGN-7' },
} as const;
export type DaemonReason = keyof typeof DAEMON_REFUSALS;

/** The code of a refusal, at the interface or at a daemon. */
export type RefusalKey = ErrorKey | DaemonReason;

/** The difference in a request with a bad signature, if the daemon can find it. */
export const DAEMON_HINTS = ['wrong_intern', 'user_mismatch', 'digest_mismatch', 'route_mismatch'] as const;
export type DaemonHint = (typeof DAEMON_HINTS)[number];

/** Seconds that a proof's timestamp may be ahead of the daemon's clock (SIGN-7). */
export const FUTURE_TOLERANCE_SECONDS = 5;

/** Bytes of body that a daemon reads at most. */
export const DAEMON_BODY_CAP = 1_048_576;

/** The values that a daemon verified, as it echoes them. `method`, `path` and `body_sha256` are those of the request received. */
export const verifiedSchema = withZod((z) =>
  z.strictObject({
    version: z.enum(['v1', 'v2']),
    intern_id: z.string(),
    user: z.string(),
    /** Unix seconds, as in the header. */
    timestamp: z.string(),
    /** Only with v2. */
    nonce: z.string().exactOptional(),
    method: z.string(),
    path: z.string(),
    body_sha256: z.string(),
  }),
);
export type Verified = Infer<typeof verifiedSchema>;

/** The daemon's other refusals, in the envelope of {@link ErrorRow}. */
export const DAEMON_ERRORS = {
  too_large: {
    status: 413,
    message: `Request body exceeds ${DAEMON_BODY_CAP} bytes`,
    reason: 'payload_too_large',
    retryable: false,
  },
  broken_off: { status: 400, message: 'Invalid request body', reason: 'invalid_body', retryable: false },
  unreachable: {
    status: 502,
    message: 'The intern daemon cannot be reached',
    reason: 'intern_unreachable',
    retryable: true,
  },
  internal: {
    status: 500,
    message: 'The request could not be completed',
    reason: 'internal_error',
    retryable: true,
  },
} as const satisfies Record<string, ErrorRow>;
