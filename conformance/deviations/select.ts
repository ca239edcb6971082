import type { Deviation } from './mutant.js';

const asPattern = (pattern: string) =>
  new RegExp(`^${pattern.replace(/[.+?^$(){}|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`);

/**
 * The deviations that any of the patterns names, in their own order. A pattern is a name, `*` for anything in it, or
 * several with commas between them.
 *
 * @throws RangeError for a pattern that matches no deviation
 */
export function select(all: readonly Deviation[], given: readonly string[]): readonly Deviation[] {
  const patterns = given
    .flatMap((pattern) => pattern.split(','))
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '');
  const selected = new Set<string>();
  for (const pattern of patterns) {
    const named = all.filter(({ name }) => asPattern(pattern).test(name));
    if (named.length === 0) throw new RangeError(`--only: no deviation is named ${pattern}`);
    for (const { name } of named) selected.add(name);
  }
  return all.filter(({ name }) => selected.has(name));
}
