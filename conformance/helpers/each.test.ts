import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Ctx } from '../framework/context.js';
import { each } from './each.js';

test.each([
  ['by its name', [{ name: 'get', path: (id: string) => `/interns/${id}` }], 'get'],
  ['as it is where it has none', ['text/plain'], '"text/plain"'],
])('on a deployment an item is told %s', async (_, items, told) => {
  const seen: unknown[] = [];
  const shown: string[] = [];
  const property = async (_name: string, ...args: unknown[]) => {
    const [arbitrary, look] = args as [fc.Arbitrary<unknown>, (item: unknown) => Promise<void>];
    const [item] = fc.sample(arbitrary, 1);
    shown.push(fc.stringify(item));
    await look(item);
  };
  const ctx = { target: { kind: 'live' }, property } as unknown as Ctx;
  await each<unknown>(ctx, 'items', items, async (item) => void seen.push(item));
  expect(shown).toEqual([told]);
  expect(seen).toMatchObject(items);
});
