import { expect, test } from 'vitest';
import { createClock } from '../clock/clock.js';
import { settingsSchema } from '../contract/settings.js';
import { createLimiter } from './limiter.js';

test('a refused turn says how to allow more', () => {
  const settings = { ...settingsSchema().parse({}), turns_per_minute: 1 };
  const limiter = createLimiter({ clock: createClock('virtual'), settings: () => settings });
  limiter.take('alice');
  expect(() => limiter.take('alice')).toThrow(
    expect.objectContaining({ key: 'rate_limited', detail: expect.stringContaining('--turns-per-minute') }),
  );
});
