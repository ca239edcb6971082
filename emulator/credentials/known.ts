import { createHash } from 'node:crypto';
import { createBeginnings, hash, IN_BASE64, PLAINLY, SEARCHED_FROM } from './beginnings.js';

export interface Match {
  readonly index: number;
  readonly length: number;
  /** The value as it was added; empty where only its digest is known. */
  readonly value: string;
}

export interface Search {
  /**
   * The places of values in a plain text that `accept` takes. Places of short values come first; places of the others follow in
   * order, without overlap.
   */
  find(text: string, accept?: (text: string, match: Match) => boolean): Iterable<Match>;
  /** Whether a text may contain a value, plainly or in Base64. */
  mayHold(text: string): boolean;
  /** Whether a text may contain a value in Base64. */
  mayHoldInBase64(text: string): boolean;
  /** Characters of the longest value. */
  readonly longest: number;
}

/** A set of values to search for. The time of a search grows with the text, hardly with the number of values. */
export interface Known extends Search {
  readonly size: number;
  has(value: string): boolean;
  add(value: string): void;
  delete(value: string): void;
  /** Makes `mayHoldInBase64` true of Base64 with such a beginning in it. */
  hint(beginning: string): void;
  /** Adds a value of eight characters or more, of which only a digest is kept. It is found as a whole. */
  addDigest(value: string): void;
  /** The place of a value that the end of a text cuts: the longest such beginning. */
  begun(text: string): Omit<Match, 'length'> | undefined;
}

export interface KnownOptions {
  /** A value with fewer characters is found only as a whole text: words may contain it by chance. */
  readonly searchedFrom?: number;
  /** The number of first characters that identify a value. A match goes on as far as the text agrees with the value. */
  readonly enough?: (length: number) => number;
}

/** A reading of a value, or its digest. */
interface Entry {
  readonly value: string;
  readonly reading: string;
  readonly length: number;
  readonly digest?: number;
}

/** The shortest beginning of a cut value that counts. */
const LEAST_BEGUN = 4;
/** Of a longer value, this many first characters identify it. */
const KNOWN_BY = 256;

const digestOf = (text: string) => createHash('sha256').update(text).digest().readUIntBE(0, 6);
const literally = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The UTF-8 bytes of a text as characters: percent encoding and Base64 encode these. */
const asBytes = (value: string): string => Buffer.from(value).toString('latin1');
/** A text with a single reading. */
const PLAIN = /^[\x21-\x7e]*$/;
/** The readings of a value: as text, as bytes, and each with the plus signs of forms. */
const readingsOf = (value: string): string[] =>
  PLAIN.test(value) ? [value] : [...new Set([value, asBytes(value)].flatMap((one) => [one, one.replaceAll(' ', '+')]))];

/**
 * The Base64 of a beginning, in both alphabets, after 0, 1 or 2 other bytes in its first group of three. Characters that depend on
 * the other bytes are left out.
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
  /** Values by their readings that are too short for the index. */
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

  /** The number of characters of a text, from a place on, that agree with an entry. */
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
