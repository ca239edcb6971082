import { expect, test } from 'vitest';
import type { Intern } from '../../emulator/contract/intern.js';
import { createConditions } from './conditions.js';
import { createLane } from './lane.js';
import { createPool, keepFewer, kept, rest, takeBack } from './pool.js';

/** An intern that ran when a client of the run left a stream of it, in the hands of a check. */
function left() {
  const pool = createPool();
  const conditions = createConditions(() => 0);
  const record = { id: 'left', status: 'running' } as Intern;
  conditions.made(record, 'running');
  const lane = createLane(() => undefined);
  lane.made.add(record.id);
  return { pool, conditions, record, lane };
}

test('an intern that a client left a stream of serves others once that is noticed, and not before', () => {
  const { pool, conditions, record, lane } = left();
  rest(pool, lane, conditions, () => 30_000);
  takeBack(pool, lane.made, conditions);
  expect(pool.unused.running).toEqual([]);
  expect(kept(pool)).toEqual(new Set(['left']));
  const other = createLane(() => undefined);
  rest(pool, other, conditions, () => 31_000);
  takeBack(pool, other.made, conditions);
  expect(pool.unused.running).toEqual([record]);
});

test('the shared intern of a lane rests too, and the lane gets another', () => {
  const { pool, conditions, record, lane } = left();
  lane.made.clear();
  pool.shared.set(lane, record);
  rest(pool, lane, conditions, () => 0);
  expect(pool.shared.size).toBe(0);
  expect(pool.resting).toEqual(new Set(['left']));
});

test('where there is room for a few alone, none rests', () => {
  const { pool, conditions, lane } = left();
  rest(pool, lane, conditions, () => 0);
  keepFewer(pool, 1);
  expect(kept(pool)).toEqual(new Set());
  expect(pool.idle).toEqual(new Set(['left']));
});
