import { jsonPath } from './problems.js';

/**
 * How deep a script may be nested, in objects and arrays. A deeper one overflows the stack of any code that walks it.
 */
export const DEEPEST = 1_000;

interface Place {
  readonly value: unknown;
  readonly depth: number;
  readonly key: PropertyKey;
  readonly parent: Place | undefined;
}

function pathOf(place: Place): string {
  const keys: PropertyKey[] = [];
  for (let at: Place | undefined = place; at?.parent; at = at.parent) keys.unshift(at.key);
  const path = jsonPath(keys);
  return path.length <= 120 ? path : `${path.slice(0, 60)}…${path.slice(-30)}`;
}

/** The mistake of a JSON value that is nested deeper than {@link DEEPEST}; undefined for any other. */
export function tooDeep(source: unknown): string | undefined {
  const open: Place[] = [{ value: source, depth: 0, key: '', parent: undefined }];
  for (let place = open.pop(); place; place = open.pop()) {
    const { value, depth } = place;
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= DEEPEST) return `${pathOf(place)}: nested deeper than ${DEEPEST} levels`;
    for (const key of Object.keys(value)) {
      const inner = (value as Record<string, unknown>)[key];
      if (typeof inner === 'object' && inner !== null)
        open.push({ value: inner, depth: depth + 1, key: Array.isArray(value) ? Number(key) : key, parent: place });
    }
  }
  return undefined;
}
