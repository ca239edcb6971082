import { expect, test } from 'vitest';
import { asTheyMay } from './send.js';

test('while turns would have to wait, others go before them', () => {
  const all = ['a turn', 'a read', 'a second turn', 'a second read'].map((name) => ({
    name,
    turn: name.includes('turn'),
  }));
  const order = (wait: () => boolean) => [...asTheyMay(all, wait)].map(({ name }) => name);
  expect(order(() => false)).toEqual(['a turn', 'a read', 'a second turn', 'a second read']);
  expect(order(() => true)).toEqual(['a read', 'a second read', 'a turn', 'a second turn']);
  let asked = 0;
  expect(order(() => ++asked === 2)).toEqual(['a turn', 'a read', 'a second turn', 'a second read']);
  asked = 0;
  expect(order(() => ++asked === 1)).toEqual(['a read', 'a turn', 'a second turn', 'a second read']);
});
