import fc from 'fast-check';
import { oneOfRows } from '../arbitraries/one-of.js';
import type { Ctx } from '../framework/context.js';

const isNamed = <T>(item: T): item is T & { readonly name: string } =>
  typeof item === 'object' && item !== null && 'name' in item && typeof item.name === 'string';

/** One of the items; one that has a name is told by it. */
const oneOf = <T>(items: readonly T[]): fc.Arbitrary<T> =>
  items.every(isNamed) ? oneOfRows(items, ({ name }) => name) : fc.constantFrom(...items);

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
  await ctx.property(name, oneOf(items), look);
}

/** All of the items on an emulator; on a live target, where every request counts, `few` of them, others each run. */
export function picked<T>(ctx: Pick<Ctx, 'target' | 'random'>, items: readonly T[], few = 1): readonly T[] {
  if (ctx.target.kind === 'emulator') return items;
  const left = [...items];
  return Array.from(
    { length: Math.min(few, left.length) },
    () => left.splice(Math.floor(ctx.random() * left.length), 1)[0] as T,
  );
}
