import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { seedSchema } from './seed.js';

test('the default seed is what its schema makes of it: it is used as it is', () => {
  const seed = JSON.parse(readFileSync('fixtures/seeds/default.json', 'utf8'));
  expect(seedSchema().parse(seed)).toEqual(seed);
});
