import TinyQueue from 'tinyqueue';

export interface TimerEntry {
  readonly due: number;
  readonly order: number;
  /** Undefined once fired or cancelled. */
  fire: (() => void) | undefined;
}

const byDue = (a: TimerEntry, b: TimerEntry) => a.due - b.due || a.order - b.order;

/** A heap with fewer cancelled entries than this is not worth rebuilding. */
const SWEEP_FROM = 1_024;

/**
 * Pending timers by due time, those due together in order of making. Cancelled ones stay until they surface or
 * outnumber the live ones.
 */
export function createTimers() {
  let heap = new TinyQueue<TimerEntry>([], byDue);
  let cancelled = 0;

  return {
    add: (entry: TimerEntry) => heap.push(entry),
    /** The one due first. */
    first(): TimerEntry | undefined {
      let entry = heap.peek();
      while (entry && entry.fire === undefined) {
        heap.pop();
        if (cancelled > 0) cancelled--;
        entry = heap.peek();
      }
      return entry;
    },
    /** Takes out {@link first}, which is about to fire. */
    shift: () => void heap.pop(),
    /** Counts an entry whose `fire` was removed, other than by {@link shift}. */
    dropped() {
      cancelled++;
      if (cancelled <= SWEEP_FROM || cancelled <= heap.length / 2) return;
      heap = new TinyQueue(
        heap.data.filter((entry) => entry.fire !== undefined),
        byDue,
      );
      cancelled = 0;
    },
    clear() {
      heap = new TinyQueue<TimerEntry>([], byDue);
      cancelled = 0;
    },
  };
}
