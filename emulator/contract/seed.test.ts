import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { seedSchema } from './seed.js';

test('the default seed is what its schema makes of it: it is used as it is', () => {
  const seed = JSON.parse(readFileSync('fixtures/seeds/default.json', 'utf8'));
  expect(seedSchema().parse(seed)).toEqual(seed);
});

test.each([
  [{ name: 'BAD' }, 'name', 'expected lower-case words'],
  [{ description: 'x'.repeat(2_001) }, 'description', 'expected 0 to 2000 code points'],
  [{ instructions: 'x'.repeat(100_001) }, 'instructions', 'expected 0 to 100000 code points'],
  [{ model: 'large' }, 'model', 'expected author/slug'],
])('a seeded intern keeps the rules of create and update: %#', (changes, field, message) => {
  const seed = JSON.parse(readFileSync('fixtures/seeds/default.json', 'utf8'));
  Object.assign(seed.interns[0], changes);
  const { error } = seedSchema().safeParse(seed);
  expect(error?.issues).toEqual([expect.objectContaining({ path: ['interns', 0, field] })]);
  expect(error?.issues[0]?.message).toContain(message);
});
