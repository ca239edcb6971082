import type { RequirementId } from '../requirements/index.js';
import type { Unit } from './unit.js';

/** Areas by how much they tell of a deployment: the heart of each operation first, so that a budget cuts the tail. */
const FIRST: readonly RequirementId[] = [
  'CREATE-1',
  'LIST-1',
  'GET-1',
  'AUTH-1',
  'AUTH-3',
  'PROV-1',
  'CHAT-1',
  'CHAT-3',
  'CHAT-2',
  'CHAT-6',
  'CHAT-5',
  'CHAT-14',
  'INVOKE-1',
  'SUSP-1',
  'DELETE-1',
  'UPDATE-1',
  'CREATE-4',
  'SIGN-1',
  'DAEMON-1',
  'SCIM-1',
];

/** Whether streams arrive decides what all that waits on one can tell. */
const BEFORE_ALL = 'chat-stream/as-it-is-said';

/** Look at what the others met. */
const AFTER_ALL = ['limiter/as-met', 'limiter/words-as-met', 'limiter/signing-as-met', 'limiter/invoke-as-met'];

/** Rest on what the intern did for others. */
const LATE = ['invoke-sessions/steered-live'];

/** Checks that no other is done beside. */
export const ALONE: ReadonlySet<string> = new Set([BEFORE_ALL, ...AFTER_ALL]);

/**
 * The order in which a deployment is looked at: what is stated before what is published, and of each requirement one check
 * before any gets a second. Equals are mixed by chance: a deployment counts turns per minute.
 */
export function byValue(checks: readonly Unit[], random: () => number): Unit[] {
  const nth = new Map<string, number>();
  const ranked = checks.map((check) => {
    const round = nth.get(check.requirement) ?? 0;
    nth.set(check.requirement, round + 1);
    const at = FIRST.findIndex((one) => one === check.requirement);
    const level = check.level === 'S' ? 0 : check.level === 'P' ? 1 : 2;
    const rank = AFTER_ALL.includes(check.id)
      ? Number.POSITIVE_INFINITY
      : LATE.includes(check.id)
        ? 1_000
        : check.id === BEFORE_ALL
          ? -1
          : level * 100 + Math.min(round, 3) * 30 + (at < 0 ? FIRST.length : at);
    return { check, rank, chance: random() };
  });
  return ranked
    .sort((one, other) => (one.rank === other.rank ? 0 : one.rank - other.rank) || one.chance - other.chance)
    .map(({ check }) => check);
}
