import openrouter from '../../fixtures/profiles/openrouter.json' with { type: 'json' };
import svc from '../../fixtures/profiles/svc.json' with { type: 'json' };
import { type Infer, withZod } from './with-zod.js';

/** The fields a proof can be made over; a layout is a list of them in signing order (SIGN-4). */
export const PROOF_FIELDS = ['intern_id', 'timestamp', 'nonce', 'user', 'method', 'path', 'body_sha256'] as const;
export type ProofField = (typeof PROOF_FIELDS)[number];

const HEADER_NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** The differences between deployments of the interface: names, and the layout of the signed bytes. */
export const profileSchema = withZod((z) =>
  z.strictObject({
    name: z.string().min(1),
    /** Whether a broken *published* requirement fails a target of this profile, or only warns. */
    published: z.boolean(),
    tool_name: z.string().min(1),
    proof_header_prefix: z.string().regex(HEADER_NAME, 'expected a lower-case header name without colon'),
    /** The header of a create's key: `idempotency-key` if left out (CREATE-4). */
    idempotency_header: z.string().regex(HEADER_NAME, 'expected a lower-case header name without colon').optional(),
    model_placeholder: z.string().min(1),
    /** Whether a create may leave out its workspace (CREATE-1). Default: no. */
    default_workspace: z.boolean().optional(),
    /** Methods that a signing request may name in `route` (SIGN-3). */
    route_methods: z.array(z.string().regex(/^[A-Z]+$/, 'expected an upper-case method')).min(1),
    proof_layout: z.strictObject({
      separator: z.string(),
      v1: z.array(z.enum(PROOF_FIELDS)).min(1),
      v2: z.array(z.enum(PROOF_FIELDS)).min(1),
    }),
  }),
);
export type Profile = Infer<typeof profileSchema>;

/** The profiles that ship with the package: `svc` (the default, interface.md's own names) and `openrouter`. */
export const PROFILES: Readonly<Record<'svc' | 'openrouter', Profile>> = {
  svc: svc as Profile,
  openrouter: openrouter as Profile,
};

/** The shipped profile of a name; undefined for another name. */
export const shippedProfile = (name: string): Profile | undefined =>
  name === 'svc' || name === 'openrouter' ? PROFILES[name] : undefined;

/** The name of a create's idempotency header if its profile has none: the published name (CREATE-4). */
export const IDEMPOTENCY_HEADER = 'idempotency-key';

/** The name of the header that carries a create's idempotency key under a profile, in lower case. */
export const idempotencyHeader = ({ idempotency_header }: Pick<Profile, 'idempotency_header'>): string =>
  idempotency_header ?? IDEMPOTENCY_HEADER;

/** The names of the headers that carry a proof under a profile. */
export function proofHeaders(profile: Pick<Profile, 'proof_header_prefix'>) {
  const prefix = profile.proof_header_prefix;
  return {
    signature: `${prefix}-signature`,
    timestamp: `${prefix}-timestamp`,
    user: `${prefix}-user`,
    signatureV2: `${prefix}-signature-v2`,
    nonce: `${prefix}-nonce`,
  } as const;
}
export type ProofHeaders = ReturnType<typeof proofHeaders>;

/** A proof in its headers. Not one literal: computed names are slow in it. */
export function proofAsHeaders(
  names: ProofHeaders,
  proof: Readonly<Record<'signature' | 'timestamp' | 'user', string>> &
    Readonly<Partial<Record<'signatureV2' | 'nonce', string>>>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  headers[names.signature] = proof.signature;
  headers[names.timestamp] = proof.timestamp;
  headers[names.user] = proof.user;
  if (proof.signatureV2 !== undefined && proof.nonce !== undefined) {
    headers[names.signatureV2] = proof.signatureV2;
    headers[names.nonce] = proof.nonce;
  }
  return headers;
}
