import type { ClientCase } from '../../emulator/contract/client-case.js';
import { isScripted } from '../../emulator/contract/client-case.js';
import type { Difference } from '../framework/difference.js';

/** How much longer four times as much may take: linear is 4, quadratic 16; this is a little nearer 16. */
const STEEPEST = 9;
/** A shorter run is not slow, in ms. */
const SHORTEST = 150;
/** Pairs of runs until a ratio that is too large counts. */
const PAIRS = 2;

/** A case with this share of its repeated writes. */
export const scaled = (theCase: ClientCase, share: number): ClientCase => ({
  ...theCase,
  exchanges: theCase.exchanges.map((one) =>
    isScripted(one)
      ? {
          ...one,
          steps: one.steps.map((step) =>
            'repeat' in step && step.repeat !== undefined
              ? { ...step, repeat: Math.max(1, Math.round(step.repeat * share)) }
              : step,
          ),
        }
      : one,
  ),
});

/**
 * Whether the time of a client grows faster than what it reads: by the ratio of a half of the case to an eighth, so
 * that the speed of the machine cancels out. `time` returns the ms of a run with that share of its writes, undefined if
 * there was no answer. Load only ever adds to a time, so the shortest of several runs of each size are compared, in
 * turns; the first pair that is within bounds ends it.
 */
export async function steepness(time: (share: number) => Promise<number | undefined>): Promise<Difference | undefined> {
  let small = Number.POSITIVE_INFINITY;
  let large = Number.POSITIVE_INFINITY;
  for (let pair = 0; pair < PAIRS; pair++) {
    const [eighth, half] = [await time(1 / 8), await time(1 / 2)];
    if (eighth === undefined || half === undefined) return undefined;
    small = Math.min(small, eighth);
    large = Math.min(large, half);
    if (half < SHORTEST || half / Math.max(eighth, 1) <= STEEPEST || large / Math.max(small, 1) <= STEEPEST)
      return undefined;
  }
  return {
    what: 'time is not linear',
    expected: '4 times as long for 4 times as much',
    actual: `${(large / Math.max(small, 1)).toFixed(1)} times as long`,
  };
}
