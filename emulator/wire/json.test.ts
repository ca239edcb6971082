import { expect, test } from 'vitest';
import { changedAt, jsonOf, valueAt } from './json.js';

const page = { data: [{ id: 1, hosts: ['a'] }, { id: 2 }], more: false };

test.each([
  ['more', false],
  ['data.[].id', 1],
  ['data.-1.id', 2],
  ['data.1.hosts', undefined],
  ['none.of.it', undefined],
])('finds what stands in %s', (place, value) => {
  expect(valueAt(page, place)).toEqual(value);
});

test.each([
  ['a field', 'more', { ...page, more: 'x' }],
  ['one that is not there', 'total', { ...page, total: 'x' }],
  ['every item', 'data.[].id', { data: [{ id: 'x', hosts: ['a'] }, { id: 'x' }], more: false }],
  ['the last item', 'data.-1', { data: [{ id: 1, hosts: ['a'] }, 'x'], more: false }],
  ['nothing where what holds the place is not there', 'none.of.it', page],
])('changes %s', (_, place, changed) => {
  expect(changedAt(page, place, () => 'x')).toEqual(changed);
  expect(page.data).toHaveLength(2);
});

test('what is undefined is left out', () => {
  expect(changedAt(page, 'data.[].hosts', () => undefined)).toEqual({ data: [{ id: 1 }, { id: 2 }], more: false });
  expect(changedAt(page, 'data.0', () => undefined)).toEqual({ data: [{ id: 2 }], more: false });
});

test('a change is given the value and what holds it', () => {
  const given: unknown[] = [];
  changedAt(page, 'data.[].id', (value, parent) => given.push([value, parent]));
  expect(given).toEqual(page.data.map((item) => [item.id, item]));
});

test('a text that is no JSON is undefined', () => {
  expect([jsonOf('{"a":1}'), jsonOf('{'), jsonOf('['.repeat(100_000))]).toEqual([{ a: 1 }, undefined, undefined]);
});
