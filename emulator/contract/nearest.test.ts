import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearest, suggestion } from './nearest.js';
import '../../test/same-draws.js';

const KNOWN = ['clock', 'clocks', 'scripts', 'snapshots', 'x'];

test.each([
  ['clok', 'clock'],
  ['CLOCK', 'clock'],
  ['clocsk', 'clock'],
  ['snapshto', 'snapshots'],
  ['', 'x'],
])('%j is taken for %j', (word, name) => {
  expect(nearest(word, KNOWN)).toBe(name);
  expect(suggestion(word, KNOWN, (known) => `--${known}`)).toBe(` (did you mean --${name}?)`);
});

test.each(['zebras', 'c', 'x'.repeat(101)])('%j is taken for nothing', (word) => {
  expect(suggestion(word, ['clock', 'scripts', 'x'.repeat(100), 'x'.repeat(101)])).toBe('');
});

test('a name is found again after an edit, and nothing further away is taken before it', () => {
  const name = fc.stringMatching(/^[a-z]{3,12}$/);
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1 }), fc.nat(), fc.nat(), (known, which, at) => {
      const meant = known[which % known.length] ?? '';
      const place = at % meant.length;
      const word = `${meant.slice(0, place)}-${meant.slice(place + 1)}`;
      const found = nearest(word, known);
      // One edit away, or two.
      expect([...(found ?? '')].filter((letter, index) => letter !== word[index]).length).toBe(1);
      expect(found).toHaveLength(meant.length);
    }),
  );
});

test('what takes time by its length is compared with nothing', () => {
  const long = 'ab'.repeat(500_000);
  // Each of these comparisons would take a day.
  for (let n = 0; n < 100; n++) expect(nearest(`${long}${n}`, [...KNOWN, `b${long}`])).toBeUndefined();
});
