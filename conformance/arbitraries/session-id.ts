import fc from 'fast-check';

const LETTER = fc.oneof(
  { arbitrary: fc.integer({ min: 0x20, max: 0x7e }), weight: 5 },
  { arbitrary: fc.integer({ min: 0xc0, max: 0xff }), weight: 1 },
  { arbitrary: fc.integer({ min: 0x3b1, max: 0x3c9 }), weight: 1 },
  { arbitrary: fc.integer({ min: 0x4e00, max: 0x4fff }), weight: 1 },
);

/** Session ids of 1 to 256 characters; the lengths at both ends often. */
export const sessionId = (): fc.Arbitrary<string> =>
  fc
    .oneof(
      { arbitrary: fc.array(LETTER, { minLength: 1, maxLength: 60 }), weight: 4 },
      { arbitrary: fc.array(LETTER, { minLength: 1, maxLength: 1 }), weight: 1 },
      { arbitrary: fc.array(LETTER, { minLength: 256, maxLength: 256 }), weight: 1 },
    )
    .map((codes) => String.fromCodePoint(...codes));

/** JSON that is not a string, and not null. */
export const notText = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.integer(),
    fc.boolean(),
    fc.constant([]),
    fc.constant({}),
    fc.constant(['session']),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );
