import { expect, test } from 'vitest';
import { LISTS_AS_MET } from './lists.js';
import { found, met, watchOf } from './met.harness.js';

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
const row = (id: string, second: number, more = {}) => ({ id, status: 'running', created_at: at(second), ...more });
const seen = (id: string, query: string, data: readonly object[], as = 'api_key') =>
  found(watchOf(LISTS_AS_MET, `as-met/${id}`), met('GET', `/interns${query}`, 200, { data }, { as: as as 'api_key' }));

test('a list is newest first, with each intern once', () => {
  expect(seen('list-order', '', [row('b', 2), row('a', 1), row('c', 1)])).toEqual([]);
  expect(seen('list-order', '', [row('a', 1), row('b', 2)])).toEqual(['created_at in a list']);
  expect(seen('list-order', '?status=running', [row('b', 2), row('b', 2)])).toEqual(['interns of a list by status']);
});

test('a filtered list has what its filters name, where the kit knows what they mean', () => {
  const mine = row('a', 1, { workspace_id: 'w' });
  expect(seen('list-filters', '?status=running,failed&workspace_id=w', [mine])).toEqual([]);
  expect(seen('list-filters', '?status=at-work', [mine])).toEqual([]);
  expect(seen('list-filters', '?status=failed', [mine])).toEqual(['status in a list by status']);
  expect(seen('list-filters', '?workspace_id=x&status=running', [mine])).toEqual([
    'workspace_id in a list by status and workspace_id',
  ]);
});

test('a key is shown no interns of the run in another workspace', () => {
  const both = [row('own-1', 2), row('stranger', 1)];
  expect(seen('list-visible', '', both)).toEqual([]);
  const others = (as: string) => [`interns of other workspaces in a list of ${as}`];
  expect(seen('list-visible', '', both, 'foreign_api_key')).toEqual(others('foreign_api_key'));
  expect(seen('list-visible', '', [row('foreign-1', 1)], 'peer_api_key')).toEqual(others('peer_api_key'));
  expect(seen('list-visible', '', both, 'outsider_api_key')).toEqual(others('outsider_api_key'));
});

test('a list is not longer than its limit', () => {
  expect(seen('list-limit', '?limit=2', [row('b', 2), row('a', 1)])).toEqual([]);
  expect(seen('list-limit', '?limit=1', [row('b', 2), row('a', 1)])).toEqual(['interns of a list by limit']);
});
