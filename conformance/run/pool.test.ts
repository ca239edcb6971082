import { expect, test } from 'vitest';
import type { Intern } from '../../emulator/contract/intern.js';
import { createLane, createPool, keepFewer, kept, rest, takeBack } from './pool.js';

/** An intern that ran when a client of the run left a stream of it, in the hands of a check. */
function left() {
  const pool = createPool();
  const record = { id: 'left', status: 'running' } as Intern;
  const standing = (id: string) => (id === 'left' ? ({ record, state: 'running', since: 0 } as const) : undefined);
  const lane = createLane(() => undefined);
  lane.made.add(record.id);
  return { pool, standing, record, lane };
}

test('an intern that a client left a stream of serves others once that is noticed, and not before', () => {
  const { pool, standing, record, lane } = left();
  rest(pool, lane, standing, () => 30_000);
  takeBack(pool, lane.made, standing);
  expect(pool.unused.running).toEqual([]);
  expect(kept(pool)).toEqual(new Set(['left']));
  const other = createLane(() => undefined);
  rest(pool, other, standing, () => 31_000);
  takeBack(pool, other.made, standing);
  expect(pool.unused.running).toEqual([record]);
});

test('the shared intern of a lane rests too, and the lane gets another', () => {
  const { pool, standing, record, lane } = left();
  lane.made.clear();
  pool.shared.set(lane, record);
  rest(pool, lane, standing, () => 0);
  expect(pool.shared.size).toBe(0);
  expect(pool.resting).toEqual(new Set(['left']));
});

test('where there is room for a few alone, none rests', () => {
  const { pool, standing, lane } = left();
  rest(pool, lane, standing, () => 0);
  keepFewer(pool, 1);
  expect(kept(pool)).toEqual(new Set());
  expect(pool.idle).toEqual(new Set(['left']));
});

test('taken back it is kept for others, until it was used often', () => {
  const { pool, standing, record } = left();
  takeBack(pool, ['left', 'unknown'], standing);
  takeBack(pool, ['left'], standing);
  expect(pool.unused.running).toEqual([record]);
  for (let uses = 0; uses < 12; uses++) {
    pool.unused.running = [];
    takeBack(pool, ['left'], standing);
  }
  expect(pool.unused.running).toEqual([]);
});
