import { suggestion } from '../../emulator/contract/nearest.js';
import type { Check } from '../framework/check.js';
import { type Level, REQUIREMENTS } from '../requirements/index.js';

export interface Selection {
  /** Ids of checks or requirements; `*` stands for anything. None is all. */
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly levels?: readonly Level[];
  /** The `index`-th of `of` parts, from 1. */
  readonly shard?: { readonly index: number; readonly of: number };
}

/** A selection that cannot be meant: a pattern without a match. */
export class SelectionError extends Error {
  override readonly name = 'SelectionError';
}

const toRegExp = (pattern: string) =>
  new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`, 'i');

/** The checks that a selection means. Throws {@link SelectionError} for a pattern that fits neither check nor requirement. */
export function select(checks: readonly Check[], selection: Selection): Check[] {
  const fits = (patterns: readonly string[]) => {
    const expressions = patterns.map((pattern) => ({ pattern, expression: toRegExp(pattern) }));
    for (const { pattern, expression } of expressions) {
      const known =
        checks.some((check) => expression.test(check.id)) || REQUIREMENTS.some((row) => expression.test(row.id));
      if (!known) {
        const areas = new Set(checks.map(({ id }) => `${id.split('/')[0]}/*`));
        const names = [...checks, ...REQUIREMENTS].map(({ id }) => id);
        throw new SelectionError(
          `no check and no requirement is called ${pattern}${suggestion(pattern, [...areas, ...names])}`,
        );
      }
    }
    return (check: Check) =>
      expressions.some(({ expression }) => expression.test(check.id) || expression.test(check.requirement));
  };
  const wanted = selection.only === undefined || selection.only.length === 0 ? () => true : fits(selection.only);
  const unwanted = selection.skip === undefined || selection.skip.length === 0 ? () => false : fits(selection.skip);
  const { levels, shard } = selection;
  return checks
    .filter((check) => wanted(check) && !unwanted(check))
    .filter((check) => levels === undefined || levels.includes(check.level))
    .filter((_, at) => shard === undefined || at % shard.of === shard.index - 1);
}
