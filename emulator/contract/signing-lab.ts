import type { DaemonHint, DaemonReason, Verified } from './daemon.js';
import { ROUTE_PATH } from './signing.js';
import { type Infer, withZod } from './with-zod.js';

const base64 = withZod((z) =>
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
      body_base64: base64().optional(),
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

/** Bytes that were or should have been signed. */
export interface SignedBytes {
  /** As text; bytes that are not UTF-8 show as U+FFFD. */
  text: string;
  hex: string;
  length: number;
}

/** One step of the daemon's order of checks. */
export interface ExplainStep {
  check: 'token' | 'presence' | 'form' | 'time' | 'signature' | 'nonce';
  result: 'passed' | 'failed' | 'not reached' | 'not given';
  detail: string;
}

/** One field of the layout: what must be signed, and what was, if that is known. */
export interface ExplainField {
  name: string;
  /** Where the value comes from: a header's name, or the part of the request. */
  from: string;
  expected: string | null;
  signed: string | null;
  /** Null if it is not known what was signed. */
  same: boolean | null;
}

/** What is known of one signature. */
export interface ExplainSignature {
  version: 'v1' | 'v2';
  header: string;
  verifies: boolean;
  expected: SignedBytes | null;
  /** What it was in fact made over, if that is known or could be found by trying. */
  found: (SignedBytes & { how: 'issued' | 'tried'; mistake: string | null }) | null;
  /** The first differing byte: its index, both values in hexadecimal, and the field it lies in. */
  first_difference: { index: number; expected: string | null; found: string | null; field: string | null } | null;
  fields: ExplainField[];
  /** A sentence on what is wrong; null if nothing is. */
  problem: string | null;
}

/** Answer of `POST /_emulator/signing/explain`. */
export interface Explanation {
  verdict: 'accepted' | 'refused';
  reason: DaemonReason | null;
  hint: DaemonHint | null;
  /** The verdict in a sentence. */
  summary: string;
  steps: ExplainStep[];
  time: {
    now: number;
    timestamp: number | null;
    /** Seconds; negative for a proof from the future. */
    age: number | null;
    window: number;
    future_tolerance: number;
  };
  nonce: { value: string | null; state: 'absent' | 'unused' | 'used' };
  signatures: ExplainSignature[];
  /** What the daemon would echo; null when refused. */
  verified: Verified | null;
}

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

/** A request to send to the daemon, or to one's own verifier. */
export interface ForgedRequest {
  method: string;
  url: string;
  /** The daemon token and the proof. A list is a header sent several times. */
  headers: Record<string, string | string[]>;
  body: string;
}

/** Answer of `POST /_emulator/signing/forge`. */
export interface Forgery {
  defect: string;
  description: string;
  /** What a verifier must answer to `request`. */
  expected: { status: 200 | 401; reason: DaemonReason | null; hint: DaemonHint | null };
  intern_id: string;
  /** Requests to send first; they are accepted. */
  prior: ForgedRequest[];
  request: ForgedRequest;
  /** The same request without the defect: it is accepted. */
  twin: ForgedRequest;
}

/** Answer of `GET /_emulator/signing/forge`. */
export interface ForgeList {
  data: { defect: string; description: string; expected: Forgery['expected'] }[];
}
