import { expect, test } from 'vitest';
import { cover, isGood } from './cover.js';
import { firstRows } from './first.js';
import { TABLES } from './rows.js';

const rows = firstRows(TABLES.map((table) => cover(table, () => 0.5)[0] ?? []));
const wrong = rows.filter((row) => !isGood(row));

test('each operation is asked once as it should be, with what is plainest', () => {
  const good = rows.filter(isGood);
  expect(new Set(good.map(({ table }) => table))).toEqual(new Set(TABLES));
  expect(good).toHaveLength(TABLES.length);
  for (const { table, values } of good)
    for (const [at, part] of table.parts.entries()) expect(values[at]).toBe(part.find(({ bad }) => bad !== true));
});

test('what several operations refuse alike is asked once, of one or another of them', () => {
  const kinds = wrong.map(({ badState, state, values }) =>
    badState ? state : values.flatMap(({ bad, kind, name }) => (bad === true ? (kind ?? name) : [])).join(),
  );
  expect(new Set(kinds).size).toBe(kinds.length);
  expect(kinds).toEqual(expect.arrayContaining(['nobody', 'outsider_api_key', 'own_key', 'too large', 'no object']));
  expect(kinds).toEqual(expect.arrayContaining(['media type', 'no fields', 'unknown']));
  expect(new Set(wrong.map(({ table }) => table.operation)).size).toBeGreaterThan(8);
});

test('reads come after the writes that they show, and what uses an intern up comes last', () => {
  const at = (operation: string) => rows.findIndex(({ table }) => table.operation === operation);
  expect(at('intern secrets')).toBeGreaterThan(at('store intern secret'));
  const uses = rows.findIndex((row) => row.table.uses === true && isGood(row));
  expect(rows.slice(uses).every((row) => row.table.uses === true && isGood(row))).toBe(true);
});
