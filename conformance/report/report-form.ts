import { visible } from '../../emulator/contract/visible.js';
import { withZod } from '../../emulator/contract/with-zod.js';

/** More than any run has: who reads a report waits for what stands in it. */
const MOST = { rows: 200_000, runs: 100_000, shards: 10_000, ms: 1e11 };

/**
 * The form of every report as it is read, and of files that others wrote in place of one. Further keys are passed over. What names
 * something, or says how it is done again, is safe to print from here on; evidence stays as it is.
 */
export const reportSchema = withZod((z) => {
  const text = z.string();
  const line = text.transform(visible);
  const level = z.enum(['S', 'P', 'C']);
  const count = z.int().min(0).max(1e9);
  const ms = z.number().min(0).max(MOST.ms);
  const lines = z.array(line);
  const headers = z.record(text, text);
  const part = <const Shape extends Record<string, unknown>>(kind: string, shape: Shape) =>
    z.looseObject({ kind: z.literal(kind), ...(shape as object) });

  const exchange = z.looseObject({
    number: z.number(),
    at: z.number(),
    request: z.looseObject({ method: text, url: text, headers, body: text.optional() }),
    response: z
      .looseObject({
        at: z.number(),
        status: z.number(),
        headers,
        pieces: z.array(z.looseObject({ at: z.number(), text })),
        ended: text.optional(),
      })
      .optional(),
    error: text.optional(),
  });
  const rule = z.discriminatedUnion('kind', [
    part('is', {}),
    part('not', {}),
    part('one-of', { values: z.array(z.unknown()) }),
    part('form', { form: text }),
    part('holds', { words: text }),
  ]);
  const wanted = z.discriminatedUnion('kind', [
    part('status', { class: z.enum(['success', 'refusal', 'stream', 'other']), statuses: z.array(z.number()) }),
    part('value', { path: text, rule }),
    part('stream', { rule: z.enum(['order', 'until', 'finish']) }),
    part('answer', {}),
    part('effect', { words: text }),
  ]);
  const finding = z.looseObject({
    wanted,
    of: text,
    breaks: line.optional(),
    level: level.optional(),
    askedBy: line.optional(),
    transcript: z.array(exchange),
    restsOn: z.array(count).optional(),
    replay: line,
    curl: line.optional(),
    seed: line.optional(),
    runs: z.int().min(1).max(MOST.runs).optional(),
    property: z
      .looseObject({ name: line, path: line, counterexample: lines, runs: z.number(), shrinks: z.number() })
      .optional(),
  });
  const caused = z.looseObject({ kind: text, because: z.looseObject({ kind: text }) });
  const check = z.looseObject({
    id: line,
    requirement: line,
    level,
    title: line,
    verdict: z.enum(['pass', 'pass-alternative', 'fail', 'warn', 'skip', 'error']),
    duration: ms,
    requests: count,
    properties: z.array(z.looseObject({ name: line, runs: z.number() })),
    clause: z.looseObject({ sentence: line, where: line, rule: line.optional() }).optional(),
    finding: finding.optional(),
    note: finding.optional(),
    skip: caused.optional(),
    error: z.looseObject({ message: text, stack: text.optional(), transcript: z.array(exchange) }).optional(),
    alternative: line.optional(),
    brokenBy: count.optional(),
    brokenIn: lines.optional(),
    known: z.boolean().optional(),
    new: z.boolean().optional(),
    knownAs: z.looseObject({ flaky: z.looseObject({ failed: count, of: count }).optional() }).optional(),
  });
  return z.looseObject({
    format: z.literal('intern-conformance', { error: () => 'expected a JSON report of this kit' }),
    version: z.literal(1, { error: ({ input }) => `version ${input} of the report is not known here` }),
    kit: line,
    run: line,
    started: line.refine((day) => Math.abs(Date.parse(day)) < 4e12, 'expected a time'),
    duration: ms,
    requests: count,
    exchanges: count.optional(),
    verdict: z.enum(['pass', 'fail', 'incomplete']),
    target: z.looseObject({ kind: z.enum(['emulator', 'live', 'client']), url: line, profile: line }),
    options: z.looseObject({
      seed: line,
      runs: z.int().min(0).max(MOST.runs),
      only: lines,
      skip: lines,
      shard: z.looseObject({ index: count, of: z.int().min(1).max(MOST.shards) }).optional(),
      failOn: z.enum(['fail', 'warn', 'once']).optional(),
    }),
    incomplete: z.array(z.looseObject({ kind: text }), {
      error: () => 'the report is of an older kit, which kept no data; make it again',
    }),
    counts: z.record(text, count),
    coverage: z.looseObject({ checked: count, of: count }),
    cleanup: z.looseObject({
      created: count,
      deleted: count,
      failed: z.array(z.looseObject({ id: text, name: text, because: z.looseObject({ kind: text }) })),
    }),
    requirements: z.array(
      z.looseObject({
        id: line,
        level,
        sentence: line,
        where: line,
        verdict: line,
        checks: lines,
        exchanges: count.optional(),
      }),
    ),
    checks: z.array(check).max(MOST.rows),
  });
});
