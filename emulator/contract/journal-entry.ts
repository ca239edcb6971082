import type * as Z from 'zod';
import { faultSchema, type Injected } from './fault.js';
import { timestampSchema } from './intern.js';
import type { FieldProblem } from './problem.js';
import { type Infer, type View, withZod } from './with-zod.js';

/** `not_judged`: no rule applies, or it is not known what was answered. */
export const VERDICTS = ['kept', 'broken', 'not_judged'] as const;

/** The verdict of the rules of the interface on an exchange: the rules that judged it, and those that it broke. */
const shieldSchema = withZod((z) => {
  const text = z.string();
  const broken = z.strictObject({ rule: text, sentence: text, what: text, expected: text, actual: text });
  return z.strictObject({ verdict: z.enum(VERDICTS), rules: z.array(text), broken: z.array(broken) });
});
export type Shield = View<typeof shieldSchema>;

/** One request and its outcome, as `GET /_emulator/journal` shows it. Times are ISO 8601, sizes bytes. */
export const journalEntrySchema = withZod((z) => {
  const nullable = () => z.string().nullable();
  const message = { headers: z.record(z.string(), z.string()), body: nullable() };
  const { status, delay, disconnect, reset, at, disturb, write, state } = faultSchema().shape;
  return z.strictObject({
    id: z.string(),
    at: timestampSchema(),
    operation: nullable(),
    caller: nullable(),
    intern_id: nullable(),
    /** The run that the request started, continued or was delivered into. */
    run_id: nullable(),
    script: nullable(),
    /** From the request to its response, on the clock; for a stream to its first byte. Null until then. */
    ms: z.number().nullable(),
    /** For a refusal: what exactly was wrong, even if the response may not say it, and its requirement. */
    wrong: nullable(),
    requirement: nullable(),
    /** The fields that were wrong, in the body or in the query. */
    fields: z
      .array(
        z.strictObject({
          path: z.array(z.union([z.string(), z.number()])),
          message: z.string(),
          unknown: z.array(z.string()).exactOptional(),
        }) as unknown as Z.ZodType<FieldProblem>,
      )
      .exactOptional(),
    injected: (
      z.strictObject({ status, delay, disconnect, reset, at, disturb, write, state }) as Z.ZodType<Injected>
    ).exactOptional(),
    /** The ids of a valid `traceparent`. */
    trace: z.strictObject({ trace_id: z.string(), parent_id: z.string(), sampled: z.boolean() }).exactOptional(),
    /** With `--judge`, once it has ended. */
    judged: (shieldSchema() as Z.ZodType<Shield>).exactOptional(),
    request: z.strictObject({ method: z.string(), url: z.string(), ...message }),
    response: z.strictObject({ status: z.int().nullable(), ...message }),
    /** Only for streams: every write as it left. */
    writes: z.array(z.strictObject({ at: timestampSchema(), bytes: z.int().min(0), text: z.string() })).exactOptional(),
    /** Only for streams: how the body ended, and why the run did. */
    closed: z
      .strictObject({
        at: timestampSchema(),
        how: z.enum(['complete', 'client_left', 'dropped']),
        run_ended: z.string().exactOptional(),
      })
      .exactOptional(),
    /** Parts were left out for their size. */
    truncated: z.literal(true).exactOptional(),
  });
});
export type JournalEntry = Infer<typeof journalEntrySchema>;
/** An entry for code that only reads it: recordings, and judges. */
export type Journaled = View<typeof journalEntrySchema>;
