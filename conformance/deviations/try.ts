import { assemble } from '../../emulator/emulator.js';
import { createEmulatorDriver } from '../drivers/emulator.js';
import type { Check } from '../framework/check.js';
import { SHIPPED } from '../framework/profile.js';
import { systemHost } from '../framework/time.js';
import type { CheckResult } from '../run/results.js';
import { run } from '../run/runner.js';
import { alteredFactories } from './alterations.js';
import type { Changes } from './deviation.js';

/** What came of running checks against an emulator with parts exchanged. */
export interface Tried {
  readonly checks: readonly CheckResult[];
  /** What the emulator logged that no deviation may cause: a crash is not a catch. */
  readonly crashes: readonly string[];
}

export interface TryOptions {
  readonly runs: number;
  readonly seed: string;
  /** ms of real time within which an answer has to come: what hangs is caught by this. */
  readonly timeout: number;
}

export const TRY: TryOptions = { runs: 60, seed: 'deviations', timeout: 1_500 };

const CRASHES = ['internal_error', 'daemon_error', 'store_failed', 'script_failed'];

/**
 * Runs checks against an emulator of its own with the given alterations: in this process, on a virtual clock, under the
 * published profile, so that checks of every level can fail.
 */
export async function tryChecks(
  checks: readonly Check[],
  alters: Changes | (() => Changes),
  options: TryOptions = TRY,
): Promise<Tried> {
  const crashes: string[] = [];
  const profile = SHIPPED.openrouter;
  const { control, ...alterations } = typeof alters === 'function' ? alters() : alters;
  const emulator = assemble(
    {
      clock: 'virtual',
      seed: options.seed,
      profile: 'openrouter',
      log(record) {
        if (CRASHES.includes(String(record.event))) crashes.push(JSON.stringify(record));
      },
    },
    alteredFactories(alterations),
  );
  const usual = (request: Request) => emulator.fetch(request);
  const controlled = control?.(usual) ?? usual;
  const isControl = (request: Request) => new URL(request.url).pathname.startsWith('/_emulator/');
  try {
    const driver = createEmulatorDriver({
      descriptor: { ...emulator.target },
      fetch: (request) => (isControl(request) ? controlled(request) : usual(request)),
      daemonFetch: (request) => emulator.daemon.fetch(request),
      host: systemHost,
      tag: 'dev1',
      remote: false,
      ...(profile === undefined ? {} : { profile }),
    });
    const results = await run({
      driver,
      checks,
      runs: options.runs,
      seed: options.seed,
      tag: 'dev1',
      timeout: options.timeout,
      shrinkBudget: 0,
      blocking: false,
    });
    return { checks: results.checks, crashes };
  } finally {
    await emulator.close();
  }
}
