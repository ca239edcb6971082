import type { Host } from '../framework/time.js';

/** Lets requests through at a rate. */
export interface Rate {
  /** Waits for leave to send one. The signal ends the wait. */
  take(signal?: AbortSignal): Promise<void>;
  /** Nothing leaves for so many ms: a target said `Retry-After`. */
  pause(ms: number): void;
}

/**
 * At most `perSecond` in any second, not only on average: a bucket that refills lets twice as many through after a pause.
 * 0 is no limit.
 */
export function createRate(perSecond: number, host: Host): Rate {
  const size = Math.max(1, Math.floor(perSecond));
  const span = perSecond < 1 && perSecond > 0 ? 1000 / perSecond : 1000;
  const sent: number[] = [];
  let until = 0;
  let queue = Promise.resolve();

  const leave = async (signal: AbortSignal | undefined) => {
    for (;;) {
      const now = host.now();
      const oldest = sent.length >= size ? (sent[sent.length - size] ?? 0) + span : 0;
      const next = Math.max(until, perSecond > 0 ? oldest : 0);
      if (next <= now) break;
      await host.sleep(Math.ceil(next - now) + 1, signal);
    }
    if (perSecond > 0) {
      sent.push(host.now());
      if (sent.length > 4 * size) sent.splice(0, sent.length - size);
    }
  };

  return {
    take(signal) {
      if (perSecond <= 0 && until === 0) return Promise.resolve();
      const mine = queue.then(() => leave(signal));
      queue = mine.catch(() => {});
      return mine;
    },
    pause(ms) {
      until = Math.max(until, host.now() + ms);
    },
  };
}

/** ms to wait by a Retry-After header, in seconds or as a date. Undefined where there is none that makes sense. */
export function retryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}
