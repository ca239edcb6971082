import { expect, test } from 'vitest';
import { TIMESTAMP } from './assert.js';

test.each(['2025-03-04T05:06:07.089Z', '2025-03-04T05:06:07.089+00:00'])('%s is UTC with milliseconds', (time) => {
  expect(time).toMatch(TIMESTAMP);
});

test.each([
  '2025-03-04T05:06:07Z',
  '2025-03-04T05:06:07.089',
  '2025-03-04T05:06:07.089123Z',
  '2025-03-04T05:06:07.089+01:00',
  '2025-03-04 05:06:07.089Z',
])('%s is not', (time) => {
  expect(time).not.toMatch(TIMESTAMP);
});
