import fc from 'fast-check';

/** Code points without surrogates. */
const CODE_POINTS = 0x110000 - 0x800;

/**
 * One character: any code point but surrogates, those of ASCII often. (The `binary` unit of fast-check does the same at
 * the cost of a table of a million entries when it is first used.)
 */
export const codePoint = (): fc.Arbitrary<string> =>
  fc
    .oneof({ arbitrary: fc.nat(0x7f), weight: 1 }, { arbitrary: fc.nat(CODE_POINTS - 1), weight: 1 })
    .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800));
