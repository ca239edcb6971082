import { createFinder, type Match } from './finder.js';

/** A text together with the source position of each of its characters. */
interface Read {
  readonly text: string;
  /** Source position of each character, and of the end. */
  readonly at: (index: number) => number;
  /** The same for a position that something ends at. */
  readonly endAt: (index: number) => number;
}

/** What the letters of JSON's short escapes stand for. */
const CONTROL: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** The ways to escape a character, of JSON and of percent encoding: what is written, and what it says. */
const ESCAPES: readonly { readonly written: RegExp; says(match: RegExpMatchArray): string }[] = [
  {
    written: /\\(?:u([0-9a-f]{4})|([\\/"bfnrt]))/gi,
    says: ([, unicode, plain = '']) =>
      unicode === undefined ? (CONTROL[plain] ?? plain) : String.fromCharCode(Number.parseInt(unicode, 16)),
  },
  { written: /%([0-9a-f]{2})/gi, says: ([, hex = '']) => String.fromCharCode(Number.parseInt(hex, 16)) },
];

/** Undoes one layer of escapes of one kind; undefined if there are none. */
function unescaped(source: Read, { written, says }: (typeof ESCAPES)[number]): Read | undefined {
  let text = '';
  // Where characters were shortened: the text from `to[n]` on is from `from[n]` on in the source.
  const to: number[] = [];
  const from: number[] = [];
  let last = 0;
  for (const match of source.text.matchAll(written)) {
    text += source.text.slice(last, match.index) + says(match);
    last = match.index + match[0].length;
    to.push(text.length);
    from.push(last);
  }
  if (last === 0) return undefined;
  text += source.text.slice(last);
  const at = (index: number) => {
    let low = 0;
    let high = to.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((to[middle] ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    return source.at(low === 0 ? index : (from[low - 1] ?? 0) + index - (to[low - 1] ?? 0));
  };
  return { text, at, endAt: at };
}

/** How many layers of escapes are undone: JSON in a text in JSON, and its percent encoding. */
const LAYERS = 4;

/**
 * A text as it is, and as it reads with its JSON (`\u0065`) and percent (`%65`) escapes undone, layer by layer, in any
 * order: undoing escapes of one kind may produce escapes of the other.
 */
export function* readings(text: string): Generator<Read> {
  const itself = (index: number) => index;
  let layer: Read[] = [{ text, at: itself, endAt: itself }];
  for (let depth = 0; layer.length > 0 && depth <= LAYERS; depth++) {
    yield* layer;
    const next = new Map<string, Read>();
    for (const read of depth < LAYERS ? layer : [])
      for (const way of ESCAPES) {
        const under = unescaped(read, way);
        if (under && !next.has(under.text)) next.set(under.text, under);
      }
    layer = [...next.values()];
  }
}

/** Runs that are long enough to be the Base64 of a credential, in either alphabet: eight bytes, wherever they begin. */
const BASE64 = /[A-Za-z0-9+/_-]{10,}/g;

const standard = (base64: string): string => base64.replaceAll('-', '+').replaceAll('_', '/');

/**
 * How Base64 may spell a beginning, whatever precedes it: with none, one or two bytes of that in its first group. Only
 * characters that the beginning alone decides.
 */
function base64Beginnings(beginning: string): string[] {
  return ['', '.', '..'].map((before) => {
    const decided = Math.floor(((before.length + beginning.length) * 8) / 6);
    const text = Buffer.from(before + beginning, 'latin1')
      .toString('base64')
      .slice(0, decided);
    return text.slice(Math.ceil((before.length * 8) / 6));
  });
}

/** The same as UTF-8, a byte a character: how percent encoding and Base64 spell what is not ASCII. */
const asBytes = (value: string): string => Buffer.from(value).toString('latin1');

/** What reads as itself in any way. */
const PLAIN = /^[\x21-\x7e]*$/;

/**
 * How a value reads once its escapes are undone: as text, as bytes, and with the plus signs that forms use for spaces.
 */
export const readingsOf = (value: string): string[] =>
  PLAIN.test(value) ? [value] : [value, asBytes(value)].flatMap((one) => [one, one.replaceAll(' ', '+')]);

/** What to search for in texts. */
export interface Search {
  /** Places of wanted values in a text as it reads. `value` is the wanted value, or what has the shape. */
  find(text: string): Iterable<Match>;
  /** Whether a run of Base64, in the standard alphabet, may hold anything wanted. */
  mayHold(base64: string): boolean;
  /** Characters of the longest value. */
  readonly longest: number;
}

/** What is known without its value. Sources of regular expressions, except for the beginnings. */
export interface Shapes {
  readonly wanted: readonly string[];
  readonly beginnings: readonly string[];
  /** Base64 that is always read. */
  readonly base64: string;
}

const literally = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const pattern = (sources: readonly string[], flags = '') =>
  new RegExp(sources.length > 0 ? sources.join('|') : '(?!)', flags);

/** How many characters of a beginning are searched for in texts, and how many of its Base64. */
const BEGINNING = 8;
const BASE64_BEGINNING = 7;

/**
 * Puts a search together: for values, and for shapes. A value of fewer than eight characters is wanted only if it is
 * the whole text: it would be found in the middle of words. What has a shape is found anywhere.
 */
export function createSearch(values: Iterable<string>, shapes?: Shapes): Search {
  const meant = new Map<string, string>();
  for (const value of values)
    for (const reading of readingsOf(value)) if (!meant.has(reading)) meant.set(reading, value);
  const all = [...meant.keys()];
  const long = createFinder(
    all.filter(({ length }) => length >= BEGINNING),
    BEGINNING,
  );
  const short = all.filter(({ length }) => length > 0 && length < BEGINNING).sort((a, b) => b.length - a.length);
  const whole = new Set(shapes ? [] : short);
  const shaped = shapes && pattern([...short.map(literally), ...shapes.wanted], 'g');
  const beginnings = [...all.filter(({ length }) => length >= 6), ...(shapes?.beginnings ?? [])];
  const inBase64 = createFinder(
    [...new Set(beginnings.map((one) => one.slice(0, 6)))].flatMap(base64Beginnings),
    BASE64_BEGINNING,
  );
  const always =
    shapes &&
    pattern([
      shapes.base64,
      ...short.filter(({ length }) => length < 6).flatMap((one) => base64Beginnings(one).map(literally)),
    ]);

  return {
    longest: all.reduce((longest, { length }) => Math.max(longest, length), 0),
    *find(text) {
      for (const { index, length, value } of long.find(text)) yield { index, length, value: meant.get(value) ?? value };
      if (whole.has(text)) yield { index: 0, length: text.length, value: meant.get(text) ?? text };
      if (!shaped) return;
      for (const { 0: value, index } of text.matchAll(shaped))
        yield { index, length: value.length, value: meant.get(value) ?? value };
    },
    mayHold: (base64) => inBase64.isIn(base64) || always?.test(base64) === true,
  };
}

/** Where something wanted is in a text. */
export interface Spelled {
  readonly start: number;
  readonly end: number;
  /** The wanted value, or what has the shape. */
  readonly value: string;
  /** If it was found in Base64: all of that, between slashes. */
  readonly base64?: { readonly start: number; readonly end: number };
}

/** A longer text is read in parts: its readings take a multiple of its memory. */
const PART = 1_048_576;
/** How much of the text before it a part repeats, for what may cross the border. */
const REPEATED = 65_536;

/** A text as it is, and in parts as it reads with its escapes undone, layer by layer. */
export function* readingsInParts(text: string): Generator<string> {
  yield text;
  for (let from = 0; from === 0 || from + REPEATED < text.length; from += PART)
    for (const read of readings(text.length <= PART ? text : text.slice(from, from + PART + REPEATED)))
      if (read.text !== text) yield read.text;
}

/** The longest spelling of a character: its JSON escape, in Base64, in percent encoding. */
const LONGEST_SPELLING = 24;

/**
 * Everything wanted in a text, in any spelling: as it is, in JSON and percent escapes, in Base64. A run of Base64 may
 * begin anywhere within what was encoded, or have other characters of the alphabet before it, so all four alignments
 * are read. The same place may be found twice.
 */
export function* spelledIn(text: string, search: Search): Generator<Spelled> {
  const overlap = Math.max(4_096, search.longest * LONGEST_SPELLING);
  const step = Math.max(PART, overlap);
  for (let from = 0; from === 0 || from + overlap < text.length; from += step) {
    const part = text.length <= step + overlap ? text : text.slice(from, from + step + overlap);
    for (const found of spelledInPart(part, search)) {
      const { start, end, value, base64 } = found;
      if (from === 0) yield found;
      else
        yield {
          start: start + from,
          end: end + from,
          value,
          ...(base64 && { base64: { start: base64.start + from, end: base64.end + from } }),
        };
    }
  }
}

function* spelledInPart(text: string, search: Search): Generator<Spelled> {
  for (const source of readings(text)) {
    const { at, endAt } = source;
    for (const { index, length, value } of search.find(source.text))
      yield { start: at(index), end: endAt(index + length), value };
    for (const { 0: run, index } of source.text.matchAll(BASE64)) {
      if (!search.mayHold(standard(run))) continue;
      for (let skip = 0; skip < 4; skip++) {
        const decoded = Buffer.from(run.slice(skip), 'base64').toString('latin1');
        for (const { index: byte, length, value } of search.find(decoded)) {
          const first = skip + Math.floor((byte * 4) / 3);
          const after = skip + Math.ceil(((byte + length) * 4) / 3);
          const slash = run.indexOf('/', after);
          // A slash belongs to the alphabet, but may as well end a segment of a path.
          const whole = { from: run.lastIndexOf('/', first) + 1, to: slash < 0 ? run.length : slash };
          yield {
            start: at(index + first),
            end: endAt(index + after),
            value,
            base64: { start: at(index + whole.from), end: endAt(index + whole.to) },
          };
        }
      }
    }
  }
}

/** The beginning of a value at the end of a text: where it starts, and which value. */
export interface Begun {
  readonly start: number;
  readonly value: string;
}

/** The longest beginning of a value, but not all of it, at the end of a text; undefined below `least` characters. */
export function begunAtEnd(text: string, values: Iterable<string>, least: number): Begun | undefined {
  let begun: Begun | undefined;
  let length = least - 1;
  for (const value of values)
    for (let size = Math.min(value.length - 1, text.length); size > length; size--)
      if (text.endsWith(value.slice(0, size))) {
        length = size;
        begun = { start: text.length - size, value };
      }
  return begun;
}

/** An escape that was cut. */
const HALF_ESCAPE = /(?:%[0-9a-f]?|\\(?:u[0-9a-f]{0,3})?)$/i;
const LAST_BASE64 = /[A-Za-z0-9+/_-]{10,}=*$/;

/** The same in any spelling: for a text that was cut. */
export function begunIn(text: string, values: readonly string[], least: number): Begun | undefined {
  const tail = text.slice(-4_096);
  const found: Begun[] = [];
  for (const read of readings(tail.replace(HALF_ESCAPE, ''))) {
    const begun = begunAtEnd(read.text, values, least);
    if (begun) found.push({ start: read.at(begun.start), value: begun.value });
    const run = LAST_BASE64.exec(read.text);
    for (const skip of run ? [0, 1, 2, 3] : []) {
      const decoded = Buffer.from(run?.[0].slice(skip) ?? '', 'base64').toString('latin1');
      const inside = begunAtEnd(decoded, values, least);
      if (inside) found.push({ start: read.at(run?.index ?? 0), value: inside.value });
    }
  }
  const [first] = found.sort((a, b) => a.start - b.start);
  return first && { start: text.length - tail.length + first.start, value: first.value };
}
