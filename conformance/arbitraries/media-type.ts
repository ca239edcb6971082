import fc from 'fast-check';

/** Media types that are another, some of them nearly the same; undefined sends none. */
export const OTHER_TYPES = [
  undefined,
  'text/plain',
  'text/plain; charset=utf-8',
  'text/json',
  'application/jsonx',
  'application/jsonp',
  'application/x-json',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=application/json',
  'text/plain; type=application/json',
  'json',
] as const;

/** One of them. */
export const otherType = (): fc.Arbitrary<string | undefined> => fc.constantFrom(...OTHER_TYPES);
