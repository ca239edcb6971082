import { isRecord } from '../contract/record.js';

export { jsonOf } from '../contract/nesting.js';
export { isRecord };

export type Json = Record<string, unknown>;

/** Keys with dots between them. In a list `[]` is every item, a number one of them, `-1` the last. */
export type JsonPath = string;

/** The value of a place, of the first item where it names several; undefined where there is none. */
export function valueAt(value: unknown, place: JsonPath): unknown {
  return place.split('.').reduce<unknown>((inner, key) => {
    if (Array.isArray(inner)) return inner.at(key === '[]' ? 0 : Number(key));
    return isRecord(inner) ? inner[key] : undefined;
  }, value);
}

/**
 * A copy with another value in a place, made from the one that is there, or undefined. An undefined one is left out. Where
 * what should hold the place is not there, the value stays as it is.
 */
export function changedAt(
  value: unknown,
  place: JsonPath | readonly string[],
  change: (value: unknown, parent: unknown) => unknown,
): unknown {
  const [key = '', ...rest] = typeof place === 'string' ? place.split('.') : place;
  const inner = (one: unknown) => (rest.length === 0 ? change(one, value) : changedAt(one, rest, change));
  if (Array.isArray(value)) {
    const at = Number(key) < 0 ? value.length + Number(key) : Number(key);
    return value.flatMap((one: unknown, index) => {
      const changed = key === '[]' || index === at ? inner(one) : one;
      return changed === undefined ? [] : [changed];
    });
  }
  if (!isRecord(value) || (rest.length > 0 && !(key in value))) return value;
  const { [key]: there, ...others } = value;
  const changed = inner(there);
  return changed === undefined ? others : { ...value, [key]: changed };
}
