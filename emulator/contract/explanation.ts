import { type Infer, withZod } from './with-zod.js';

/**
 * The outcome of an exchange. `right`: nothing was wrong. `refused`: the request was. `injected`: a fault that somebody
 * put there. `failed`: the run ended badly after the stream had opened. `client_left`: the client closed too early.
 */
export const VERDICTS = ['right', 'refused', 'injected', 'failed', 'client_left', 'in_progress'] as const;

/** Why an exchange went as it did: `GET /_emulator/journal/{id}/explain`, and `explain_request` of the agents' door. */
export const exchangeExplanationSchema = withZod((z) => {
  const nullable = () => z.string().nullable();
  return z.strictObject({
    id: z.string(),
    verdict: z.enum(VERDICTS),
    /** One sentence. */
    summary: z.string(),
    asked: z.strictObject({
      operation: nullable(),
      method: z.string(),
      url: z.string(),
      caller: nullable(),
      intern_id: nullable(),
      run_id: nullable(),
      script: nullable(),
    }),
    answered: z.strictObject({ status: z.int().nullable(), reason: nullable(), message: nullable() }),
    /** Each thing that was wrong, to the field. Empty if nothing was. */
    wrong: z.array(z.strictObject({ in: z.string(), at: z.string(), problem: z.string() })),
    /** The requirement in our words, and in the interface's own where it states it. */
    requirement: z
      .strictObject({ id: z.string(), level: z.string(), sentence: z.string(), quote: nullable(), where: z.string() })
      .nullable(),
    /** Advice, and the request that follows it, where one can be made. */
    next: z.strictObject({ do: z.string(), curl: nullable() }).nullable(),
    /** The page of the documentation that says more. */
    page: z.string(),
    curl: z.string(),
  });
});
export type ExchangeExplanation = Infer<typeof exchangeExplanationSchema>;
