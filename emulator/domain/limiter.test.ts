import { describe, expect, test } from 'vitest';
import { createClock } from '../clock/clock.js';
import { Refusal } from '../contract/errors.js';
import { settingsSchema } from '../contract/settings.js';
import { createLimiter } from './limiter.js';

function setUp(turns: number) {
  const clock = createClock('virtual');
  const settings = { ...settingsSchema().parse({}), turns_per_minute: turns };
  const limiter = createLimiter({ clock, settings: () => settings });
  const refusal = (caller = 'alice') => {
    try {
      limiter.take(caller);
      return undefined;
    } catch (error) {
      return error instanceof Refusal ? error : undefined;
    }
  };
  return { clock, settings, limiter, refusal };
}

describe('the limiter', () => {
  test('says how to allow more', () => {
    const { limiter, refusal } = setUp(1);
    limiter.take('alice');
    expect(refusal()).toMatchObject({ key: 'rate_limited', detail: expect.stringContaining('--turns-per-minute') });
  });

  test('a refused turn counts nothing, and one taken back neither', () => {
    const { limiter, refusal } = setUp(2);
    const giveBack = limiter.take('alice');
    expect(refusal()).toBeUndefined();
    expect(refusal()).toBeDefined();
    giveBack();
    giveBack();
    expect(refusal()).toBeUndefined();
    expect(refusal()).toBeDefined();
  });
});
