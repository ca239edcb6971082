import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { createClock, LATEST, VIRTUAL_EPOCH } from './clock.js';
import '../../test/same-draws.js';

describe('a virtual clock', () => {
  test('fires in due order, and in order of making where they are due together', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(50), { maxLength: 40 }), async (delays) => {
        const clock = createClock('virtual');
        const fired: [number, number][] = [];
        for (const [index, delay] of delays.entries()) clock.timer(delay, () => fired.push([clock.now(), index]));
        await clock.advance(50);
        const expected = delays
          .map((delay, index): [number, number] => [VIRTUAL_EPOCH + delay, index])
          .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
        expect(fired).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });

  test('settles what a timer causes before the next one fires', async () => {
    const clock = createClock('virtual');
    const seen: string[] = [];
    const chain = async () => {
      await clock.sleep(10);
      seen.push(`woke ${clock.now() - VIRTUAL_EPOCH}`);
      for (let i = 0; i < 20; i++) await Promise.resolve();
      await clock.sleep(10);
      seen.push(`woke again ${clock.now() - VIRTUAL_EPOCH}`);
    };
    void chain();
    clock.timer(15, () => seen.push('between'));
    await clock.advance(20);
    expect(seen).toEqual(['woke 10', 'between', 'woke again 20']);
  });

  test('waits for what is held', async () => {
    const clock = createClock('virtual');
    const seen: string[] = [];
    clock.timer(1, () => {
      const release = clock.hold();
      let turns = 10;
      const step = () => {
        if (--turns > 0) return void setImmediate(step);
        seen.push('written');
        release();
      };
      step();
    });
    clock.timer(2, () => seen.push('later'));
    await clock.advance(2);
    expect(seen).toEqual(['written', 'later']);
  });

  test('takes advances one after another', async () => {
    const clock = createClock('virtual');
    const seen: number[] = [];
    clock.timer(10, () => seen.push(clock.now() - VIRTUAL_EPOCH));
    clock.timer(25, () => seen.push(clock.now() - VIRTUAL_EPOCH));
    await Promise.all([clock.advance(20), clock.advance(20)]);
    expect(seen).toEqual([10, 25]);
    expect(clock.now()).toBe(VIRTUAL_EPOCH + 40);
  });

  test('refuses an advance beyond the last timestamp there is, and goes on with the next', async () => {
    const clock = createClock('virtual');
    await expect(clock.advance(Number.MAX_SAFE_INTEGER)).rejects.toThrow('runs until 9999-12-31T23:59:59.999Z');
    for (const [ms, found] of [
      [Number.NaN, 'NaN'],
      [-1, '-1'],
      ['5m', '"5m"'],
    ] as const)
      await expect(clock.advance(ms as number)).rejects.toThrow(`advanced by ms, a number from 0; found ${found}`);
    await clock.advance(10);
    expect(clock.now()).toBe(VIRTUAL_EPOCH + 10);
    await clock.advance(LATEST - clock.now());
    expect(new Date(clock.now()).toISOString()).toBe('9999-12-31T23:59:59.999Z');
  });

  test('a timer that throws is reported, and neither its advance nor what is due after it suffers', async () => {
    const errors: unknown[] = [];
    const clock = createClock('virtual', { onError: (error) => errors.push(error) });
    let fired = 0;
    clock.timer(5, () => {
      throw new Error('ours');
    });
    clock.timer(5, () => fired++);
    clock.timer(10, () => fired++);
    await clock.advance(10);
    expect([errors, fired]).toEqual([[new Error('ours')], 2]);
    expect(clock.now()).toBe(VIRTUAL_EPOCH + 10);
  });

  test('stays where it has come to when the caller of an advance leaves, or it is interrupted', async () => {
    const clock = createClock('virtual');
    const tick = () => void clock.timer(30_000, tick);
    tick();
    const century = 100 * 365 * 86_400_000;
    const caller = new AbortController();
    const left = clock.advance(century, caller.signal);
    const queued = clock.advance(5_000);
    clock.timer(60_000, () => caller.abort(new Error('left')));
    await expect(left).rejects.toThrow('left');
    expect(clock.now()).toBe(VIRTUAL_EPOCH + 60_000);
    await queued;
    expect(clock.now()).toBe(VIRTUAL_EPOCH + 65_000);

    const both = [clock.advance(century), clock.advance(century)];
    clock.timer(60_000, () => clock.interrupt(new Error('reset')));
    for (const one of both) await expect(one).rejects.toThrow('reset');
    expect(clock.now()).toBe(VIRTUAL_EPOCH + 125_000);
    await clock.advance(1);
    expect(clock.now()).toBe(VIRTUAL_EPOCH + 125_001);
  });

  test('an advance waits for what is held no longer than its caller', async () => {
    const clock = createClock('virtual');
    clock.hold();
    const caller = new AbortController();
    const advanced = clock.advance(1, caller.signal);
    setImmediate(() => caller.abort(new Error('left')));
    await expect(advanced).rejects.toThrow('left');
  });

  test('does not fire what was cancelled, however much of it there is', async () => {
    const clock = createClock('virtual');
    let fired = 0;
    const timers = Array.from({ length: 5_000 }, (_, i) => clock.timer(i, () => fired++));
    for (const [index, timer] of timers.entries()) if (index % 5 !== 0) timer.cancel();
    await clock.advance(5_000);
    expect(fired).toBe(1_000);
  });

  test('a sleep rejects with the reason of its signal, at once', async () => {
    const clock = createClock('virtual');
    const controller = new AbortController();
    const slept = clock.sleep(1_000, controller.signal);
    controller.abort(new Error('enough'));
    await expect(slept).rejects.toThrow('enough');
    await expect(clock.sleep(1, controller.signal)).rejects.toThrow('enough');
  });

  test('fires nothing after it was closed', async () => {
    const clock = createClock('virtual');
    let fired = 0;
    clock.timer(1, () => fired++);
    clock.close();
    clock.timer(1, () => fired++);
    await clock.advance(10);
    expect(fired).toBe(0);
  });
});

describe('a real clock', () => {
  test('jumps ahead when advanced, and runs on from there', async () => {
    const clock = createClock('real');
    const before = clock.now();
    let fired = false;
    clock.timer(3_600_000, () => {
      fired = true;
    });
    await clock.advance(3_600_000);
    expect(fired).toBe(true);
    expect(clock.mode).toBe('real');
    expect(clock.now()).toBeGreaterThanOrEqual(before + 3_600_000);
    clock.close();
  });

  test('waits as long as ever when the host sets its time back, and follows where it is set forward', async () => {
    const host = vi.spyOn(Date, 'now');
    try {
      const clock = createClock();
      const before = clock.now();
      host.mockImplementation(() => performance.timeOrigin + performance.now() - 3_600_000);
      await clock.sleep(5);
      expect(clock.now()).toBeGreaterThanOrEqual(before + 5);
      expect(clock.now()).toBeLessThan(before + 60_000);
      host.mockImplementation(() => Math.floor(performance.timeOrigin + performance.now() + 3_600_000));
      expect(clock.now()).toBeGreaterThanOrEqual(before + 3_600_000);
      clock.close();
    } finally {
      host.mockRestore();
    }
  });

  test('a timer that throws is reported, and the next fires all the same', async () => {
    const errors: unknown[] = [];
    const clock = createClock('real', { onError: (error) => errors.push(error) });
    clock.timer(0, () => {
      throw new Error('ours');
    });
    await clock.sleep(1);
    expect(errors).toEqual([new Error('ours')]);
    clock.close();
  });

  test('does what a timer causes before it fires the next that is due', async () => {
    const clock = createClock('real');
    const seen: string[] = [];
    for (const name of ['first', 'second', 'third'])
      clock.timer(0, async () => {
        seen.push(`${name} fires`);
        for (let i = 0; i < 20; i++) await undefined;
        seen.push(`${name} is done`);
      });
    await clock.sleep(1);
    expect(seen).toEqual(['first', 'second', 'third'].flatMap((name) => [`${name} fires`, `${name} is done`]));
    clock.close();
  });

  test('fires nothing early that was set after it went back, in the middle of what was due', async () => {
    const clock = createClock('real');
    let early = false;
    clock.timer(0, () => {
      clock.restore({ now: clock.now() - 3_600_000, frozen: false });
      clock.timer(60_000, () => {
        early = true;
      });
    });
    clock.timer(0, () => {});
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(early).toBe(false);
    clock.close();
  });

  test('fires by itself', async () => {
    const clock = createClock('real');
    const before = clock.now();
    const fired = await new Promise<number>((resolve) => clock.timer(20, () => resolve(clock.now())));
    // Node's timers may be a millisecond early.
    expect(fired - before).toBeGreaterThanOrEqual(19);
    clock.close();
  });

  test('stays frozen when that was asked for in the middle of an advance, and runs on after one that was interrupted', async () => {
    const clock = createClock();
    const frozen = clock.advance(1_000);
    clock.timer(0, () => clock.freeze());
    await frozen;
    expect(clock.mode).toBe('frozen');
    clock.resume();
    clock.timer(5, () => clock.interrupt(new Error('enough')));
    await expect(clock.advance(10_000)).rejects.toThrow('enough');
    expect(clock.mode).toBe('real');
    clock.close();
  });

  test('stands still while frozen', async () => {
    const clock = createClock('real');
    clock.freeze();
    expect(clock.mode).toBe('frozen');
    const at = clock.now();
    let fired = false;
    clock.timer(0, () => {
      fired = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(clock.now()).toBe(at);
    expect(fired).toBe(false);
    await clock.advance(10);
    expect(fired).toBe(true);
    expect(clock.now()).toBe(at + 10);
    clock.resume();
    expect(clock.mode).toBe('real');
    clock.close();
  });
});
