import type fc from 'fast-check';
import type { Answer } from '../../probe/client.js';
import type { Ctx } from '../../run/context.js';
import * as expect from '../../run/expect.js';

/** Invalid values, and their valid twins. */
export interface Refused<T> {
  /** The request, for findings: `a prompt with`. */
  readonly of: string;
  readonly as: expect.ExpectedError;
  readonly twins: readonly T[];
  /** `few` (1) of these where requests cost, each with one thing wrong. */
  readonly wrong: readonly T[];
  readonly few?: number;
  /** Generated values, too. */
  readonly more?: fc.Arbitrary<T>;
  send(value: T): Promise<Answer>;
}

/** The valid twins are accepted, and each invalid value is refused. */
export async function refuses<T>(ctx: Pick<Ctx, 'property' | 'sample'>, refused: Refused<T>): Promise<void> {
  const { of, as, twins, wrong, few, more, send } = refused;
  for (const twin of twins) expect.success(await send(twin), `${of} ${JSON.stringify(twin)}, a valid twin`);
  const look = async (value: T) => expect.error(await send(value), as, `${of} ${JSON.stringify(value)}`);
  for (const value of ctx.sample(wrong, few)) await look(value);
  if (more !== undefined) await ctx.property(of, more, look);
}
