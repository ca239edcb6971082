import type { Emulator } from '../../emulator/emulator.js';
import { deploy } from '../../test/targets/deployment.js';
import type { Skip } from '../model/skip.js';
import { skipWords } from '../report/words/skip.js';
import type { Check } from '../run/check.js';
import { BUDGETS, UNLIMITED } from '../run/limits.js';
import type { CheckResult } from '../run/results.js';
import { type RunnerOptions, runChecks } from '../run/runner.js';
import { checks as allChecks } from '../scenarios/index.js';
import { killersOf } from './killers.js';
import { broke, killing, type MutantResult, resultOf } from './matrix.js';
import type { Mutant } from './mutant.js';
import { mutated } from './mutated.js';
import { BY_CONTROL, showsFrom } from './outside.js';
import type { GivenCredentials, Missed, Sight, Unseen } from './seen.js';
import type { TryOptions } from './try.js';

/**
 * Obeys every prompt, takes as many turns a minute as an emulator does, and is published: what is not seen at such a
 * deployment with every credential given, the kit does not look for where it has no control.
 */
export const OBEDIENT = {
  name: 'obeys every prompt',
  obeys: 1,
  asks: 'as prompted',
  turns: 60,
  slow: BUDGETS.default.wait,
  pace: 5,
  profile: 'openrouter',
} as const;

/** Runs of a property by which bad luck with one sample is separated from what no check asks. */
const MANY = 40;

/** A mutant as a deployment. */
interface LiveResult extends MutantResult {
  /** Why nothing was found; undefined where something was. */
  readonly unseen?: Unseen;
}

export interface LiveOptions extends TryOptions {
  /** Default `all`. */
  readonly given?: GivenCredentials;
}

/** Whether a check asks for what an emulator alone can do. */
export const needsControl = ({ level, needs }: Check): boolean =>
  level === 'C' || needs.some((need) => need === 'control' || need === 'clock' || need === 'disposable');

/** The emulator with a mutant, as a deployment: without control interface, with every credential, in virtual time. */
export function deployed({ mutation }: Pick<Mutant, 'mutation'>, seed: string, given: GivenCredentials = 'all') {
  const deployment = given === 'key' ? { ...OBEDIENT, only: ['api_key'] as const } : OBEDIENT;
  return deploy(deployment, seed, (how): Emulator => {
    const { emulator, fetch, daemonFetch } = mutated(mutation, how);
    return Object.assign(Object.create(emulator) as Emulator, { fetch, daemon: { fetch: daemonFetch } });
  });
}

/** The results of checks at the mutant, as a deployment of its own: without limits where none are given. */
export async function atDeployed(
  mutant: Pick<Mutant, 'mutation'>,
  checks: readonly Check[],
  { runs, seed, given }: LiveOptions,
  limits: Partial<RunnerOptions> = { rate: 0, blocking: false, ...UNLIMITED },
): Promise<readonly CheckResult[]> {
  const { driver, host, close } = await deployed(mutant, seed, given);
  try {
    return (await runChecks({ ...limits, driver, host, checks, runs, seed })).checks;
  } finally {
    await close();
  }
}

/** The result of a default run at the mutant, until it has found something: a finding stays, whatever comes after it. */
export function wholeRun(mutant: Pick<Mutant, 'mutation'>, options: LiveOptions): Promise<readonly CheckResult[]> {
  const over = new AbortController();
  const events = { checkEnd: (row: CheckResult) => (broke(row) ? over.abort() : undefined) };
  return atDeployed(mutant, allChecks, options, { rate: 20, events, signal: over.signal });
}

const said = (result: CheckResult): string =>
  `${result.id}: ${result.skip === undefined ? result.verdict : skipWords(result.skip).why}`;

/** Why none of the checks that name a mutant has found it. */
async function whyMissed(
  mutant: Mutant,
  named: readonly Check[],
  results: readonly CheckResult[],
  options: LiveOptions,
): Promise<Unseen> {
  if (named.length === 0)
    return BY_CONTROL[mutant.name] ?? { because: 'control', why: `${killersOf(mutant)[0]} needs one` };
  const passed = results.filter(({ verdict }) => verdict === 'pass');
  const more = passed.length === 0 ? [] : await atDeployed(mutant, named, { ...options, runs: MANY });
  const skipped = (holds: (skip: Skip) => boolean) => results.filter(({ skip }) => skip !== undefined && holds(skip));
  const lacking = (need: string) =>
    skipped(({ because }) => because.kind === 'lacks' && because.need.startsWith(`${need}:`));
  const caused = (...kinds: readonly string[]) => skipped(({ because }) => kinds.includes(because.kind));
  /** The first of these that there are says why. */
  const reasons: readonly (readonly [Missed, readonly CheckResult[]])[] = [
    ['sample', more.filter(broke)],
    ['time', lacking('slow')],
    ['agent', [...skipped(({ kind }) => kind === 'intern'), ...lacking('behaviour')]],
    ['credential', caused('lacks', 'unusable', 'not-ours', 'may-not-create')],
    ['habit', skipped(({ kind }) => kind === 'race')],
    ['unasked', passed],
  ];
  const [because, [first]] = reasons.find(([, rows]) => rows.length > 0) ?? ['unasked', []];
  return { because, why: first === undefined ? results.map(said).join('; ') : said(first) };
}

/**
 * Runs the checks that a mutant names against it, as a deployment. Undefined where it does not show from outside.
 */
export async function tryLive(
  mutant: Mutant,
  checks: readonly Check[],
  options: LiveOptions & { readonly now: () => number },
): Promise<LiveResult | undefined> {
  if (showsFrom(mutant, checks).kind !== 'outside') return undefined;
  const began = options.now();
  const named = killing(killersOf(mutant), checks).filter((check) => !needsControl(check));
  const results = named.length === 0 ? [] : await atDeployed(mutant, named, options);
  const result = resultOf(mutant, killersOf(mutant), results, options.now() - began);
  if (results.some(broke)) return result;
  return { ...result, unseen: await whyMissed(mutant, named, results, options) };
}

/**
 * Whether a default run sees a mutant, and by which check, or why it does not. Undefined where it does not show from
 * outside.
 */
export async function measure(
  mutant: Mutant,
  options: LiveOptions & { readonly now: () => number },
): Promise<Sight | undefined> {
  if (showsFrom(mutant, allChecks).kind !== 'outside') return undefined;
  const rows = await wholeRun(mutant, options);
  const found = rows.find(broke);
  if (found !== undefined) return { seen: found.id };
  const { caught = [], unseen } = (await tryLive(mutant, allChecks, options)) ?? {};
  // No other check makes up for one that takes too long, or whose credential is not there.
  if (unseen !== undefined && ['time', 'credential', 'dear'].includes(unseen.because)) return unseen;
  const possible = allChecks.filter((check) => !needsControl(check));
  const alone = caught[0] ?? (await atDeployed(mutant, possible, options)).find(broke)?.id;
  if (alone === undefined) return unseen;
  return rows.some(({ id, skip }) => id === alone && skip?.because.kind === 'over')
    ? { because: 'dear', why: `${alone} sees it` }
    : { because: 'sample', why: `${alone} sees it in another run` };
}
