import { assemble, type Emulator } from '../../emulator/emulator.js';
import { defaultFactories } from '../../emulator/factories.js';
import { runChecks } from '../engine/runner.js';
import { deploy } from '../engine/testing/deployment.js';
import type { Check } from '../framework/check.js';
import { type DeviationResult, resultOf } from './matrix.js';
import type { Deviation } from './mutant.js';
import type { TryOptions } from './try.js';

/** Obeys every prompt: what is not seen at such a deployment, the kit does not look for where it has no control. */
const OBEDIENT = { name: 'obeys every prompt', obeys: 1 };

/** Whether a check asks for what an emulator alone can do. */
const needsControl = ({ level, needs }: Check): boolean =>
  level === 'C' || needs.some((need) => need === 'control' || need === 'clock' || need === 'disposable');

/** The emulator with a deviation, as a deployment: without control interface, with every credential, in virtual time. */
export function deployed({ mutant: made }: Deviation, seed: string) {
  const mutant = typeof made === 'function' ? made() : made;
  return deploy(OBEDIENT, seed, (how: Parameters<typeof assemble>[0]): Emulator => {
    const emulator = assemble(how, { ...defaultFactories, ...mutant.factories?.(defaultFactories) });
    const usual = (request: Request) => emulator.fetch(request);
    const usualDaemon = (request: Request) => emulator.daemon.fetch(request);
    return Object.assign(Object.create(emulator) as Emulator, {
      fetch: mutant.around?.(usual, emulator) ?? usual,
      daemon: { fetch: mutant.aroundDaemon?.(usualDaemon) ?? usualDaemon },
    });
  });
}

/**
 * Runs one deviation as a deployment against the checks that it names. Undefined where all of them need the control
 * interface. What a deployment lacks besides, such as a prompt for what an intern is to do or the leave to wait, comes out
 * as missed, with what was said.
 */
export async function tryLive(
  deviation: Deviation,
  checks: readonly Check[],
  options: TryOptions & { readonly now: () => number },
): Promise<DeviationResult | undefined> {
  const began = options.now();
  const wanted = checks.filter((check) => deviation.caughtBy.includes(check.id) && !needsControl(check));
  if (wanted.length === 0) return undefined;
  const { driver, host, close } = await deployed(deviation, options.seed);
  try {
    const { runs, seed } = options;
    const results = await runChecks({ driver, host, checks: wanted, runs, seed, rate: 0, blocking: false });
    return resultOf(deviation, results.checks, options.now() - began);
  } finally {
    await close();
  }
}
