import fc from 'fast-check';
import type { Ctx } from './context.js';

/**
 * Holds `look` against every item on an emulator, where requests cost nothing, and against as many generated picks as
 * a property has runs on a live target.
 */
export async function each<T>(
  ctx: Pick<Ctx, 'target' | 'property'>,
  name: string,
  items: readonly T[],
  look: (item: T) => Promise<void>,
): Promise<void> {
  if (ctx.target.kind === 'emulator') {
    for (const item of items) await look(item);
    return;
  }
  await ctx.property(name, fc.constantFrom(...items), look);
}
