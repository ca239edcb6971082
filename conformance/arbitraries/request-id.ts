import fc from 'fast-check';

const UNIT = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-');

/** An x-request-id that is echoed; both ends of the lengths often. */
export const requestId = (): fc.Arbitrary<string> =>
  fc
    .oneof(fc.constantFrom(1, 2, 127, 128), fc.integer({ min: 1, max: 128 }))
    .chain((length) => fc.string({ unit: UNIT, minLength: length, maxLength: length }));

/** One that is not echoed: too long, empty, or with one character that is not allowed. */
export const badRequestId = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom('', 'a'.repeat(129), 'a'.repeat(300)),
    fc
      .tuple(fc.string({ unit: UNIT, maxLength: 40 }), fc.constantFrom(...'/ ,;"\'@+=~#%&*()[]{}<>|\\^`!?$'))
      .map(([text, other]) => `a${text}${other}x`),
  );
