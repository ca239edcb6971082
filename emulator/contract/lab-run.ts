import { type View, withZod } from './with-zod.js';

/** A request that a run of the lab received. Times are ms of real time, since the lab began. */
const requestSchema = withZod((z) => {
  const text = z.string().max(100_000);
  const ms = z.number();
  const count = z.int().min(0);
  return z.strictObject({
    /** From 1, counted over both origins and both sides. */
    n: count,
    origin: z.enum(['base', 'other']),
    at: z.enum(['client', 'sign', 'daemon']),
    method: text,
    /** The connection that brought it: from 1, counted over both origins. */
    connection: count,
    /** Below the base URL, or below the daemon's origin, as sent. */
    path: text,
    /** The headers as sent, in order. Credentials and proofs are redacted when they are shown. */
    headers: z.array(z.tuple([text, text])).max(1_000),
    body: text,
    arrived: ms,
    status: count.optional(),
    /** Bytes of the answer, head and framing included, that the connection took. */
    taken: count,
    /** When the head of the answer was written. */
    headed: ms.optional(),
    /** When each write of the body was made. */
    writes: z.array(ms).max(100_000),
    /** When the whole answer was written. */
    answered: ms.optional(),
    /** When the connection, in HTTP/2 the stream, closed under the answer, and how. */
    closed: z.strictObject({ at: ms, by: z.enum(['client', 'reset']) }).optional(),
  });
});
export type LabRequest = View<typeof requestSchema>;

const verdictSchema = withZod((z) => z.enum(['pass', 'pass-alternative', 'fail', 'skip', 'error']));

/** A run that a kit made and judged elsewhere: `POST /_emulator/lab/results`. */
export const labResultSchema = withZod((z) => {
  const text = z.string().max(100_000);
  const count = z.int().min(0);
  return z.strictObject({
    case: text,
    client: text,
    verdict: verdictSchema(),
    sentence: text.optional(),
    expected: text.optional(),
    actual: text.optional(),
    cuts: z.array(count).max(100_000).optional(),
    url: text.optional(),
    started: z.number().optional(),
    requests: z.array(requestSchema()).max(100),
  });
});
export type JudgedRun = View<typeof labResultSchema>;

/** A run of the lab, with the requests of its client: `GET /_emulator/lab/runs/{run}` (LAB-8). */
export const labRunSchema = withZod((z) => {
  const text = z.string();
  const count = z.int().min(0);
  return z.strictObject({
    run: text,
    case: text,
    url: text,
    base_url: text,
    started: z.number(),
    requests: labResultSchema().shape.requests,
    /** Events that were out, and due, at each write of a prompt case. */
    prompt: z.array(z.strictObject({ due: count, out: count })),
    /** The places at which the body was cut, if they are not the writes of the case. */
    cuts: z.array(count).optional(),
    /** The verdict of the kit that judged it, and what is wrong or why there is no verdict. */
    result: z
      .strictObject({
        client: text,
        verdict: verdictSchema(),
        sentence: text.exactOptional(),
        expected: text.exactOptional(),
        actual: text.exactOptional(),
      })
      .exactOptional(),
  });
});
export type LabRun = View<typeof labRunSchema>;

/** The writes that answered a request: `GET /_emulator/lab/runs/{run}/sent`. */
export const sentSchema = withZod((z) => {
  const count = z.int().min(0);
  return z.strictObject({
    request: count,
    /** The writes, and what came between them. */
    parts: z.array(
      z.strictObject({
        /** ms since the request arrived; absent where it was not made, or not by a write. */
        at: z.number().exactOptional(),
        bytes: count.exactOptional(),
        /** The bytes as text, in hex where they are none; of something else, what it is. */
        text: z.string(),
        hex: z.literal(true).exactOptional(),
      }),
    ),
    /** Parts that are left out at the end. */
    more: count,
  });
});
export type Sent = View<typeof sentSchema>;
export type SentPart = Sent['parts'][number];
