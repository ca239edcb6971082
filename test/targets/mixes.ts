import { gatewayDown } from '../../conformance/habits/connections.js';
import { createRandom, hash } from '../../conformance/probe/time.js';
import type { CheckResult, FindingResult, Results } from '../../conformance/run/results.js';
import { PROFILES } from '../../emulator/contract/profile.js';
import { BUFFERING, DEPLOYMENTS, type Known } from './deployments.js';

/** The parts of a mix: real deployments have several habits at once. */
export const INGREDIENTS: readonly Known[] = [...DEPLOYMENTS, BUFFERING];

/** Habits that exclude each other: two clocks, two ways to ask. */
const SINGLE = ['clockOff', 'asks'] as const satisfies readonly (keyof Known)[];

export function canGoTogether(one: Known, other: Known): boolean {
  if (SINGLE.some((key) => one[key] !== undefined && other[key] !== undefined)) return false;
  return !(one.habits ?? []).some((habit) => other.habits?.includes(habit));
}

/** One server that has all these habits. */
export function mixed(parts: readonly Known[]): Known {
  const [first] = parts;
  if (first === undefined) throw new RangeError('mixed: expected deployments, got none');
  // A property of one part is a property of the whole.
  const whole = Object.assign({}, ...parts) as Known;
  const slow = Math.max(...parts.map((part) => part.slow ?? 0));
  return {
    ...whole,
    name: parts.map(({ name }) => name).join(' + '),
    obeys: Math.min(...parts.map(({ obeys }) => obeys)),
    ...(slow > 0 ? { slow } : {}),
    habits: parts.flatMap(({ habits = [] }) => habits),
    wrong: parts.flatMap(({ wrong = [] }) => wrong),
    differs: parts.flatMap(({ differs = [] }) => differs),
    shows: parts.flatMap(({ shows = [] }) => shows),
    incomplete: parts.flatMap(({ incomplete = [] }) => incomplete),
  };
}

/** `n` deployments by a seed, that can go together. */
export function mixOf(seed: string, n: number, from: readonly Known[] = INGREDIENTS): Known {
  const random = createRandom(hash(`${seed} mix`));
  const parts: Known[] = [];
  while (parts.length < n) {
    const left = from.filter((one) => !parts.includes(one) && parts.every((part) => canGoTogether(part, one)));
    const next = left[Math.floor(random() * left.length)];
    if (next === undefined) break;
    parts.push(next);
  }
  // The first one is nearest to the server, a gateway nearest to the client.
  const place = (one: Known) => (one.habits?.includes(gatewayDown) ? INGREDIENTS.length : INGREDIENTS.indexOf(one));
  return mixed(parts.sort((one, other) => place(one) - place(other)));
}

/** Whether a finding is of the reason of an error. */
const isReason = (finding: FindingResult | undefined): boolean =>
  finding?.wanted.kind === 'value' && /reason/.test(finding.wanted.path);

/** Whether a finding is deserved: the mix differs there from the published API. A published profile makes it a failure. */
const isDeserved = (
  { differs = [], profile }: Pick<Known, 'differs' | 'profile'>,
  { verdict, level, requirement, finding }: CheckResult,
): boolean =>
  (verdict === 'warn' || (verdict === 'fail' && level === 'P' && PROFILES[profile ?? 'svc']?.published === true)) &&
  (differs.includes(requirement) || (differs.includes('reason') && isReason(finding)));

/** What is held against a mix that nothing it is made of deserves. */
const undeserved = (
  mix: Pick<Known, 'differs' | 'profile' | 'shows'>,
  checks: readonly CheckResult[],
): readonly CheckResult[] =>
  checks.filter(
    (check) =>
      check.verdict !== 'pass' &&
      check.verdict !== 'skip' &&
      mix.shows?.includes(check.id) !== true &&
      !isDeserved(mix, check),
  );

/** Findings in a mix, or misses, that somebody must look at. */
export interface MixResult {
  readonly id: string;
  /** The finding, or why there is none. */
  readonly because: unknown;
  /** It is as it may be: the mix is such that the run could not do better, and it said so. */
  readonly expected?: true;
}

/** All that somebody must look at in the results of a run against a mix: nothing where it judged as it should. */
export function resultsOf(
  mix: Pick<Known, 'differs' | 'profile' | 'shows' | 'incomplete'>,
  { checks, exit, incomplete: reasons }: Pick<Results, 'checks' | 'exit' | 'incomplete'>,
): MixResult[] {
  const { shows = [], incomplete = [] } = mix;
  const wrong = undeserved(mix, checks).map(({ id, verdict, finding, error }) => {
    const { of, wanted, got } = finding ?? {};
    return { id: `${verdict} ${id}`, because: finding === undefined ? error?.message : { of, wanted, got } };
  });
  const missed = shows.flatMap((id): MixResult[] => {
    const { verdict, skip } = checks.find((check) => check.id === id) ?? {};
    if (verdict === 'fail') return [];
    // The acts of an intern are no reason: these interns do as the check needs.
    const said = skip !== undefined && skip.kind !== 'intern';
    return [{ id: `missed ${id}`, because: skip ?? verdict, ...(said ? { expected: true } : {}) }];
  });
  const ended: MixResult[] = [];
  const fails = checks.some(({ verdict }) => verdict === 'fail');
  if (wrong.length === 0 && exit !== (fails ? 1 : 0)) {
    const may = exit === 3 && reasons.every((reason) => incomplete.some((one) => one(reason)));
    ended.push({ id: `exit ${exit}`, because: reasons, ...(may ? { expected: true } : {}) });
  }
  return [...wrong, ...missed, ...ended];
}
