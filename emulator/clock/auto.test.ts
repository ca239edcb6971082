import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createClock, LATEST, VIRTUAL_EPOCH } from './clock.js';

const turns = async (count = 20) => {
  for (let i = 0; i < count; i++) await new Promise<void>((resolve) => setImmediate(resolve));
};
const since = (clock: { now(): number }) => clock.now() - VIRTUAL_EPOCH;

describe('an automatic clock', () => {
  test('says that it is virtual, and stands still while no work waits', async () => {
    const clock = createClock('auto');
    expect(clock.mode).toBe('virtual');
    clock.timer(1_000, () => expect.unreachable());
    await turns();
    expect(since(clock)).toBe(0);
  });

  test('goes to what work waits for, passing deadlines on the way in their order', async () => {
    const clock = createClock('auto');
    const seen: [string, number][] = [];
    const note = (what: string) => () => seen.push([what, since(clock)]);
    clock.timer(30_000, note('keepalive'));
    clock.timer(46_000, note('deadline'));
    await clock.sleep(45_000);
    note('woke')();
    await clock.sleep(500);
    note('woke again')();
    await turns();
    expect(seen).toEqual([
      ['keepalive', 30_000],
      ['woke', 45_000],
      ['woke again', 45_500],
    ]);
    await clock.advance(500);
    expect(seen.at(-1)).toEqual(['deadline', 46_000]);
  });

  test('waits for what is held before it goes on', async () => {
    const clock = createClock('auto');
    const release = clock.hold();
    const slept = clock.sleep(1_000);
    await turns();
    expect(since(clock)).toBe(0);
    release();
    await slept;
    expect(since(clock)).toBe(1_000);
  });

  test('stands still while frozen, and can be advanced by hand', async () => {
    const clock = createClock('auto');
    clock.freeze();
    const slept = clock.sleep(1_000);
    await turns();
    expect([clock.mode, since(clock)]).toEqual(['frozen', 0]);
    await clock.advance(400);
    await turns();
    expect(since(clock)).toBe(400);
    clock.resume();
    expect(clock.mode).toBe('virtual');
    await slept;
    expect(since(clock)).toBe(1_000);
  });

  test('goes on after an interruption, and nowhere once it is closed', async () => {
    const clock = createClock('auto');
    const slept = clock.sleep(1_000);
    clock.interrupt(new Error('reset'));
    await slept;
    void clock.sleep(1_000);
    clock.close();
    await turns();
    expect(since(clock)).toBe(1_000);
  });

  test('never goes beyond the last timestamp there is', async () => {
    const clock = createClock('auto');
    clock.timer(LATEST, () => expect.unreachable(), 'work');
    await turns();
    expect(since(clock)).toBe(0);
  });
});

describe('an automatic clock that is kept waiting again and again', () => {
  let host = 0;
  beforeEach(() => {
    host = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => host);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  const pass = async (ms: number) => {
    host += ms;
    vi.advanceTimersByTime(ms);
    await turns(400);
  };
  const MINUTE = 60_000;
  const HOUR = 60 * MINUTE;

  test('advances an hour for each second of the host', async () => {
    const clock = createClock('auto');
    const poll = async () => {
      for (;;) await clock.sleep(10 * MINUTE);
    };
    void poll();
    await turns(400);
    expect(since(clock)).toBe(HOUR);
    await pass(999);
    expect(since(clock)).toBe(HOUR);
    await pass(1);
    expect(since(clock)).toBe(2 * HOUR);
    await pass(1_000);
    expect(since(clock)).toBe(3 * HOUR);
    clock.close();
  });

  test.each([
    ['makes up for it before the next', true],
    ['can be advanced meanwhile', false],
  ])('takes one long wait at once, and %s', async (_, waits) => {
    const clock = createClock('auto');
    await clock.sleep(5 * HOUR);
    const next = clock.sleep(MINUTE);
    await turns(100);
    if (waits) {
      await pass(4_999);
      expect(since(clock)).toBe(5 * HOUR);
      await pass(1);
    } else await clock.advance(MINUTE);
    await next;
    expect(since(clock)).toBe(5 * HOUR + MINUTE);
    clock.close();
  });
});
