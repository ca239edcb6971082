import { withZod } from './with-zod.js';

/** A kit's report of a case that it ran: `POST /_emulator/lab/results`. */
export const labResultSchema = withZod((z) => {
  const text = z.string().max(100_000);
  const ms = z.number();
  const count = z.int().min(0);
  const request = z.strictObject({
    n: count,
    origin: z.enum(['base', 'other']),
    at: z.enum(['client', 'sign', 'daemon']),
    method: text,
    connection: count,
    path: text,
    headers: z.array(z.tuple([text, text])).max(1_000),
    body: text,
    arrived: ms,
    status: count.optional(),
    taken: count,
    headed: ms.optional(),
    writes: z.array(ms).max(100_000),
    answered: ms.optional(),
    closed: z.strictObject({ at: ms, by: z.enum(['client', 'reset']) }).optional(),
  });
  return z.strictObject({
    case: text,
    client: text,
    verdict: z.enum(['pass', 'pass-alternative', 'fail', 'skip', 'error']),
    sentence: text.optional(),
    expected: text.optional(),
    actual: text.optional(),
    cuts: z.array(count).max(100_000).optional(),
    url: text.optional(),
    started: ms.optional(),
    requests: z.array(request).max(100),
  });
});
