import { suggestion } from '../../emulator/contract/nearest.js';
import { UsageError } from '../framework/usage.js';
import { SETS } from '../requirements/sets/index.js';
import { decidedBy } from '../requirements/views.js';

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
