import type { Clock } from '../clock/clock.js';
import { Refusal } from '../contract/errors.js';
import type { Settings } from '../contract/settings.js';

const WINDOW = 60_000;

/** Turns of one caller: times, oldest first, from `head` on. */
interface Counted {
  times: number[];
  head: number;
}

/**
 * The chat turn limiter (CHAT-17, SIGN-8): at most `turns_per_minute` turns within any 60 seconds of the clock, per
 * caller: a turn counts until exactly 60,000 ms after it. 0 is no limit. A limit that changes between two turns
 * restarts the count.
 */
export function createLimiter(deps: { clock: Pick<Clock, 'now'>; settings: () => Settings }) {
  const callers = new Map<string, Counted>();
  let limit = deps.settings().turns_per_minute;
  let swept = deps.clock.now();

  const forgetOld = (counted: Counted, now: number) => {
    const { times } = counted;
    while (counted.head < times.length && (times[counted.head] ?? 0) + WINDOW <= now) counted.head++;
    if (counted.head > 64 && counted.head * 2 > times.length) {
      counted.times = times.slice(counted.head);
      counted.head = 0;
    }
  };

  /** Drops callers without a turn in the last minute, once a minute. */
  const sweep = (now: number) => {
    if (now - swept < WINDOW) return;
    swept = now;
    for (const [id, counted] of callers) {
      forgetOld(counted, now);
      if (counted.head === counted.times.length) callers.delete(id);
    }
  };

  return {
    /**
     * Counts a turn of a caller, or throws 429 `rate_limited` with `Retry-After` in whole seconds. The result takes the
     * count back, for a turn that is refused after all.
     */
    take(callerId: string): () => void {
      const wanted = deps.settings().turns_per_minute;
      if (wanted !== limit) {
        limit = wanted;
        callers.clear();
      }
      if (limit === 0) return () => {};
      const now = deps.clock.now();
      sweep(now);
      let counted = callers.get(callerId);
      if (!counted) {
        counted = { times: [], head: 0 };
        callers.set(callerId, counted);
      }
      forgetOld(counted, now);
      if (counted.times.length - counted.head >= limit) {
        const seconds = Math.max(1, Math.ceil(((counted.times[counted.head] ?? now) + WINDOW - now) / 1_000));
        throw new Refusal('rate_limited', {
          message: `Too many intern turns: ${limit} a minute; try again in ${seconds} s`,
          detail: `${limit} turns a minute and caller: --turns-per-minute N, 0 for no limit (settings.turns_per_minute in process)`,
          headers: { 'retry-after': String(seconds) },
        });
      }
      counted.times.push(now);
      const taken = counted;
      let given = false;
      return () => {
        if (given) return;
        given = true;
        const at = taken.times.lastIndexOf(now);
        if (at >= taken.head) taken.times.splice(at, 1);
      };
    },
    /** The times that count, by caller. */
    counted: (): Record<string, number[]> =>
      Object.fromEntries([...callers].map(([id, { times, head }]) => [id, times.slice(head)])),
    restore(counted: Readonly<Record<string, readonly number[]>>): void {
      limit = deps.settings().turns_per_minute;
      swept = deps.clock.now();
      callers.clear();
      for (const [id, times] of Object.entries(counted)) callers.set(id, { times: [...times], head: 0 });
    },
    /** Forgets the counts. Call it when the limit is changed. */
    clear: () => callers.clear(),
  };
}

export type Limiter = ReturnType<typeof createLimiter>;
