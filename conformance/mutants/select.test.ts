import { expect, test } from 'vitest';
import { mutants } from './index.js';
import { select } from './select.js';

const names = (...given: string[]) => select(mutants, given).map(({ name }) => name);
const [one = '', two = '', three = ''] = mutants.map(({ name }) => name);

test.each([
  ['one', [one], [one]],
  ['several, in their own order', [two, one], [one, two]],
  ['several with commas', [`${three}, ${one}`], [one, three]],
  ['both, and one twice', [`${one},${two}`, one], [one, two]],
])('names %s', (_, given, selected) => {
  expect(names(...given)).toEqual(selected);
});

test('a star stands for anything', () => {
  const listed = names('list-*');
  expect(listed.length).toBeGreaterThan(3);
  expect(listed.every((name) => name.startsWith('list-'))).toBe(true);
  expect(names('*')).toHaveLength(mutants.length);
});

test('an unknown name is refused, beside others too', () => {
  expect(() => names(`${one},no-such-name`)).toThrow('--only: no mutant is named no-such-name');
});
