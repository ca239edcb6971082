import { expect, test } from 'vitest';
import type { Intern } from '../../emulator/contract/intern.js';
import { createPool } from './pool.js';

/** An intern that ran when a client of the run left a stream of it, in the hands of a check. */
function left() {
  const record = { id: 'left', status: 'running' } as Intern;
  let ago = 0;
  const pool = createPool({
    standing: (id) => (id === 'left' ? { record, state: 'running', since: 0 } : undefined),
    leftAgo: () => ago,
  });
  const lane = { made: new Set([record.id]), sent: 0 };
  const pass = (ms: number) => {
    ago = ms;
  };
  return { pool, record, lane, pass };
}

test('an intern that a client left a stream of serves others once that is noticed, and not before', () => {
  const { pool, record, lane, pass } = left();
  pass(30_000);
  pool.takeBack(lane);
  expect(pool.of('running')).toEqual([]);
  expect(pool.kept()).toEqual(new Set(['left']));
  pass(31_000);
  pool.takeBack({ made: new Set(), sent: 0 });
  expect(pool.of('running')).toEqual([record]);
});

test('the shared intern of a lane rests too, and the lane gets another', () => {
  const { pool, record, lane } = left();
  lane.made.clear();
  pool.keep('shared', record, lane);
  pool.takeBack(lane);
  expect(pool.of('shared', lane)).toEqual([]);
  expect(pool.of('resting')).toEqual([record]);
});

test('where there is room for a few alone, none rests', () => {
  const { pool, lane } = left();
  pool.takeBack(lane, 1);
  expect(pool.kept()).toEqual(new Set());
  expect(pool.idle).toEqual(new Set(['left']));
});

test('taken back it is kept for others, until it was used often', () => {
  const { pool, record, lane, pass } = left();
  pass(60_000);
  lane.made.add('unknown');
  pool.takeBack(lane);
  pool.takeBack(lane);
  expect(pool.of('running')).toEqual([record]);
  for (let uses = 0; uses < 12; uses++) {
    pool.take('running');
    pool.takeBack(lane);
  }
  expect(pool.of('running')).toEqual([]);
});
