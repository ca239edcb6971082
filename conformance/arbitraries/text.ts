import fc from 'fast-check';

/** Text as people and machines write it: any code point but lone surrogates, awkward ones often. */
export const text = (constraints: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({
    unit: fc.oneof(
      { arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), weight: 3 },
      { arbitrary: AWKWARD, weight: 1 },
    ),
    ...constraints,
  });

/** Characters that break careless framing: of lines, of JSON, of events, of UTF-8 and UTF-16. */
const AWKWARD = fc.constantFrom(
  '\n',
  '\r',
  '\r\n',
  '"',
  '\\',
  '\u2028',
  '\u2029',
  '\u0000',
  '\ufeff',
  '😀',
  'é',
  'data: ',
  '[DONE]',
  ': ',
);
