import { hostDelay } from '../clock/host.js';

/**
 * A second signal this soon is the same one: npm passes Ctrl-C on to a process that already had it from the terminal.
 */
const SAME_WITHIN_MS = 100;

/** How long stopping may take before the process ends regardless, in ms, if it has nothing to lose. */
const LONGEST_STOP = 1_900;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface UntilStoppedOptions {
  /** Another reason to stop. */
  readonly also?: Promise<void> | undefined;
  /** How long stopping may take before the process ends regardless, in ms. */
  readonly longest?: number;
}

/**
 * Waits for the first signal, or for `also`, stops what runs, and resolves with exit status 0. A second signal ends the
 * process at once with 130.
 */
export async function untilStopped(
  stop: () => Promise<void>,
  exit: (status: number) => void,
  { also = new Promise(() => {}), longest = LONGEST_STOP }: UntilStoppedOptions = {},
): Promise<number> {
  let first: bigint | undefined;
  await new Promise<void>((resolve) => {
    void also.then(resolve);
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        const now = process.hrtime.bigint();
        if (first === undefined) {
          first = now;
          resolve();
        } else if (now - first > BigInt(SAME_WITHIN_MS) * 1_000_000n) {
          exit(130);
        }
      });
    }
  });
  await Promise.race([stop(), hostDelay(longest)]);
  return 0;
}
