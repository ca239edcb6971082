import { expect, test } from 'vitest';
import { createRandom } from './random.js';

const draw = (seed: string, stream?: string) => {
  const random = createRandom(seed, stream);
  return [random.uuid(), random.token('t-'), random.float(), random.bytes(5_000).toString('hex'), random.uuid()];
};

test('yields the same values for the same seed and stream, and others for others', () => {
  expect(draw('a')).toEqual(draw('a'));
  expect(draw('a', '1')).toEqual(draw('a', '1'));
  expect(draw('a')).not.toEqual(draw('b'));
  expect(draw('a', '1')).not.toEqual(draw('a', '2'));
  // The pair counts, not its text.
  expect(draw('a b', 'c')).not.toEqual(draw('a', 'b c'));
});

test('makes version 4 UUIDs that do not repeat', () => {
  const random = createRandom('uuids');
  const made = new Set(Array.from({ length: 10_000 }, () => random.uuid()));
  expect(made.size).toBe(10_000);
  for (const uuid of made)
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('makes floats from 0 to below 1', () => {
  const random = createRandom('floats');
  const floats = Array.from({ length: 1_000 }, () => random.float());
  expect(Math.min(...floats)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...floats)).toBeLessThan(1);
  expect(floats.filter((float) => float < 0.5).length).toBeGreaterThan(400);
});

test('a source goes on from where another was', () => {
  const random = createRandom('kept', 'here');
  const draws = () => [
    random.uuid(),
    random.token('t-'),
    random.float(),
    random.bytes(5_001).toString('hex'),
    random.uuid(),
  ];
  for (const before of [() => {}, () => random.bytes(3), () => random.bytes(4_090), () => random.bytes(9_001)]) {
    before();
    const state = JSON.parse(JSON.stringify(random.state()));
    const first = draws();
    random.restore(state);
    expect(draws()).toEqual(first);
    const other = createRandom('another');
    other.restore(state);
    expect(other.uuid()).toBe(first[0]);
    expect(other.seed).toBe('kept');
  }
});
