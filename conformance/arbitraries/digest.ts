import fc from 'fast-check';

const HEX = fc.constantFrom(...'0123456789abcdef');

/** A well-formed digest: 64 lower-case hexadecimal digits. */
export const digest = (): fc.Arbitrary<string> => fc.string({ unit: HEX, minLength: 64, maxLength: 64 });
