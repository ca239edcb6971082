import fc from 'fast-check';

/** Spellings of application/json: any case, parameters, white space around them. */
export const JSON_TYPES = [
  'application/json',
  'Application/JSON',
  'application/json;charset=utf-8',
  'application/json; charset="UTF-8"',
  'application/json ; a=b; c=d',
];

/** Any of them. */
export const jsonType = (): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom('application/json', 'Application/JSON', 'APPLICATION/JSON', 'application/Json'),
      fc.constantFrom('', ';charset=utf-8', '; charset=UTF-8', '; charset="utf-8"', ' ; charset=utf-8', '; a=b; c=d'),
    )
    .map(([type, rest]) => `${type}${rest}`);

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

/** Types of the JSON family that are not application/json itself. */
export const JSON_FAMILY = [
  'application/problem+json',
  'application/merge-patch+json',
  'application/vnd.api+json',
  'text/x-json',
];
