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
  test('lets so many turns pass within any 60 s, exactly', async () => {
    const { clock, limiter, refusal } = setUp(2);
    limiter.take('alice');
    await clock.advance(10_000);
    limiter.take('alice');
    expect(refusal()).toMatchObject({
      key: 'rate_limited',
      headers: { 'retry-after': '50' },
      detail: expect.stringContaining('--turns-per-minute'),
    });
    expect(refusal()?.message).toMatch(/^Too many intern turns/);
    await clock.advance(49_999);
    expect(refusal()?.headers).toEqual({ 'retry-after': '1' });
    await clock.advance(1);
    expect(refusal()).toBeUndefined();
    expect(refusal()?.headers).toEqual({ 'retry-after': '10' });
  });

  test('counts callers apart', () => {
    const { refusal } = setUp(1);
    expect(refusal('alice')).toBeUndefined();
    expect(refusal('bob')).toBeUndefined();
    expect(refusal('alice')).toBeDefined();
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

  test('changing the limit clears, 0 means no limit', () => {
    const { settings, limiter, refusal } = setUp(1);
    expect(refusal()).toBeUndefined();
    settings.turns_per_minute = 2;
    expect([refusal(), refusal()]).toEqual([undefined, undefined]);
    expect(refusal()).toBeDefined();
    settings.turns_per_minute = 0;
    for (let i = 0; i < 1_000; i++) expect(refusal()).toBeUndefined();
    settings.turns_per_minute = 1;
    expect(refusal()).toBeUndefined();
    expect(refusal()).toBeDefined();
    limiter.clear();
    expect(refusal()).toBeUndefined();
  });
});
