import { createHash } from 'node:crypto';
import { readingsOf, type Search } from './spellings.js';

/** Characters of a beginning, by which a place is found where a value may be. No value is shorter. */
const WINDOW = 8;
/** A place in a text that begins like no value costs one look at a byte. */
const BITS = 1 << 20;

/** Of the characters of a window. */
function hash(text: string, at: number): number {
  let sum = 0x811c9dc5;
  for (let end = at + WINDOW; at < end; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return sum >>> 0;
}

/** A search for values of which no text is kept: where each begins, how long it is, and a digest. */
export interface Digests extends Search {
  readonly size: number;
  add(value: string): void;
  /** Where the beginning of a value may be that the end of the text cuts; undefined if there is none. */
  begunAt(text: string): number | undefined;
}

export function createDigests(): Digests {
  /** By the hash of the beginning: length and digest of each value, in turns. */
  const known = new Map<number, number[]>();
  let begins = new Uint8Array(0);
  let longest = 0;
  let size = 0;
  const digest = (text: string) => createHash('sha256').update(text).digest().readUIntBE(0, 6);

  const put = (reading: string) => {
    const beginning = hash(reading, 0);
    const alike = known.get(beginning) ?? [];
    const made = digest(reading);
    if (alike.includes(made)) return;
    if (begins.length === 0) begins = new Uint8Array(BITS);
    begins[beginning % BITS] = 1;
    known.set(beginning, [...alike, reading.length, made]);
    longest = Math.max(longest, reading.length);
    size++;
  };
  /** The values that may begin at a place: length and digest. */
  function* at(text: string, place: number): Generator<readonly [length: number, made: number]> {
    const beginning = hash(text, place);
    if (begins[beginning % BITS] !== 1) return;
    const alike = known.get(beginning) ?? [];
    for (let each = 0; each < alike.length; each += 2) yield [alike[each] ?? 0, alike[each + 1] ?? 0];
  }

  return {
    get size() {
      return size;
    },
    get longest() {
      return longest;
    },
    add: (value) => readingsOf(value).forEach(put),
    *find(text) {
      if (size === 0) return;
      for (let place = 0; place + WINDOW <= text.length; ) {
        let length = 0;
        for (const [long, made] of at(text, place))
          if (long > length && place + long <= text.length && digest(text.slice(place, place + long)) === made)
            length = long;
        if (length > 0) yield { index: place, length, value: '' };
        place += Math.max(1, length);
      }
    },
    mayHold: () => size > 0,
    begunAt(text) {
      for (let place = Math.max(0, text.length - longest); size > 0 && place + WINDOW <= text.length; place++)
        for (const [long] of at(text, place)) if (place + long > text.length) return place;
      return undefined;
    },
  };
}
