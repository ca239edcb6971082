/** Where a value is in a text. */
export interface Match {
  readonly index: number;
  readonly length: number;
  /** The value that was looked for. */
  readonly value: string;
}

/** Searches texts for many values: the time grows with the length of the text, hardly with the number of values. */
export interface Finder {
  /** All places, in order and without overlap; of values with the same beginning, the longest that is there. */
  find(text: string): Iterable<Match>;
  /** Whether any of the values is in the text. */
  isIn(text: string): boolean;
}

/** One pattern searches for this many beginnings; with more, each would be tried at each place. */
const MOST_IN_PATTERN = 16;
/** The length of the beginning by which a value is recognized: what follows counts as far as it agrees. */
const KNOWN_BY = 256;

const literally = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const BITS = 1 << 18;
const hash = (text: string, at: number, size: number): number => {
  let sum = 0;
  for (let end = at + size; at < end; at++) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) & (BITS - 1);
  return sum;
};

/** The places where one of several beginnings of the same length may be: all of them, and few others. */
function createSieve(beginnings: ReadonlySet<string>, size: number): (text: string, from: number) => number {
  if (beginnings.size <= MOST_IN_PATTERN) {
    const pattern = new RegExp([...beginnings].map(literally).join('|'), 'g');
    return (text, from) => {
      pattern.lastIndex = from;
      return pattern.exec(text)?.index ?? -1;
    };
  }
  const begins = new Uint8Array(BITS);
  for (const beginning of beginnings) begins[hash(beginning, 0, size)] = 1;
  return (text, from) => {
    for (let at = from; at + size <= text.length; at++) if (begins[hash(text, at, size)] === 1) return at;
    return -1;
  };
}

/** How far a value agrees with a text from a place on. */
function agreement(text: string, at: number, value: string): number {
  let length = KNOWN_BY;
  while (length < value.length && text[at + length] === value[length]) length++;
  return length;
}

/**
 * Makes a finder. No value may be shorter than `size`.
 *
 * @param size characters of a beginning by which values are first distinguished
 */
export function createFinder(values: Iterable<string>, size: number): Finder {
  const byBeginning = new Map<string, string[]>();
  for (const value of new Set(values)) {
    const beginning = value.slice(0, size);
    const alike = byBeginning.get(beginning);
    if (alike) alike.push(value);
    else byBeginning.set(beginning, [value]);
  }
  for (const alike of byBeginning.values()) alike.sort((a, b) => b.length - a.length);
  const next = createSieve(new Set(byBeginning.keys()), size);

  const matchAt = (text: string, index: number): Match | undefined => {
    let longest: Match | undefined;
    for (const value of byBeginning.get(text.slice(index, index + size)) ?? []) {
      if (longest && value.length <= longest.length) break;
      if (!text.startsWith(value.length > KNOWN_BY ? value.slice(0, KNOWN_BY) : value, index)) continue;
      const length = value.length > KNOWN_BY ? agreement(text, index, value) : value.length;
      if (!longest || length > longest.length) longest = { index, length, value };
    }
    return longest;
  };

  function* find(text: string): Generator<Match> {
    if (byBeginning.size === 0) return;
    for (let at = next(text, 0); at >= 0; ) {
      const match = matchAt(text, at);
      if (match) yield match;
      at = next(text, match ? at + match.length : at + 1);
    }
  }
  return {
    find,
    isIn: (text) => !find(text).next().done,
  };
}
