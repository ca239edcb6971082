import { assemble, type Emulator } from '../../emulator/emulator.js';
import { defaultFactories } from '../../emulator/factories.js';
import type { CheckResult } from '../engine/results.js';
import { runChecks } from '../engine/runner.js';
import { deploy } from '../engine/testing/deployment.js';
import type { Check } from '../framework/check.js';
import { type DeviationResult, resultOf } from './matrix.js';
import type { Deviation } from './mutant.js';
import { showsFrom } from './outside.js';
import type { TryOptions } from './try.js';

/**
 * Obeys every prompt, takes as many turns a minute as an emulator does, and is published: what is not seen at such a
 * deployment with every credential given, the kit does not look for where it has no control.
 */
const OBEDIENT = {
  name: 'obeys every prompt',
  obeys: 1,
  turns: 60,
  slow: 35_000,
  pace: 5,
  profile: 'openrouter',
} as const;

/** Runs of a property by which bad luck with one sample is separated from what no check asks. */
const MANY = 40;

/** Why a deviation that shows from outside was not seen. */
export const MISSED = {
  credential: 'no credential',
  agent: 'the agent decides',
  time: 'it takes longer than a run',
  sample: 'one sample was not enough',
  habit: 'a tolerance hides it',
  unasked: 'no check asks',
} as const;
export type Missed = keyof typeof MISSED;

/** A deviation as a deployment. */
export interface LiveResult extends DeviationResult {
  /** Why nothing was found; undefined where something was. */
  readonly because?: Missed;
}

/** Whether a check asks for what an emulator alone can do. */
export const needsControl = ({ level, needs }: Check): boolean =>
  level === 'C' || needs.some((need) => need === 'control' || need === 'clock' || need === 'disposable');

/** The emulator with a deviation, as a deployment: without control interface, with every credential, in virtual time. */
export function deployed({ mutant: made }: Pick<Deviation, 'mutant'>, seed: string) {
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

/** What checks come to at the deviation, as a deployment of its own. */
export async function atDeployed(
  deviation: Pick<Deviation, 'mutant'>,
  checks: readonly Check[],
  { runs, seed }: TryOptions,
): Promise<readonly CheckResult[]> {
  const { driver, host, close } = await deployed(deviation, seed);
  // Named one by one, so that none is left out for finding what another of them finds.
  const only = checks.map(({ id }) => id);
  try {
    return (await runChecks({ driver, host, checks, only, runs, seed, rate: 0, blocking: false })).checks;
  } finally {
    await close();
  }
}

/** Why none of the checks that name a deviation has found it. */
async function whyMissed(
  deviation: Deviation,
  checks: readonly Check[],
  results: readonly CheckResult[],
  options: TryOptions,
): Promise<Missed> {
  const named = results.filter(({ id }) => deviation.caughtBy.includes(id));
  const causes = named.flatMap(({ skip }) => (skip === undefined ? [] : [skip]));
  if (named.some(({ verdict }) => verdict === 'pass')) {
    const wanted = checks.filter(({ id }) => deviation.caughtBy.includes(id));
    const more = await atDeployed(deviation, wanted, { ...options, runs: MANY });
    return more.some(broke) ? 'sample' : 'unasked';
  }
  const needs = causes.flatMap(({ because }) => (because.kind === 'lacks' ? [because.need] : []));
  if (needs.some((need) => need.startsWith('slow:'))) return 'time';
  if (causes.some(({ kind }) => kind === 'intern') || needs.some((need) => need.startsWith('behaviour:')))
    return 'agent';
  if (causes.some(({ because }) => because.kind === 'unusable' || because.kind === 'not-ours')) return 'credential';
  return causes.some(({ kind }) => kind === 'race') ? 'habit' : 'unasked';
}

/** Whether a check found something. */
export const broke = ({ verdict }: CheckResult): boolean => verdict === 'fail' || verdict === 'warn';

/**
 * Runs one deviation as a deployment. Undefined where it does not show from outside.
 *
 * @param options.all runs every check, as a run does; else those that the deviation names
 */
export async function tryLive(
  deviation: Deviation,
  checks: readonly Check[],
  options: TryOptions & { readonly all?: boolean; readonly now: () => number },
): Promise<LiveResult | undefined> {
  if (showsFrom(deviation, checks).kind !== 'outside') return undefined;
  const began = options.now();
  const possible = checks.filter((check) => !needsControl(check));
  const wanted = options.all === true ? possible : possible.filter(({ id }) => deviation.caughtBy.includes(id));
  const results = wanted.length === 0 ? [] : await atDeployed(deviation, wanted, options);
  const result = resultOf(deviation, results, options.now() - began);
  if (results.some(broke)) return result;
  return { ...result, because: await whyMissed(deviation, possible, results, options) };
}
