import { type ClientCase, isScripted } from '../../emulator/contract/client-case.js';
import type { Difference } from '../model/finding.js';

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

/** A client that had not ended within the time it was given. */
export type Late = 'late';

/** The limit of a run in ms is at least this, whatever a smaller one took. */
const LEAST = 5_000;

const ratioOf = (large: number, small: number): string => (large / Math.max(small, 1)).toFixed(1);

/** The sentence on a client that outlives its share of time, with the growth that was seen. */
function tooSlow(share: number, limit: number, before: number | Late | undefined): Difference {
  const part = `1/${1 / share}`;
  const growth =
    typeof before === 'number'
      ? `, more than ${ratioOf(limit, before)} times as long as a quarter of that, which took ${Math.round(before)} ms`
      : '';
  return {
    what: 'too slow',
    expected: `${part} of the case within ${Math.round(limit)} ms`,
    actual: `no end within ${Math.round(limit)} ms${growth}`,
    change: { kind: 'slow' },
  };
}

/**
 * Whether the time of a client grows faster than what it reads: by the ratio of a half of the case to an eighth, so
 * that the speed of the machine cancels out. `time` returns the ms of a run with that share of its writes, `late` if it
 * had not ended within `limit` ms, undefined if there was no answer. Load only ever adds to a time, so the shortest of
 * several runs of each size are compared, in turns; the first pair that is within bounds ends it. A run that outlives
 * its share of `whole`, the ms that the case may take, is too slow: a quadratic client may never end. It is too slow
 * only if the next pair shows it again: by then a machine that became busy in the middle is busy for the small run too.
 */
export async function steepness(
  time: (share: number, limit: number) => Promise<number | Late | undefined>,
  whole: number,
): Promise<Difference | undefined> {
  let small = Number.POSITIVE_INFINITY;
  let large = Number.POSITIVE_INFINITY;
  let late: Difference | undefined;
  for (let pair = 0; pair < PAIRS; pair++) {
    const eighth = await time(1 / 8, whole / 8);
    if (eighth === 'late') {
      late = tooSlow(1 / 8, whole / 8, await time(1 / 32, whole / 8));
      continue;
    }
    if (eighth === undefined) return undefined;
    small = Math.min(small, eighth);
    const limit = Math.min(whole / 2, Math.max(LEAST, 2 * STEEPEST * eighth));
    const half = await time(1 / 2, limit);
    if (half === 'late') {
      late = tooSlow(1 / 2, limit, eighth);
      continue;
    }
    if (half === undefined) return undefined;
    large = Math.min(large, half);
    if (half < SHORTEST || half / Math.max(eighth, 1) <= STEEPEST || large / Math.max(small, 1) <= STEEPEST)
      return undefined;
  }
  return (
    late ?? {
      what: 'time is not linear',
      expected: '4 times as long for 4 times as much',
      actual: `${ratioOf(large, small)} times as long for 4 times as much`,
      change: { kind: 'slow' },
    }
  );
}
