import { DAEMON_HINTS, DAEMON_REFUSALS, type DaemonReason, verifiedSchema } from './daemon.js';
import { ROUTE_PATH } from './signing.js';
import { type Infer, withZod } from './with-zod.js';

/** Base64 with its padding. */
export const base64Schema = withZod((z) =>
  z.string().regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, 'expected Base64'),
);

/** The body of `POST /_emulator/signing/explain`: a request as a daemon would receive it. */
export const explainBodySchema = withZod((z) =>
  z
    .strictObject({
      /** Not needed if `headers` carries the daemon token. */
      intern_id: z.string().min(1).optional(),
      headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
      method: z.string().min(1).default('POST'),
      /** Path, with or without a query, or a whole URL. */
      path: z.string().min(1).default('/'),
      /** The body as text, as Base64, or only its digest; without any of them the body is empty. */
      body: z.string().optional(),
      body_base64: base64Schema().optional(),
      body_sha256: z
        .string()
        .regex(/^[0-9a-f]{64}$/, 'expected 64 lower-case hexadecimal digits')
        .optional(),
      /** Time to verify at, in Unix seconds (fractions allowed); now, by default. */
      at: z.number().min(0).optional(),
    })
    .refine(
      ({ body, body_base64, body_sha256 }) =>
        [body, body_base64, body_sha256].filter((one) => one !== undefined).length <= 1,
      {
        path: ['body'],
        message: 'expected one of body, body_base64 and body_sha256',
      },
    ),
);
export type ExplainBody = Infer<typeof explainBodySchema>;

const reason = withZod((z) => z.enum(Object.keys(DAEMON_REFUSALS) as [DaemonReason, ...DaemonReason[]]).nullable());
const hint = withZod((z) => z.enum(DAEMON_HINTS).nullable());

/** Answer of `POST /_emulator/signing/explain`. */
export const explanationSchema = withZod((z) => {
  const nullable = () => z.string().nullable();
  /** Bytes that were or should have been signed. As text, bytes that are not UTF-8 show as U+FFFD. */
  const bytes = { text: z.string(), hex: z.string(), length: z.int().min(0) };
  return z.strictObject({
    verdict: z.enum(['accepted', 'refused']),
    reason: reason(),
    hint: hint(),
    summary: z.string(),
    /** The daemon's order of checks. */
    steps: z.array(
      z.strictObject({
        check: z.enum(['token', 'presence', 'form', 'time', 'signature', 'nonce']),
        result: z.enum(['passed', 'failed', 'not reached', 'not given']),
        detail: z.string(),
      }),
    ),
    time: z.strictObject({
      now: z.number(),
      timestamp: z.number().nullable(),
      /** Seconds; negative for a proof from the future. */
      age: z.number().nullable(),
      window: z.number(),
      future_tolerance: z.number(),
    }),
    nonce: z.strictObject({ value: nullable(), state: z.enum(['absent', 'unused', 'used']) }),
    signatures: z.array(
      z.strictObject({
        version: z.enum(['v1', 'v2']),
        header: z.string(),
        verifies: z.boolean(),
        expected: z.strictObject(bytes).nullable(),
        /** The bytes that it was in fact made over, if they are known or could be found by trying. */
        found: z.strictObject({ ...bytes, how: z.enum(['issued', 'tried']), mistake: nullable() }).nullable(),
        /** The first differing byte: its index, both values in hexadecimal, and the field it lies in. */
        first_difference: z
          .strictObject({ index: z.int().min(0), expected: nullable(), found: nullable(), field: nullable() })
          .nullable(),
        /** The layout: what must be signed, and what was, if that is known. `from` is a header or a part of the request. */
        fields: z.array(
          z.strictObject({
            name: z.string(),
            from: z.string(),
            expected: nullable(),
            signed: nullable(),
            same: z.boolean().nullable(),
          }),
        ),
        problem: nullable(),
      }),
    ),
    /** The echo of the daemon; null when refused. */
    verified: verifiedSchema().nullable(),
  });
});
export type Explanation = Infer<typeof explanationSchema>;
export type ExplainStep = Explanation['steps'][number];
export type ExplainSignature = Explanation['signatures'][number];
export type ExplainField = ExplainSignature['fields'][number];
export type SignedBytes = NonNullable<ExplainSignature['expected']>;

/** The body of `POST /_emulator/signing/forge`. All but the defect has a default. */
export const forgeBodySchema = withZod((z) =>
  z.strictObject({
    defect: z.string(),
    /** A running intern; by default the first. */
    intern_id: z.string().optional(),
    user: z.string().min(1).optional(),
    method: z
      .string()
      .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'expected a method as HTTP has them')
      .default('POST'),
    path: z
      .string()
      .regex(ROUTE_PATH, 'expected a percent-encoded path that starts with one slash, without query')
      .default('/api/invoke'),
    body: z.string().default('{"input":"hello"}'),
  }),
);
export type ForgeBody = Infer<typeof forgeBodySchema>;

/** A defect that `forge` can make, and what a verifier must answer to it. */
export const defectSchema = withZod((z) =>
  z.strictObject({
    defect: z.string(),
    description: z.string(),
    expected: z.strictObject({ status: z.union([z.literal(200), z.literal(401)]), reason: reason(), hint: hint() }),
  }),
);

/** Answer of `POST /_emulator/signing/forge`. */
export const forgerySchema = withZod((z) => {
  /** To send to the daemon, with its token and the proof. A list is a header sent several times. */
  const request = z.strictObject({
    method: z.string(),
    url: z.string(),
    headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    body: z.string(),
  });
  return defectSchema().extend({
    intern_id: z.string(),
    /** Requests to send first; they are accepted. */
    prior: z.array(request),
    request,
    /** The same request without the defect: it is accepted. */
    twin: request,
  });
});
export type Forgery = Infer<typeof forgerySchema>;
export type ForgedRequest = Forgery['request'];

/** Answer of `GET /_emulator/signing/forge`. */
export interface ForgeList {
  data: Infer<typeof defectSchema>[];
}
