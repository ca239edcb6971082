import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { withHabits } from '../../scripts/habit-rows.js';
import { HABITS, HEEDED } from './index.js';

test('docs/kit.md says what the kit does about each habit; else: npm run docs', async () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/kit.md'), 'utf8');
  expect(page).toBe(await withHabits(page));
});

test('every habit is served or explains findings, under an id of its own', () => {
  expect(new Set(HABITS.map(({ id }) => id)).size).toBe(HABITS.length);
  expect(HABITS.filter(({ serve, explains }) => serve === undefined && explains === undefined)).toEqual([]);
});

test('every habit that the kit does something about is asked', () => {
  const HOOKS = ['before', 'again', 'prepare', 'explains'] as const;
  expect(new Set(HEEDED)).toEqual(new Set(HABITS.filter((habit) => HOOKS.some((hook) => habit[hook] !== undefined))));
});
