import { jsonOf } from '../contract/nesting.js';
import { type Infer, withZod } from '../contract/with-zod.js';

/** The version of the format that is written; a reader refuses a newer one. */
export const RECORDING_FORMAT = 1;

/** The header by which a request names its scenario. It is not passed on to the deployment. */
export const SCENARIO_HEADER = 'x-emulator-recording';

/** Request headers that are recorded. A profile's proof headers and a client's own headers are left out. */
export const REQUEST_HEADERS: readonly string[] = [
  'authorization',
  'content-type',
  'accept',
  'idempotency-key',
  'last-event-id',
];
/** Answer headers that are recorded: those of the contract. */
export const ANSWER_HEADERS: readonly string[] = [
  'content-type',
  'cache-control',
  'retry-after',
  'allow',
  'deprecation',
  'link',
  'location',
];

/** One write of a stream: `at` in ms since the request came. Bytes that are not UTF-8 are in `base64`. */
const writeSchema = withZod((z) =>
  z.union([
    z.strictObject({ at: z.number().min(0), text: z.string() }),
    z.strictObject({ at: z.number().min(0), base64: z.base64() }),
  ]),
);

/** A body: JSON if that reproduces it to the byte (`JSON.stringify` of it), else its text. Absent if there was none. */
const bodyFields = withZod((z) => {
  // A line was parsed as JSON, so any value is: `z.json()` would leave a key `__proto__` out.
  const json = z.unknown() as unknown as ReturnType<typeof z.json>;
  return { body: json.optional(), body_base64: z.base64().optional() };
});

/** Headers that HTTP can carry, names in lower case. */
const headersSchema = withZod((z) =>
  z.record(
    z.string().regex(/^[!#$%&'*+.^_`|~0-9a-z-]+$/, 'expected the name of a header in lower case'),
    z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'expected a value that a header can have, in one line'),
  ),
);

/** The part of a body that is not in the recording. */
const leftOutSchema = withZod((z) =>
  z.strictObject({
    /** The number of sent bytes that came. */
    length: z.int().min(0),
    /** Digest of all of these bytes, if none of them are recorded. */
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
    why: z.string(),
  }),
);

/**
 * One exchange with a deployment: a line of a recording (REC-1). Aliases replace values that differ between two
 * deployments or two runs: `$intern.1`, `$api_key`, `$time`; a dollar sign itself is `$$`.
 */
export const exchangeSchema = withZod((z) =>
  z.strictObject({
    format: z.literal(RECORDING_FORMAT),
    /**
     * The place of the request in the order in which requests came, from 1. Lines are in the order in which answers
     * ended.
     */
    n: z.int().min(1),
    /** The name that the request gave, or null. */
    scenario: z.string().nullable(),
    /** When the request came, in ms since the recording began. */
    at: z.number().min(0),
    /** The operation, or null for a path that the interface does not have. */
    operation: z.string().nullable(),
    request: z.strictObject({
      method: z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'expected the name of a method'),
      /** From the version segment on, with its query: `/api/v1/interns/$intern.1`. */
      path: z.string().startsWith('/'),
      headers: headersSchema(),
      ...bodyFields(),
    }),
    /** Status of the final answer, not of an informational one (1xx). Null if the connection broke off before an answer began. */
    status: z.int().min(200).max(599).nullable(),
    headers: headersSchema(),
    ...bodyFields(),
    /** In place of `body` if the answer is a stream. */
    writes: z.array(writeSchema()).optional(),
    /** `client`: the client left before the end. `broken`: the deployment's connection broke off. */
    ended: z.enum(['complete', 'client', 'broken']),
    /** The bodies that are not recorded whole: only their beginning is, or nothing. */
    left_out: z.strictObject({ request: leftOutSchema().optional(), answer: leftOutSchema().optional() }).optional(),
    /**
     * Why the deployment's answer could not be passed on. The answer here is the 502 that the recorder sent instead.
     */
    not_passed_on: z.string().optional(),
  }),
);

export type RecordedExchange = Infer<typeof exchangeSchema>;
export type LeftOut = Infer<typeof leftOutSchema>;
export type RecordedWrite = Infer<typeof writeSchema>;

export const bodyText = (body: RecordedExchange['body']): string | undefined =>
  body === undefined || typeof body === 'string' ? body : JSON.stringify(body);

/** How long a body may be, in UTF-16 units, to be recorded as JSON: reading it takes a multiple of its memory. */
const LONGEST_JSON = 4_194_304;

/**
 * Text as a recorded body: the JSON itself, which is pleasant to read and to compare, if it reproduces the text to the
 * byte. A text that is a JSON string, number or literal stays text, and so does a very long or deep one.
 */
export function toBody(text: string): Exclude<RecordedExchange['body'], undefined> {
  if (!/^[[{]/.test(text) || text.length > LONGEST_JSON) return text;
  const value = jsonOf(text);
  return value !== undefined && JSON.stringify(value) === text
    ? (value as Exclude<RecordedExchange['body'], undefined>)
    : text;
}
