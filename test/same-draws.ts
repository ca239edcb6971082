import fc from 'fast-check';
import { inject } from 'vitest';

/**
 * Imported by each test that draws its cases with fast-check, so that the suite tries the same cases each time and
 * never fails by chance. `FC_SEED=7` draws others.
 */
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 1) });

/** How many cases a dear property tries: all of them, a quarter in `npm test`, or as many as `FC_RUNS` says. */
export const runs = (all: number): number =>
  Number(process.env.FC_RUNS ?? (inject('sampled') ? Math.ceil(all / 4) : all));
