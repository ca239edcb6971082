import { expect, test } from 'vitest';
import { equal } from '../model/assert.js';
import type { Ctx } from '../run/context.js';
import { PAGING } from './paging.js';

/** Does the check at a list that shows an update after so many looks. */
async function after(looks: number): Promise<void> {
  const made = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];
  const updated = { status: 200, json: { id: 'c', name: 'c', status: 'stopped', description: 'said' } };
  let looked = 0;
  const ctx = {
    api: { update: async () => updated, get: async () => updated },
    interns: { inOrder: async () => made },
    wait: async () => {},
    upTo: (_: number, most: number) => most,
    texts: () => undefined,
    property: async (_: string, __: unknown, ___: unknown, look: (which: number, text: string) => Promise<void>) =>
      look(2, 'said'),
    listed: async () => made.map((intern) => ({ ...intern, description: ++looked > 3 * looks ? 'said' : null })),
    newestFirst: () => {},
    eventually: async <T>(read: () => Promise<T>, holds: (value: T) => boolean) => {
      const first = await read();
      return holds(first) ? first : read();
    },
    same: (one: object, other: object, of: string) => equal(one, other, of),
  };
  const check = PAGING.find(({ id }) => id === 'list/agrees-with-reads');
  await check?.run(ctx as unknown as Ctx);
}

test('a list may show an update later than a read, and has to show it', async () => {
  await expect(after(0)).resolves.toBeUndefined();
  await expect(after(1)).resolves.toBeUndefined();
  await expect(after(2)).rejects.toThrow();
});
