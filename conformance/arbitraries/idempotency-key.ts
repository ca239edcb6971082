import fc from 'fast-check';

/** The rest of a key that is unique already: visible characters that a header can carry, none at its end. */
export const idempotencyKey = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom('', ':', '/a/b', '=%20', '"quoted"', 'k'.repeat(240)),
    fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength: 60 }),
  );
