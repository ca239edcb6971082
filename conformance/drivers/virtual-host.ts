import { createRandom, type Host, hash, sleepBy, systemHost } from '../probe/time.js';

/** ms that pass in one round while something goes on, and at most while nothing does. */
const STEP = { least: 2, most: 500 };

/**
 * A machine whose time passes as fast as it can be computed: a wait of minutes takes milliseconds.
 *
 * @param clock the clock that it shares with the target. `advance` settles each timer before the next
 * @param start the time at its beginning, whatever the clock says
 */
export function createVirtualHost(
  clock: { now(): number; advance(ms: number): Promise<void> },
  seed: string,
  start: number,
) {
  const offset = start - clock.now();
  const random = createRandom(hash(`${seed} machine`));
  const timers = new Set<{ due: number; fire(): void }>();
  const now = () => clock.now() + offset;
  let step = STEP.least;
  const stir = () => {
    step = STEP.least;
  };

  const later = (ms: number, then: () => void) => {
    const timer = { due: now() + Math.max(0, ms), fire: then };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const host: Host = {
    ...systemHost,
    now,
    later,
    sleep: sleepBy(later),
    tag: (length) => Array.from({ length }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join(''),
  };

  return {
    host,
    /** Something happened: what follows from it gets its turn before time leaps on. */
    stir,
    /** Lets time pass until `signal` aborts. */
    async live(signal: AbortSignal) {
      while (!signal.aborted) {
        const next = Math.min(...[...timers].map(({ due }) => due));
        await clock.advance(Math.max(0, Math.min(step, next - now())));
        step = Math.min(step * 2, STEP.most);
        for (const timer of [...timers].filter(({ due }) => due <= now())) {
          timers.delete(timer);
          timer.fire();
          stir();
        }
      }
    },
  };
}
