import type { Ctx } from '../framework/context.js';
import { Finding, noAnswerOf } from '../framework/finding.js';

/** Longest single wait of a check that declares none, in ms. */
const MOMENT = 2_000;

/** What a look came to: what it threw, or nothing. */
const ended = (look: Promise<void>): Promise<{ readonly error?: unknown }> =>
  look.then(
    () => ({}),
    (error: unknown) => ({ error }),
  );

/** What findings are about, apart from numbers. */
const about = ({ found }: Finding): string => found.of.replace(/\d+/g, '');

/**
 * On a deployment, looks a second time where the first look has not ended after `late` ms: at the same time, since what it
 * waits for takes long, and with an intern of its own, which `look` has to take. What both find has come again; what only
 * the first finds is looked at once more, as always.
 */
export async function twice(ctx: Pick<Ctx, 'upTo' | 'wait'>, late: number, look: () => Promise<void>): Promise<void> {
  if (ctx.upTo(1, 0) === 1) return look();
  let over = false;
  const first = ended(look()).finally(() => {
    over = true;
  });
  const waits = (async () => {
    for (let waited = 0; waited < late && !over; waited += MOMENT) await ctx.wait(MOMENT);
  })();
  await Promise.race([first, waits]);
  const second = over ? undefined : ended(look());
  const { error } = await first;
  if (error === undefined) return;
  if (second === undefined || !(error instanceof Finding) || noAnswerOf(error.found) !== undefined) throw error;
  // It has seen it several times itself.
  if (error.more.confirmed !== undefined) throw error;
  const { error: other } = await second;
  if (!(other instanceof Finding) || about(other) !== about(error)) throw error;
  throw new Finding(error.found, { confirmed: { tries: 1, failures: 1 } }, { cause: error });
}
