import { expect, test } from 'vitest';
import { parseDuration } from './duration.js';

test.each([
  ['20', 20],
  ['20ms', 20],
  ['1.005s', 1_005],
  ['1.1 s', 1_100],
  ['5m', 300_000],
  ['1h', 3_600_000],
  [7, 7],
])('%s is %i ms', (given, ms) => expect(parseDuration(given)).toBe(ms));

test.each(['', 's', '-1', '1e3', '0.5ms', '0.0004ms', '1.0000004s', '2 days', 1.5])('%s is no duration', (given) =>
  expect(() => parseDuration(given)).toThrow(RangeError),
);
