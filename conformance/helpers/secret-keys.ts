/** Keys of values that a caller must not get. */
const SECRET = /^(api_?key|(.*_)?token|(.*_)?secret.*|credentials?|password|vault_contents?)$/i;

/** Numbers and flags only count, or say whether. */
const holds = (value: unknown) =>
  (typeof value === 'string' && value !== '') || (typeof value === 'object' && value !== null);

/** The fields of an answer that hold something secret. */
export function secretKeys(value: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(SECRET.test(key) && !/page|cursor|next/i.test(key) && holds(inner) ? [`${at}${key}`] : []),
    ...secretKeys(inner, `${at}${key}.`),
  ]);
}
