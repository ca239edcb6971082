import fc from 'fast-check';

const HEX = fc.constantFrom(...'0123456789abcdef');

/** A digest in its form: 64 lower-case hexadecimal digits. */
export const digest = (): fc.Arbitrary<string> => fc.string({ unit: HEX, minLength: 64, maxLength: 64 });

/** A digest with exactly one thing wrong, or something else altogether. */
export const badDigest = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc
      .tuple(
        digest(),
        fc.nat(63),
        fc.constantFrom('upper', 'short', 'long', 'other', 'newline', 'space', 'prefix', 'list', 'separators'),
        fc.constantFrom('g', 'A', 'F', '-', ' ', '\u0660', '０', 'é', '/', ':', '`', '@', 'G'),
      )
      .map(([hex, at, how, char]): unknown => {
        if (how === 'upper') return `a${hex.slice(1)}`.toUpperCase();
        if (how === 'short') return hex.slice(1);
        if (how === 'long') return `${hex}0`;
        if (how === 'newline') return `${hex}\n`;
        if (how === 'space') return ` ${hex}`;
        if (how === 'prefix') return `sha256:${hex}`;
        if (how === 'list') return [hex];
        if (how === 'separators') return hex.match(/../g)?.join(':');
        return `${hex.slice(0, at)}${char}${hex.slice(at + 1)}`;
      }),
    fc.constantFrom<unknown>('', null, 0, 1e63, true, {}, [], 'a', '0'.repeat(63), '0'.repeat(65), '0'.repeat(128)),
    fc.constantFrom(1, 31, 32, 40, 63, 65, 66, 96, 128).map((length) => 'a'.repeat(length)),
  );
