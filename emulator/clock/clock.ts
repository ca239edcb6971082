import TinyQueue from 'tinyqueue';

export type ClockMode = 'real' | 'virtual' | 'frozen';

/** A pending call on a clock. */
export interface Timer {
  cancel(): void;
}

/**
 * The one clock of an emulator. Everything that waits, expires or carries a time takes it; nothing else reads the time.
 * Times are milliseconds since the Unix epoch, durations milliseconds.
 */
export interface Clock {
  readonly mode: ClockMode;
  now(): number;
  /** Calls `fire` once `ms` from now. */
  timer(ms: number, fire: () => void): Timer;
  /** Resolves `ms` from now; rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Something is under way that an `advance` has to wait for (a write to disk, say). Call the result when it is done. */
  hold(): () => void;
}

/** What only the owner of a clock may do. */
export interface ClockControl extends Clock {
  /**
   * Moves the time ahead, firing what falls due in due order, each settled before the next.
   *
   * Rejects with a RangeError where `ms` is no duration or leads beyond {@link LATEST}.
   */
  advance(ms: number): Promise<void>;
  /** Stops a real clock where it is. A virtual clock always stands still. */
  freeze(): void;
  /** Lets a frozen clock run on from where it stopped. */
  resume(): void;
  /** Drops every pending timer: nothing fires afterwards, and nothing keeps the process alive. */
  close(): void;
}

/** Where a virtual clock starts: 2026-01-01T00:00:00.000Z. */
export const VIRTUAL_EPOCH = Date.UTC(2026, 0, 1);

/** The last instant that a timestamp of four-digit years can name; no clock can be advanced beyond it. */
export const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

interface Entry {
  readonly due: number;
  readonly order: number;
  /** Undefined once fired or cancelled. */
  fire: (() => void) | undefined;
}

const byDue = (a: Entry, b: Entry) => a.due - b.due || a.order - b.order;

/** setTimeout takes at most 2^31-1 ms; longer waits are armed again. */
const LONGEST_HOST_WAIT = 2_147_483_647;

/**
 * A clock that is real (follows the host's), virtual (stands still until advanced) or frozen (a real one stopped).
 *
 * One heap of timers serves every mode, so that a deadline behaves the same under each; the host's own timer is only
 * armed for the earliest entry, and only while the clock is real. Cancelled entries stay in the heap until they surface
 * or outnumber the live ones.
 */
export function createClock(mode: 'real' | 'virtual' = 'real', start = VIRTUAL_EPOCH): ClockControl {
  let queue = new TinyQueue<Entry>([], byDue);
  let current: ClockMode = mode;
  /** Real: what is added to the host's time. Otherwise: unused. */
  let offset = 0;
  /** Virtual and frozen: the time. */
  let still = start;
  let order = 0;
  let cancelled = 0;
  let holds = 0;
  let closed = false;
  let host: NodeJS.Timeout | undefined;
  let hostDue = Number.POSITIVE_INFINITY;
  let advancing: Promise<void> = Promise.resolve();
  /** A real clock that is being advanced stands still meanwhile; whether it runs on afterwards. */
  let jumping = false;
  let runsOn = true;

  const now = () => (current === 'real' ? Date.now() + offset : still);

  const peek = (): Entry | undefined => {
    let entry = queue.peek();
    while (entry && entry.fire === undefined) {
      queue.pop();
      cancelled--;
      entry = queue.peek();
    }
    return entry;
  };

  const sweep = () => {
    queue = new TinyQueue(
      queue.data.filter((entry) => entry.fire !== undefined),
      byDue,
    );
    cancelled = 0;
  };

  const disarm = () => {
    if (host) clearTimeout(host);
    host = undefined;
    hostDue = Number.POSITIVE_INFINITY;
  };

  const arm = () => {
    if (current !== 'real' || closed) return;
    const next = peek();
    if (!next) return disarm();
    if (next.due === hostDue) return;
    disarm();
    hostDue = next.due;
    host = setTimeout(onHost, Math.min(Math.max(0, next.due - now()), LONGEST_HOST_WAIT));
  };

  const pop = (entry: Entry) => {
    queue.pop();
    const { fire } = entry;
    entry.fire = undefined;
    fire?.();
  };

  const onHost = () => {
    host = undefined;
    hostDue = Number.POSITIVE_INFINITY;
    const limit = now();
    for (let entry = peek(); entry && entry.due <= limit; entry = peek()) pop(entry);
    arm();
  };

  const timer = (ms: number, fire: () => void): Timer => {
    const entry: Entry = { due: now() + Math.max(0, ms), order: order++, fire: closed ? undefined : fire };
    if (closed) return { cancel() {} };
    queue.push(entry);
    if (entry.due < hostDue) arm();
    return {
      cancel() {
        if (entry.fire === undefined) return;
        entry.fire = undefined;
        cancelled++;
        if (cancelled > 1024 && cancelled > queue.length / 2) sweep();
        if (entry.due === hostDue) arm();
      },
    };
  };

  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

  /** A few turns of the event loop, more while something is held or further timers fell due at once. */
  const settle = async () => {
    for (let quiet = 0; quiet < 3; quiet++) {
      await turn();
      if (holds > 0) quiet = -1;
    }
  };

  const advanceTo = async (target: number) => {
    await settle();
    for (let entry = peek(); entry && entry.due <= target && !closed; entry = peek()) {
      const { due } = entry;
      if (due > still) still = due;
      // Those due at the same instant fire one after another, each with a turn for what it causes.
      for (let same: Entry | undefined = entry; same && same.due <= due && !closed; same = peek()) {
        pop(same);
        await turn();
      }
      await settle();
    }
    if (target > still) still = target;
    await settle();
  };

  const freeze = () => {
    if (current !== 'real') return;
    still = now();
    current = 'frozen';
    disarm();
  };
  const resume = () => {
    if (current !== 'frozen') return;
    offset = still - Date.now();
    current = 'real';
    arm();
  };

  const clock: ClockControl = {
    get mode() {
      return current;
    },
    now,
    timer,
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const abort = () => {
          pending.cancel();
          reject(signal?.reason);
        };
        const pending = timer(ms, () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        });
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
    advance(ms) {
      // Two advances at once are two steps one after the other, never a race over the heap.
      const step = advancing.then(async () => {
        if (!(ms >= 0 && now() + ms <= LATEST))
          throw new RangeError(
            `a clock cannot be advanced by ${ms} ms: it runs until ${new Date(LATEST).toISOString()}`,
          );
        if (current !== 'real') return advanceTo(still + ms);
        freeze();
        jumping = true;
        runsOn = true;
        try {
          await advanceTo(still + ms);
        } finally {
          jumping = false;
          if (runsOn) resume();
        }
      });
      // One that fails is told to its caller; the next goes on from where it left the clock.
      advancing = step.catch(() => {});
      return step;
    },
    freeze() {
      if (jumping) runsOn = false;
      else freeze();
    },
    resume() {
      if (jumping) runsOn = true;
      else resume();
    },
    close() {
      closed = true;
      disarm();
      queue = new TinyQueue<Entry>([], byDue);
    },
  };
  return clock;
}
