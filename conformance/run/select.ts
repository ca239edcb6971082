import { suggestion } from '../../emulator/contract/nearest.js';
import { UsageError } from '../../emulator/contract/problem.js';
import { type Level, REQUIREMENTS } from '../requirements/index.js';
import { SETS } from '../requirements/sets/index.js';
import { decidedBy, RULED, viewsOf } from '../requirements/views.js';

export interface Selection {
  /** Ids of checks or requirements; `*` matches anything. Default: all. */
  readonly only?: readonly string[] | undefined;
  readonly skip?: readonly string[] | undefined;
  readonly levels?: readonly Level[] | undefined;
  /** One of several parts, as `{ index, of }`; the first has index 1. */
  readonly shard?: { readonly index: number; readonly of: number } | undefined;
}

/** A shard as `i/n` names it; undefined if it names none. */
export function shardIn(text: string): Selection['shard'] {
  const [, index = 0, of = 0] = /^(\d+)\/(\d+)$/.exec(text)?.map(Number) ?? [];
  return index >= 1 && index <= of ? { index, of } : undefined;
}

/** Whether a shard holds the unit at an index. Without a shard, every unit is held. */
export const isInShard = (shard: Selection['shard'], at: number): boolean =>
  shard === undefined || at % shard.of === shard.index - 1;

/** A selection with a pattern that matches nothing. */
export class SelectionError extends Error {
  override readonly name = 'SelectionError';
}

/** A pattern as a regular expression; `*` matches anything. */
export const toRegExp = (pattern: string): RegExp =>
  new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`, 'i');

export type UnitKind = 'check' | 'case' | 'scenario';

/** The part of a unit that patterns match. */
interface Selectable {
  readonly id: string;
  readonly requirement: string;
  readonly level: Level;
  readonly heads?: readonly { readonly id: string }[];
  /** Whether it sends requests for rules to judge. */
  readonly feeds?: boolean;
  /** Whether it is a rule, which sends nothing. */
  readonly watches?: boolean;
}

/**
 * The selected units of all shards. `only` may name a row of a unit: the whole unit is then selected. `skip` names units by their id,
 * requirement or published id, and no rows.
 *
 * @throws SelectionError for a pattern that matches no unit and no requirement
 */
export function select<One extends Selectable>(
  units: readonly One[],
  selection: Selection,
  kind: UnitKind = 'check',
): One[] {
  const requirements = kind === 'check' ? REQUIREMENTS.map(({ id }) => id) : [];
  const fits = (patterns: readonly string[], namesOf: (unit: One) => readonly string[]) => {
    const names = [...units.flatMap(namesOf), ...requirements];
    const expressions = patterns.map((pattern) => {
      const expression = toRegExp(pattern);
      if (names.some((name) => expression.test(name))) return expression;
      const areas = new Set(units.map(({ id }) => `${id.split('/')[0]}/*`));
      const whole = units.find(({ heads = [] }) => heads.some(({ id }) => expression.test(id)));
      const part = whole && `: it is part of ${whole.id}, which is done or left out as a whole`;
      const what = kind === 'check' ? 'check and no requirement' : kind;
      throw new SelectionError(`no ${what} is called ${pattern}${part ?? suggestion(pattern, [...areas, ...names])}`);
    });
    return (unit: One) => expressions.some((one) => namesOf(unit).some((name) => one.test(name)));
  };
  const { only = [], skip = [], levels } = selection;
  const own = ({ id, requirement }: One) => [id, requirement, ...viewsOf(id)];
  // Some published ids are now decided by rules. They also select the units that send requests for these rules.
  const all = (unit: One) => [
    ...own(unit),
    ...(unit.heads ?? []).map(({ id }) => id),
    ...(unit.feeds === true ? RULED : []),
  ];
  const wanted = only.length === 0 ? () => true : fits(only, all);
  const unwanted = skip.length === 0 ? () => false : fits(skip, own);
  return units
    .filter((unit) => wanted(unit) && !unwanted(unit))
    .filter((unit) => levels === undefined || levels.includes(unit.level));
}

/**
 * The units of a run's shard. If only rules are selected, the units that send requests for them are added.
 *
 * @throws SelectionError as {@link select}
 */
export function chosenOf<One extends Selectable>(
  units: readonly One[],
  selection: Selection,
  kind?: UnitKind,
): readonly One[] {
  const chosen = select(units, selection, kind);
  const isUnfed = chosen.length > 0 && chosen.every(({ watches }) => watches === true);
  const fed = isUnfed ? [...units.filter(({ feeds }) => feeds), ...chosen] : chosen;
  return fed.filter((_, at) => isInShard(selection.shard, at));
}

/**
 * The ids of a published set of checks (KIT-9).
 *
 * @throws UsageError for a set that is not published
 */
export function checksOfSet(name: string): ReadonlySet<string> {
  const set = SETS.find((one) => one.name === name);
  if (set !== undefined) return new Set(Object.keys(set.checks).flatMap(decidedBy));
  const names = SETS.map((one) => one.name);
  throw new UsageError(
    `--requirements: no set is called ${name}${suggestion(name, names)}; published are ${names.join(', ')}`,
  );
}
