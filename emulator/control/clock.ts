import type { ClockControl } from '../clock/clock.js';

/** A clock that reports a change of its time or its mode. */
export const observedClock = (clock: ClockControl, changed: () => void): ClockControl => ({
  ...clock,
  get mode() {
    return clock.mode;
  },
  async advance(ms, signal) {
    try {
      await clock.advance(ms, signal);
    } finally {
      changed();
    }
  },
  freeze() {
    clock.freeze();
    changed();
  },
  restore(to) {
    clock.restore(to);
    changed();
  },
  resume() {
    clock.resume();
    changed();
  },
});
