import { createAllowance, hostTime } from './host.js';
import { Scope } from './scope.js';
import { createTimers, type TimerEntry } from './timers.js';
import type { ClockControl, ClockKind, ClockOptions, Timer, TimerKind } from './types.js';

export type * from './types.js';

/** The start of a virtual clock: 2026-01-01T00:00:00.000Z. */
export const VIRTUAL_EPOCH = Date.UTC(2026, 0, 1);

/** The last instant that a timestamp of four-digit years can name; no clock can be advanced beyond it. */
export const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** setTimeout takes at most 2^31-1 ms; longer waits are armed again. */
const LONGEST_HOST_WAIT = 2_147_483_647;

const throwOnItsOwn = (error: unknown) => {
  setImmediate(() => {
    throw error;
  });
};

/**
 * A clock of one of the three kinds. One heap of timers serves all of them, so that a deadline behaves the same under
 * each. The host's own timer is armed only for the earliest entry, and only while the clock is real.
 */
export function createClock(kind: ClockKind = 'real', options: ClockOptions = {}): ClockControl {
  const { start = VIRTUAL_EPOCH, onError = throwOnItsOwn, onAdvance } = options;
  const timers = createTimers();
  /** The timers that an automatic clock advances to by itself, of `timers`. */
  const work = createTimers();
  const allowance = createAllowance();
  const host = hostTime();
  /** Real: the offset from the host's time. */
  let offset = 0;
  /** Virtual and frozen: the time. */
  let still = start;
  let stopped = kind !== 'real';
  let frozen = false;
  let order = 0;
  let holds = 0;
  let closed = false;
  let armed: NodeJS.Timeout | undefined;
  let armedFor = Number.POSITIVE_INFINITY;
  let advancing: Promise<void> = Promise.resolve();
  let advances = new Scope();
  /** A clock that is being advanced otherwise stands still; this says whether it runs on afterwards. */
  let jumping = false;
  /** Whether an automatic clock is about to check what it may advance to. */
  let looking = false;

  const now = () => (stopped ? still : host() + offset);

  const disarm = () => {
    if (armed) clearTimeout(armed);
    armed = undefined;
    armedFor = Number.POSITIVE_INFINITY;
  };

  const arm = () => {
    if (stopped || closed) return;
    const next = timers.first();
    if (!next) return disarm();
    // Armed for a cancelled timer: waking once too early costs less than arming anew with each.
    if (next.due >= armedFor) return;
    disarm();
    armedFor = next.due;
    armed = setTimeout(onHost, Math.min(Math.max(0, next.due - now()), LONGEST_HOST_WAIT));
  };

  const fire = (entry: TimerEntry) => {
    timers.shift();
    const call = entry.fire;
    entry.fire = undefined;
    try {
      call?.();
    } catch (error) {
      onError(error);
    }
  };

  /**
   * Fires what is due until `limit`. All effects of one timer come before the next timer fires: the first of many does
   * not wait for the last. A tick runs once no promise has anything left to do.
   */
  const fireDue = (limit: number) => {
    const entry = timers.first();
    // A fired timer may have set the clock back.
    if (!entry || entry.due > Math.min(limit, now()) || stopped || closed) return arm();
    fire(entry);
    queueMicrotask(() => process.nextTick(fireDue, limit));
  };

  const onHost = () => {
    armed = undefined;
    armedFor = Number.POSITIVE_INFINITY;
    fireDue(now());
  };

  const timer = (ms: number, call: () => void, its: TimerKind = 'deadline'): Timer => {
    if (closed) return { cancel() {} };
    const entry: TimerEntry = { due: now() + Math.max(0, ms), order: order++, fire: call };
    timers.add(entry);
    if (kind === 'auto' && its === 'work') {
      work.add(entry);
      lookSoon();
    } else if (entry.due < armedFor) arm();
    return {
      cancel() {
        if (entry.fire === undefined) return;
        entry.fire = undefined;
        timers.dropped();
        if (kind === 'auto' && its === 'work') work.dropped();
        if (entry.due === armedFor) arm();
      },
    };
  };

  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

  /** A few turns of the event loop, more while something holds the clock or further timers fell due at once. */
  const settle = async (scope: Scope) => {
    for (let quiet = 0; quiet < 3 && !scope.disposed; quiet++) {
      await turn();
      if (holds > 0) quiet = -1;
    }
    scope.throwIfDisposed();
  };

  const advanceTo = async (target: number, scope: Scope) => {
    for (;;) {
      await settle(scope);
      const entry = timers.first();
      if (!entry || entry.due > target || closed) break;
      const { due } = entry;
      if (due > still) still = due;
      // Timers due at the same instant fire one after another, each with a turn for its effects.
      for (let same: TimerEntry | undefined = entry; same && same.due <= due && !closed; same = timers.first()) {
        fire(same);
        await turn();
        scope.throwIfDisposed();
      }
    }
    if (target > still) still = target;
  };

  /** One step at a time: two concurrent advances are two steps in sequence, never a race over the heap. */
  const inTurn = (step: () => Promise<void>): Promise<void> => {
    const done = advancing.then(step);
    // A failing advance is reported to its caller. The next goes on from where it left the clock.
    advancing = done.catch(() => {});
    return done;
  };

  const stop = () => {
    if (stopped) return;
    still = now();
    stopped = true;
    disarm();
  };
  const run = () => {
    if (frozen || closed) return;
    if (kind === 'auto') lookSoon();
    if (kind !== 'real' || !stopped) return;
    offset = still - host();
    stopped = false;
    arm();
  };

  /** Moves an automatic clock to where work waits for it, once nothing else is in progress. */
  const look = async () => {
    await settle(advances);
    looking = false;
    const next = work.first();
    if (!next || next.due > LATEST || frozen || closed) return;
    const wait = allowance.take(next.due - still);
    if (wait > 0) return later(wait);
    await advanceTo(next.due, advances);
    onAdvance?.();
  };
  function lookSoon() {
    if (looking || frozen || closed) return;
    looking = true;
    inTurn(look).then(
      () => armed === undefined && (work.first()?.due ?? Number.POSITIVE_INFINITY) <= LATEST && lookSoon(),
      () => {
        looking = false;
        lookSoon();
      },
    );
  }
  const later = (ms: number) => {
    looking = true;
    armed = setTimeout(() => {
      armed = undefined;
      looking = false;
      lookSoon();
    }, ms);
  };

  const clock: ClockControl = {
    get mode() {
      return frozen ? 'frozen' : kind === 'real' ? 'real' : 'virtual';
    },
    now,
    timer,
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        if (ms <= 0) return resolve();
        const abort = () => {
          pending.cancel();
          reject(signal?.reason);
        };
        const wake = () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        };
        const pending = timer(ms, wake, 'work');
        signal?.addEventListener('abort', abort, { once: true });
      });
    },
    hold() {
      holds++;
      let held = true;
      return () => {
        if (held) holds--;
        held = false;
      };
    },
    advance(ms, given) {
      const scope = advances.child();
      if (given) scope.follow(given);
      return inTurn(async () => {
        scope.throwIfDisposed();
        if (typeof ms !== 'number' || !(ms >= 0))
          throw new RangeError(
            `a clock is advanced by ms, a number from 0; found ${typeof ms === 'string' ? JSON.stringify(ms) : ms}`,
          );
        if (now() + ms > LATEST)
          throw new RangeError(
            `a clock cannot be advanced by ${ms} ms: it runs until ${new Date(LATEST).toISOString()}`,
          );
        stop();
        jumping = true;
        try {
          await advanceTo(still + ms, scope);
        } finally {
          jumping = false;
          run();
        }
      }).finally(() => scope.dispose());
    },
    interrupt(reason) {
      const ended = advances;
      advances = new Scope();
      void ended.dispose(reason);
    },
    freeze() {
      if (kind === 'virtual') return;
      frozen = true;
      if (!jumping) stop();
    },
    resume() {
      frozen = false;
      if (!jumping) run();
    },
    restore(to) {
      disarm();
      still = to.now;
      stopped = true;
      frozen = kind !== 'virtual' && to.frozen;
      run();
    },
    close() {
      closed = true;
      disarm();
      timers.clear();
      work.clear();
    },
  };
  return clock;
}
