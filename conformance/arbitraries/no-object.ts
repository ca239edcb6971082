import fc from 'fast-check';

/** JSON that is not an object. */
export const noObject = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    // Inputs that parsers handle carelessly come often.
    { weight: 6, arbitrary: fc.constantFrom<unknown>(null, [], [{}], '', '{}', 'text', 0, 1, true, false) },
    fc.array(fc.jsonValue(), { maxLength: 3 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );
