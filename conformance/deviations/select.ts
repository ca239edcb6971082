import { toRegExp } from '../engine/select.js';
import type { Deviation } from './mutant.js';

/**
 * The deviations that any of the patterns names, in their own order. A pattern is a name, `*` for anything in it, or
 * several with commas between them.
 *
 * @throws RangeError for a pattern that matches no deviation
 */
export function select(all: readonly Deviation[], given: readonly string[]): readonly Deviation[] {
  const patterns = given.flatMap((pattern) => pattern.split(/ *, */)).filter((pattern) => pattern !== '');
  const selected = patterns.flatMap((pattern) => {
    const named = all.filter(({ name }) => toRegExp(pattern).test(name));
    if (named.length === 0) throw new RangeError(`--only: no deviation is named ${pattern}`);
    return named;
  });
  return all.filter((one) => selected.includes(one));
}
