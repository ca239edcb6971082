import { createHash } from 'node:crypto';
import { createBeginnings, hash, IN_BASE64, PLAINLY, SEARCHED_FROM } from './beginnings.js';

export interface Match {
  readonly index: number;
  readonly length: number;
  /** The value as it was added; empty where only its digest is known. */
  readonly value: string;
}

export interface Search {
  /** Places in a text as it reads, those of one kind in order and without overlap, and such as `accept` takes. */
  find(text: string, accept?: (text: string, match: Match) => boolean): Iterable<Match>;
  /** Whether a text may hold anything that is found, as it is or in Base64. */
  mayHold(text: string): boolean;
  /** Whether Base64 in a text may. */
  mayHoldInBase64(text: string): boolean;
  /** Characters of the longest thing that is found. */
  readonly longest: number;
}

/** Values that are searched for: the time grows with the length of a text, hardly with the number of values. */
export interface Known extends Search {
  readonly size: number;
  has(value: string): boolean;
  add(value: string): void;
  delete(value: string): void;
  /** Makes `mayHoldInBase64` true of Base64 with such a beginning in it. */
  hint(beginning: string): void;
  /** Adds a value of eight characters or more, of which only a digest is kept. It is found as a whole. */
  addDigest(value: string): void;
  /** Where the longest beginning of a value starts that the end of a text cuts. */
  begun(text: string): Omit<Match, 'length'> | undefined;
}

export interface KnownOptions {
  /** A shorter value is found only where it is the whole text: it would be found in the middle of words. */
  readonly searchedFrom?: number;
  /** How many of its first characters say that a value is there. The characters after them count as far as they agree. */
  readonly enough?: (length: number) => number;
}

/** A value, as it reads; or its digest. */
interface Entry {
  readonly value: string;
  readonly reading: string;
  readonly length: number;
  readonly digest?: number;
}

/** How many characters of a value that is cut may stay. */
const LEAST_BEGUN = 4;
/** A longer value is known by its beginning. */
const KNOWN_BY = 256;

const digestOf = (text: string) => createHash('sha256').update(text).digest().readUIntBE(0, 6);
const literally = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The same as UTF-8, a byte a character: how percent encoding and Base64 spell a text that is not ASCII. */
const asBytes = (value: string): string => Buffer.from(value).toString('latin1');
/** A text that reads as itself in any way. */
const PLAIN = /^[\x21-\x7e]*$/;
/** How a value reads once its escapes are undone: as text, as bytes, and with the plus signs of forms. */
const readingsOf = (value: string): string[] =>
  PLAIN.test(value) ? [value] : [...new Set([value, asBytes(value)].flatMap((one) => [one, one.replaceAll(' ', '+')]))];

/**
 * How Base64 spells a beginning in each of its alphabets, whatever precedes it: with none, one or two bytes of that in its first
 * group. Only characters that the beginning alone decides.
 */
const inBase64 = (beginning: string): string[] =>
  ['', '.', '..'].flatMap((before) => {
    const bytes = Buffer.from(before + beginning.slice(0, SEARCHED_FROM), 'latin1');
    return (['base64', 'base64url'] as const).map((alphabet) =>
      bytes.toString(alphabet).slice(Math.ceil((before.length * 8) / 6)),
    );
  });

export function createKnown(
  wanted: Iterable<string> = [],
  { searchedFrom = SEARCHED_FROM, enough = (length) => Math.min(length, KNOWN_BY) }: KnownOptions = {},
): Known {
  const values = new Set<string>();
  /** Readings that are too short for a place in the index, and their values. */
  const short = new Map<string, string>();
  let anywhere: RegExp | undefined;
  const index = new Map<number, Entry[]>();
  const begins = createBeginnings();
  let longest = 0;

  const search = () => {
    const searched = [...short.keys()]
      .filter(({ length }) => length >= searchedFrom)
      .sort((a, b) => b.length - a.length);
    anywhere = searched.length > 0 ? new RegExp(searched.map(literally).join('|'), 'g') : undefined;
  };
  const hint = (beginning: string) => {
    for (const spelled of inBase64(beginning)) begins.add(hash(spelled), IN_BASE64);
  };
  const put = (reading: string, entry: Entry) => {
    const key = hash(reading);
    const alike = index.get(key) ?? [];
    if (entry.digest !== undefined && alike.some(({ digest }) => digest === entry.digest)) return;
    alike.push(entry);
    index.set(key, alike);
    begins.add(key, PLAINLY);
    hint(reading);
  };
  const drop = (value: string, reading: string) => {
    const key = hash(reading);
    const left = index.get(key)?.filter((entry) => entry.value !== value || entry.digest !== undefined) ?? [];
    if (left.length > 0) index.set(key, left);
    else index.delete(key);
  };

  /** How much of a text is an entry, from a place on. */
  const agreement = (text: string, place: number, { reading, length, digest }: Entry): number => {
    if (digest !== undefined) return digestOf(text.slice(place, place + length)) === digest ? length : 0;
    let agreed = Math.max(SEARCHED_FROM, enough(length));
    if (!text.startsWith(agreed < length ? reading.slice(0, agreed) : reading, place)) return 0;
    while (agreed < length && text[place + agreed] === reading[agreed]) agreed++;
    return agreed;
  };

  const known: Known = {
    get size() {
      return values.size;
    },
    get longest() {
      return longest;
    },
    has: (value) => values.has(value),
    add(value) {
      if (value === '' || values.has(value)) return;
      values.add(value);
      for (const reading of readingsOf(value)) {
        const { length } = reading;
        longest = Math.max(longest, length);
        if (length >= SEARCHED_FROM) {
          put(reading, { value, reading, length });
        } else {
          short.set(reading, value);
          search();
        }
      }
    },
    delete(value) {
      if (!values.delete(value)) return;
      for (const reading of readingsOf(value)) {
        if (reading.length >= SEARCHED_FROM) drop(value, reading);
        else if (short.delete(reading)) search();
      }
    },
    addDigest(value) {
      for (const reading of readingsOf(value)) {
        const { length } = reading;
        longest = Math.max(longest, length);
        put(reading, { value: '', reading: '', length, digest: digestOf(reading) });
      }
    },
    *find(text, accept) {
      const whole = short.get(text);
      if (whole !== undefined) yield { index: 0, length: text.length, value: whole };
      if (anywhere)
        for (const { 0: found, index } of text.matchAll(anywhere))
          yield { index, length: found.length, value: short.get(found) ?? '' };
      for (let place = begins.next(text, 0, PLAINLY); place >= 0; ) {
        let match: Match | undefined;
        for (const entry of index.get(hash(text, place)) ?? []) {
          const found = { index: place, length: agreement(text, place, entry), value: entry.value };
          if (found.length > (match?.length ?? 0) && accept?.(text, found) !== false) match = found;
        }
        if (match) yield match;
        place = begins.next(text, place + (match?.length ?? 1), PLAINLY);
      }
    },
    hint,
    mayHold: (text) => short.size > 0 || begins.next(text, 0, PLAINLY | IN_BASE64) >= 0,
    mayHoldInBase64: (text) => anywhere !== undefined || begins.next(text, 0, IN_BASE64) >= 0,
    begun(text) {
      const from = Math.max(0, text.length - longest);
      for (let place = begins.next(text, from, PLAINLY); place >= 0; place = begins.next(text, place + 1, PLAINLY))
        for (const { value, reading, length, digest } of index.get(hash(text, place)) ?? [])
          if (place + length > text.length && (digest !== undefined || reading.startsWith(text.slice(place))))
            return { index: place, value };
      for (let size = Math.min(SEARCHED_FROM - 1, text.length); size >= LEAST_BEGUN; size--) {
        const end = text.slice(-size);
        for (const value of values)
          if (value.length > size && value.startsWith(end)) return { index: text.length - size, value };
      }
      return undefined;
    },
  };
  for (const value of wanted) known.add(value);
  return known;
}
