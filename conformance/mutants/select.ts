import { toRegExp } from '../run/select.js';
import type { Mutant } from './mutant.js';

/**
 * The mutants that any of the patterns names, in their own order. A pattern is a name, `*` for anything in it, or
 * several with commas between them.
 *
 * @throws RangeError for a pattern that matches no mutant
 */
export function select(all: readonly Mutant[], given: readonly string[]): readonly Mutant[] {
  const patterns = given.flatMap((pattern) => pattern.split(/ *, */)).filter((pattern) => pattern !== '');
  const selected = patterns.flatMap((pattern) => {
    const named = all.filter(({ name }) => toRegExp(pattern).test(name));
    if (named.length === 0) throw new RangeError(`--only: no mutant is named ${pattern}`);
    return named;
  });
  return all.filter((one) => selected.includes(one));
}
