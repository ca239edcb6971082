import type { Check } from '../framework/check.js';
import type { Need } from '../framework/needs.js';

/** ms that anything may wait. */
const MOMENT = 2_000;

/**
 * The needs that a check has declared. A use beyond that throws: an error of the kit. Rows ask with whatever the target has, and
 * declare nothing.
 */
export function declaredBy(check: Check) {
  const declared = new Set<string>(check.needs);
  const free = check.sweeps === true || check.walks === true;
  const longest = Math.max(
    MOMENT,
    ...check.needs
      .filter((need) => need.startsWith('slow:'))
      .map((need) => Number(need.slice('slow:'.length, -1)) * 1000),
  );
  const missing = (used: string, need: string) => {
    throw new Error(`${check.id} uses ${used} without declaring the need ${need}`);
  };
  return {
    has: (need: Need) => free || declared.has(need),
    /** Throws unless one of the needs is declared. */
    require(used: string, ...needs: readonly Need[]) {
      if (!free && !needs.some((need) => declared.has(need))) missing(used, needs.join(' or '));
    },
    /** Throws unless so many ms may be waited for. */
    requireWait(ms: number) {
      if (!free && !declared.has('clock') && ms > longest)
        missing(`a wait of ${ms} ms`, `slow:${Math.ceil(ms / 1000)}s`);
    },
  };
}
export type Declared = ReturnType<typeof declaredBy>;
