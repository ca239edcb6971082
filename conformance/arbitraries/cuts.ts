import fc from 'fast-check';

/** The bytes of a text in pieces, cut anywhere, within characters too. */
export const pieces = (text: string, cuts: readonly number[]): Uint8Array[] => {
  const bytes = new TextEncoder().encode(text);
  const at = [...new Set(cuts.map((cut) => cut % Math.max(1, bytes.length)))]
    .filter((cut) => cut > 0)
    .sort((a, b) => a - b);
  return [0, ...at].map((from, index) => bytes.subarray(from, at[index] ?? bytes.length));
};

/** Where to cut. */
export const cuts = (): fc.Arbitrary<number[]> => fc.array(fc.nat({ max: 5_000 }), { maxLength: 12 });
