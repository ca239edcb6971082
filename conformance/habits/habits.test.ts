import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { withHabits } from '../../scripts/habit-rows.js';
import { EXPLAINING, HABITS } from './index.js';

test('docs/ci.md says what the kit does about each habit; else: npm run docs', async () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/ci.md'), 'utf8');
  expect(page).toBe(await withHabits(page));
});

test('every habit is served or explains findings, under an id of its own', () => {
  expect(new Set(HABITS.map(({ id }) => id)).size).toBe(HABITS.length);
  expect(HABITS.filter(({ serve, explains }) => serve === undefined && explains === undefined)).toEqual([]);
});

test('every habit that explains findings is asked', () => {
  expect(new Set(EXPLAINING)).toEqual(new Set(HABITS.filter(({ explains }) => explains !== undefined)));
});
