import fc from 'fast-check';

const HEX = fc.constantFrom(...'0123456789abcdef');

/** A well-formed digest: 64 lower-case hexadecimal digits. */
export const digest = (): fc.Arbitrary<string> => fc.string({ unit: HEX, minLength: 64, maxLength: 64 });

const GOOD = '0123456789abcdef'.repeat(4);

/** Nearly a digest. */
export const NEARLY_DIGESTS: readonly string[] = [GOOD.toUpperCase(), GOOD.slice(1), `${GOOD}0`, `${GOOD}\n`];

/** Invalid digests, each for a reason of its own. */
export const BAD_DIGESTS: readonly unknown[] = [
  ...NEARLY_DIGESTS,
  '',
  null,
  0,
  1e63,
  true,
  {},
  [],
  [GOOD],
  `${GOOD.slice(1)}A`,
  `${GOOD.slice(1)}g`,
  `${GOOD.slice(1)}z`,
  `\n${GOOD}`,
  ` ${GOOD}`,
  `${GOOD}\nx`,
  `sha256:${GOOD}`,
];

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
    fc.integer({ min: 1, max: 200 }).map((length) => 'a'.repeat(length === 64 ? 65 : length)),
  );
