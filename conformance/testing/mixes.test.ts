import { expect, test } from 'vitest';
import { run } from '../run/runner.js';
import { disguise } from './guises.js';
import { canGoTogether, INGREDIENTS, mixed, mixOf, undeserved } from './mixes.js';

const called = (name: string) => {
  const found = INGREDIENTS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no guise ${name}`);
  return found;
};

test('a mix is made by its seed, of guises that go together', () => {
  for (const n of [2, 3]) {
    const names = Array.from({ length: 50 }, (_, at) => mixOf(`seed-${at}`, n).name.split(' + '));
    expect(names.every((parts) => new Set(parts).size === n)).toBe(true);
    expect(new Set(names.map(String)).size).toBeGreaterThan(40);
    for (const parts of names) {
      const pairs = parts.flatMap((one) =>
        parts.filter((other) => other !== one).map((other) => [one, other] as const),
      );
      expect(pairs.every(([one, other]) => canGoTogether(called(one), called(other)))).toBe(true);
    }
  }
  expect(mixOf('again', 3).name).toBe(mixOf('again', 3).name);
});

test('a mix has every habit of what it is made of', () => {
  const one = called('takes its time for each answer');
  const other = called('has room for few interns');
  const whole = mixed([one, other, called('wakes for a prompt')]);
  expect(whole).toMatchObject({ obeys: 0.5, delay: 2_000, differs: ['CHAT-16', 'LIFE-1'] });
  expect(whole.manners).toEqual([...(other.manners ?? []), ...(called('wakes for a prompt').manners ?? [])]);
});

/** Mixes that something was held against once, and others by chance. More: npm run soak -- --mix 3 */
const MIXES = [['obeys nothing and chats', 'queues what waits for a provision', 'is tidied up by somebody else']].map(
  (names) => mixed(names.map(called)),
);

test.each([...MIXES, mixOf('one', 2), mixOf('two', 3), mixOf('three', 3)])(
  'nothing is held against a server that $name',
  { timeout: 300_000 },
  async (mix) => {
    const { driver, host, close } = await disguise(mix, 'mix');
    try {
      const { checks, counts, exit, reasons } = await run({ driver, host, seed: 'mix', rate: 0 });
      const held = undeserved(mix, checks);
      expect(held.map(({ id, finding, error }) => `${id}: ${finding?.what ?? error?.message}`)).toEqual([]);
      expect([exit, reasons]).toEqual([0, []]);
      expect(counts.pass).toBeGreaterThan(90);
    } finally {
      await close();
    }
  },
);

/** What keeps a kit that measures in the wrong place from seeing that streams are held back. */
test.each([
  'takes its time for each answer',
  'takes one request a second',
  'reads late what was written',
  'is read from replicas',
  'needs a moment before it takes prompts',
  'is tidied up by somebody else',
])('streams that a proxy holds back are found at a server that %s', { timeout: 300_000 }, async (habit) => {
  const mix = mixed([called(habit), called('is behind a proxy that holds streams back')]);
  const { driver, host, close } = await disguise(mix, 'held');
  try {
    const { checks } = await run({ driver, host, seed: 'held', rate: 0, only: ['chat-stream/as-it-is-said'] });
    expect(checks.map(({ verdict, finding }) => [verdict, finding?.what])).toEqual([['fail', 'arrival of a reply']]);
  } finally {
    await close();
  }
});
