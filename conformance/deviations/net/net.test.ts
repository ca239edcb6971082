import { expect, test } from 'vitest';
import { deviations } from '../index.js';
import { countFound, readFound } from './found.harness.js';
import { TABLES } from './tables.harness.js';
import { differsAt } from './trace.harness.js';

// What was not measured yet is added by the command: it holds every deviation against every table.
const { atLeast, found } = readFound();
const AGAIN = 'measure again: npm run deviations -- --net';

test('what was held against the right emulator is a deviation, and what found it apart a table', () => {
  const known = new Set(deviations.map(({ name }) => name));
  expect(
    Object.keys(found).filter((name) => !known.has(name)),
    AGAIN,
  ).toEqual([]);
  const tables = Object.values(found).filter((table) => table !== null && TABLES[table] === undefined);
  expect(tables, AGAIN).toEqual([]);
});

test('no fewer are found different than at the last landing', () => {
  expect(countFound(found)).toBeGreaterThanOrEqual(atLeast);
});

test('the right emulator answers the same each time', async () => {
  expect(await differsAt({}, ['keys', 'scim'])).toBeUndefined();
});
