import { PROFILES } from '../../emulator/contract/profile.js';
import { defaultFactories, type Factories } from '../../emulator/factories.js';
import { createEmulatorDriver } from '../drivers/emulator.js';
import type { Check } from '../run/check.js';
import type { CheckResult } from '../run/results.js';
import { runChecks } from '../run/runner.js';
import { createIdleHost } from './idle-host.js';
import type { Mutation } from './mutant.js';
import { mutated } from './mutated.js';

/** The results of checks against a mutant. */
export interface Tried {
  readonly checks: readonly CheckResult[];
  /** Log records that no mutant may cause: a crash is not a catch. */
  readonly crashes: readonly string[];
}

export interface TryOptions {
  readonly runs: number;
  readonly seed: string;
  /** Whether a finding that stands in the way of several checks is reported once. */
  readonly blocking?: boolean;
}

/** The seed is the one that the matrix was computed with. */
export const TRY: TryOptions = { runs: 60, seed: 'deviations' };

const CRASHES = ['internal_error', 'daemon_error', 'store_failed', 'script_failed'];

/**
 * Runs checks against a mutant of its own: in this process, on a virtual clock, under the published profile, so that
 * checks of every level can fail. The kit waits on a host without a wall clock: what hangs is caught because nothing
 * goes on any more, not because some seconds are over.
 */
export async function tryChecks(
  checks: readonly Check[],
  given: Mutation | (() => Mutation),
  options: TryOptions = TRY,
): Promise<Tried> {
  const crashes: string[] = [];
  const profile = PROFILES.openrouter;
  const host = createIdleHost();
  const factories: Factories = {
    ...defaultFactories,
    createClock: (...given) => host.watchedClock(defaultFactories.createClock(...given)),
  };
  const { emulator, fetch, daemonFetch } = mutated(
    given,
    {
      clock: 'virtual',
      seed: options.seed,
      profile: 'openrouter',
      log(record) {
        if (CRASHES.includes(String(record.event))) crashes.push(JSON.stringify(record));
      },
    },
    factories,
  );
  try {
    const driver = createEmulatorDriver({
      descriptor: { ...emulator.target },
      fetch: host.watched(fetch),
      daemonFetch: host.watched(daemonFetch),
      host,
      tag: 'dev1',
      remote: false,
      disposable: true,
      ...(profile === undefined ? {} : { profile }),
    });
    const results = await runChecks({
      driver,
      host,
      checks,
      runs: options.runs,
      seed: options.seed,
      tag: 'dev1',
      shrinkBudget: 0,
      blocking: options.blocking === true,
    });
    return { checks: results.checks, crashes };
  } finally {
    await emulator.close();
  }
}
