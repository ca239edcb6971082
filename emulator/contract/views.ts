import { askSchema, questionAnswerSchema } from './interaction.js';
import { timestampSchema } from './intern.js';
import { RUN_ENDS } from './run.js';
import { usageSchema } from './script.js';
import { type Infer, withZod } from './with-zod.js';

/** Things as the control interface shows them. Each type is that of the schema that documents the call. */

/** A call, in `GET /_emulator`. */
export const callSchema = withZod((z) =>
  z.strictObject({
    method: z.string(),
    path: z.string(),
    does: z.string(),
    /** The shape of its body, in JSON with types for values; null for a call that takes none. */
    body: z.string().nullable(),
    /** The meaning of each query parameter, if it takes any. */
    query: z.record(z.string(), z.string()).exactOptional(),
  }),
);
export type ListedCall = Infer<typeof callSchema>;

export const clockSchema = withZod((z) =>
  z.strictObject({ now: timestampSchema(), mode: z.enum(['real', 'virtual', 'frozen']) }),
);
export type ClockView = Infer<typeof clockSchema>;

/** A script, in `GET /_emulator/scripts/{name}`. */
export const scriptViewSchema = withZod((z) =>
  z.strictObject({
    name: z.string(),
    from: z.enum(['control', 'code', 'file', 'stock']),
    description: z.string().exactOptional(),
    source: z
      .unknown()
      .optional()
      .meta({ description: 'Its JSON; a script in code has none, and a list leaves it out.' }),
  }),
);
export type ScriptView = Infer<typeof scriptViewSchema>;

/** A snapshot; `now` is the time that the emulator had. */
export const snapshotSchema = withZod((z) => {
  const count = z.int().min(0);
  return z.strictObject({
    name: z.string(),
    now: timestampSchema(),
    interns: count,
    scripts: count,
    faults: count,
    turns_per_minute: count,
  });
});
export type SnapshotView = Infer<typeof snapshotSchema>;

/** A snapshot in a list, or one whose file cannot be read. */
export const listedSnapshotSchema = withZod((z) =>
  z.union([snapshotSchema(), z.strictObject({ name: z.string(), unusable: z.string() })]),
);
export type ListedSnapshot = Infer<typeof listedSnapshotSchema>;

/** A line of a transcript: what either side said in a run. `n` counts the lines of the run from 0. */
export const lineSchema = withZod((z) => {
  const text = z.string();
  const line = { n: z.int().min(0), at: timestampSchema() };
  return z.discriminatedUnion('type', [
    z.strictObject({ ...line, type: z.enum(['prompt', 'steer', 'content', 'reasoning']), text }),
    z.strictObject({ ...line, type: z.literal('model'), model: text }),
    z.strictObject({ ...line, type: z.literal('ask'), id: text, ask: askSchema() }),
    z.strictObject({
      ...line,
      type: z.literal('answer'),
      id: text,
      answer: z.union([text, questionAnswerSchema()]),
    }),
    z.strictObject({
      ...line,
      type: z.literal('end'),
      ended: z.enum(RUN_ENDS),
      message: text.exactOptional(),
      usage: usageSchema().nullable(),
    }),
  ]);
});
export type Line = Infer<typeof lineSchema>;
