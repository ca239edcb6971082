import type { Clock } from '../clock/clock.js';

/** How many waits are remembered, so that each is reported once. */
const REPORTED = 1_000;

/** Something that waits for the clock. */
export interface Waiting {
  /** Its name, as the beginning of a sentence. */
  readonly who: string;
  /** More words about it, for readers who do not know its id. */
  readonly about?: string | undefined;
  /** Whether it still goes on. */
  still(): boolean;
}

export interface WaitReporterDeps {
  readonly standsStill: () => boolean;
  readonly clock: Pick<Clock, 'mode' | 'now'>;
  readonly log: (record: Record<string, unknown>) => void;
  /**
   * In process, a test that advances the clock needs no line: only what waits while the clock does not move for this
   * long is reported. True when the time is up, false when the emulator was closed.
   */
  readonly patience?: (() => Promise<boolean>) | undefined;
}

/**
 * Reports waits on a clock that stands still, once for each waiting thing: its client hangs until somebody knows why.
 * The result takes the identity of what waits, for how many ms, and what it is.
 */
export function createWaitReporter({ standsStill, clock, log, patience }: WaitReporterDeps) {
  const reported = new Set<string>();
  const report = (key: string, { who, about }: Waiting, ms: number) => {
    if (reported.size >= REPORTED) reported.clear();
    reported.add(key);
    const frozen = clock.mode === 'frozen';
    const text = patience
      ? `${who}${about === undefined ? '' : ` (${about})`} waits for the clock, which stands still: ${ms} ms. Move it with emulator.clock.advance(${ms}), or ${frozen ? 'let it go on with emulator.clock.resume()' : "make the emulator with clock: 'auto'"}.`
      : `${who} waits for the clock: ${ms} ms (${frozen ? 'advance or resume it' : 'advance it, or --clock auto'})`;
    log({ level: 'warn', event: 'waits', message: text });
  };

  /** The pending waits and their ends, by key. */
  const waits = new Map<string, { readonly waiting: Waiting; readonly due: number }>();
  let watching = false;
  const watch = async (settled: () => Promise<boolean>) => {
    watching = true;
    while (waits.size > 0) {
      const before = clock.now();
      if (!(await settled())) waits.clear();
      for (const [key, { waiting, due }] of waits) if (due <= clock.now() || !waiting.still()) waits.delete(key);
      // A clock that moves has somebody who moves it.
      if (clock.now() !== before) continue;
      for (const [key, { waiting, due }] of waits) report(key, waiting, due - before);
      waits.clear();
    }
    watching = false;
  };

  return (key: string, ms: number, what: () => Waiting): void => {
    // A wait without an end waits for no clock.
    if (!Number.isFinite(ms) || !standsStill() || reported.has(key)) return;
    if (!patience) {
      report(key, what(), ms);
      return;
    }
    waits.set(key, { waiting: what(), due: clock.now() + ms });
    if (!watching) void watch(patience);
  };
}
