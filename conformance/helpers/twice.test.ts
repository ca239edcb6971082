import { expect, test } from 'vitest';
import { fail } from '../framework/assert.js';
import { Finding } from '../framework/finding.js';
import { byTheIntern, lacking, Skipped } from '../framework/skip.js';
import { twice } from './twice.js';

/** Looks one after another, each ending as it says; waits are over when `pass` is called. */
function looks(...ends: readonly (() => void)[]) {
  let begun = 0;
  const doors: (() => void)[] = [];
  let pass = () => {};
  const ctx = {
    upTo: (_many: number, few: number) => few,
    wait: () =>
      new Promise<void>((resolve) => {
        pass = resolve;
      }),
  };
  const look = async () => {
    const end = ends[begun++];
    await new Promise<void>((resolve) => void doors.push(resolve));
    end?.();
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const result = twice(ctx, 4_000, look).then(
    () => 'fine',
    (error: unknown) => error,
  );
  return {
    result,
    begun: () => begun,
    /** So many ms have passed. */
    async after(ms: number) {
      for (let passed = 0; passed < ms; passed += 2_000) {
        pass();
        await turn();
      }
    },
    async end(at: number) {
      doors[at]?.();
      await turn();
    },
  };
}
const late = (seconds: number) => () => fail(`a prompt ${seconds} s later`, 'taken', '409');

test('what ends in time is looked at once', async () => {
  const all = looks(late(2));
  await all.after(2_000);
  await all.end(0);
  const error = await all.result;
  expect(error).toMatchObject({ found: { of: 'a prompt 2 s later' } });
  expect(error).not.toHaveProperty('more.confirmed');
  expect(all.begun()).toBe(1);
});

test('what both find has come again', async () => {
  const all = looks(late(34), late(36));
  await all.after(4_000);
  expect(all.begun()).toBe(2);
  await all.end(0);
  await all.end(1);
  expect(await all.result).toMatchObject({
    found: { of: 'a prompt 34 s later' },
    more: { confirmed: { tries: 1, failures: 1 } },
  });
});

test.each([
  ['does not find', () => {}],
  ['finds to be something else', () => fail('a reply', 1, 2)],
  [
    'cannot tell',
    () => {
      throw lacking({ kind: 'read-only' });
    },
  ],
])('what the other %s is looked at again as always', async (_, other) => {
  const all = looks(late(34), other);
  await all.after(4_000);
  await all.end(0);
  await all.end(1);
  const error = await all.result;
  expect(error).toMatchObject({ found: { of: 'a prompt 34 s later' } });
  expect(error).not.toHaveProperty('more.confirmed');
});

test('what the first has seen several times itself stays as it is', async () => {
  const confirmed = { tries: 2, failures: 2 };
  const all = looks(() => {
    const wanted = { kind: 'value', path: 'arrival', rule: { kind: 'is', value: 1 } } as const;
    throw new Finding({ wanted, got: 2, of: 'arrival' }, { confirmed });
  });
  await all.after(4_000);
  await all.end(0);
  expect(await all.result).toMatchObject({ more: { confirmed } });
});

test('where the first finds nothing, or comes to no verdict, the other is not waited for', async () => {
  const fine = looks(() => {}, late(36));
  await fine.after(4_000);
  await fine.end(0);
  expect(await fine.result).toBe('fine');
  const unmet = looks(() => {
    throw byTheIntern({ kind: 'asked-nothing', finish: 'stop' });
  }, late(36));
  await unmet.after(4_000);
  await unmet.end(0);
  expect(await unmet.result).toBeInstanceOf(Skipped);
});
