import type { Known, Search } from './known.js';

/** A text together with the source position of each of its characters. */
interface Read {
  readonly text: string;
  /** Source position of each character, and of the end. */
  readonly at: (index: number) => number;
}

/** The characters that JSON's short escapes stand for. */
const CONTROL: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** The ways to escape a character, of JSON and of percent encoding: their mark, the written form, and the character. */
const ESCAPES: readonly { readonly mark: string; readonly written: RegExp; says(match: RegExpMatchArray): string }[] = [
  {
    mark: '\\',
    written: /\\(?:u([0-9a-f]{4})|([\\/"bfnrt]))/gi,
    says: ([, unicode, plain = '']) =>
      unicode === undefined ? (CONTROL[plain] ?? plain) : String.fromCharCode(Number.parseInt(unicode, 16)),
  },
  { mark: '%', written: /%([0-9a-f]{2})/gi, says: ([, hex = '']) => String.fromCharCode(Number.parseInt(hex, 16)) },
];

/** Undoes one layer of escapes of one kind; undefined if there are none. */
function unescaped(source: Read, { mark, written, says }: (typeof ESCAPES)[number]): Read | undefined {
  if (!source.text.includes(mark)) return undefined;
  let text = '';
  // Escapes are longer than their characters: `to[n]` in the text is `from[n]` in the source.
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
  return { text, at };
}

/** How many layers of escapes are undone: JSON in a text in JSON, and its percent encoding. */
const LAYERS = 4;

/**
 * A text as it is, and as it reads with its JSON (`\u0065`) and percent (`%65`) escapes undone, layer by layer, in any
 * order: undoing escapes of one kind may produce escapes of the other.
 */
function* readings(text: string): Generator<Read> {
  let layer: Read[] = [{ text, at: (index) => index }];
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

/** A longer text is read in parts: its readings take a multiple of its memory. */
const PART = 1_048_576;
/** How much of the text before it a part repeats, for matches that cross the border. */
const REPEATED = 65_536;

/** A text as it is, and in parts as it reads with its escapes undone, layer by layer. */
export function* readingsInParts(text: string): Generator<string> {
  yield text;
  for (let from = 0; from === 0 || from + REPEATED < text.length; from += PART)
    for (const read of readings(text.length <= PART ? text : text.slice(from, from + PART + REPEATED)))
      if (read.text !== text) yield read.text;
}

interface Place {
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

/** Runs that are long enough to be the Base64 of a credential, in either alphabet: eight bytes, wherever they begin. */
const BASE64 = /[A-Za-z0-9+/_-]{10,}/g;

/** A run of Base64 as it decodes: it may begin anywhere within what was encoded, or have other characters before it. */
function* decodingsOf(run: string): Generator<readonly [decoded: string, skip: number]> {
  for (let skip = 0; skip < 4; skip++) yield [Buffer.from(run.slice(skip), 'base64').toString('latin1'), skip];
}

function* placesInPart(text: string, search: Search): Generator<Place> {
  for (const { text: read, at } of readings(text)) {
    // Most texts have no such beginning anywhere.
    if (!search.mayHold(read)) continue;
    for (const { index, length, value } of search.find(read))
      yield { start: at(index), end: at(index + length), value };
    for (const { 0: run, index } of read.matchAll(BASE64)) {
      if (!search.mayHoldInBase64(run)) continue;
      for (const [decoded, skip] of decodingsOf(run))
        for (const { index: byte, length, value } of search.find(decoded)) {
          // All of the Base64 goes: its digits overlap. A slash belongs to the alphabet, but may as well end a segment.
          const slash = run.indexOf('/', skip + Math.ceil(((byte + length) * 4) / 3));
          const start = index + run.lastIndexOf('/', skip + Math.floor((byte * 4) / 3)) + 1;
          const end = index + (slash < 0 ? run.length : slash);
          const padding = /^=*/.exec(read.slice(end, end + 2))?.[0].length ?? 0;
          yield { start: at(start), end: at(end + padding), value };
        }
    }
  }
}

/** The longest spelling of a character: its JSON escape, in Base64, in percent encoding. */
const LONGEST_SPELLING = 24;

/**
 * Every place in a text of the values that are searched for, in three spellings: as it is, in escapes (of JSON and percent, in any
 * layers), and in Base64. The same place may be found twice.
 */
export function* spelledIn(text: string, search: Search): Generator<Place> {
  if (search.longest === 0) return;
  // Most texts have neither an escape nor the beginning of a value.
  if (!ESCAPES.some(({ mark }) => text.includes(mark)) && !search.mayHold(text)) return;
  const overlap = Math.max(4_096, search.longest * LONGEST_SPELLING);
  const step = Math.max(PART, overlap);
  for (let from = 0; from === 0 || from + overlap < text.length; from += step) {
    const part = text.length <= step + overlap ? text : text.slice(from, from + step + overlap);
    for (const { start, end, value } of placesInPart(part, search))
      yield { start: start + from, end: end + from, value };
  }
}

/** An escape that was cut. */
const HALF_ESCAPE = /(?:%[0-9a-f]?|\\(?:u[0-9a-f]{0,3})?)$/i;
const LAST_BASE64 = /[A-Za-z0-9+/_-]{10,}=*$/;

/** Finds the beginning of a known value at the end of a text that was cut, in the same spellings. */
export function begunIn(text: string, begun: Known['begun']): Omit<Place, 'end'> | undefined {
  const tail = text.slice(-4_096);
  const found: Omit<Place, 'end'>[] = [];
  for (const { text: read, at } of readings(tail.replace(HALF_ESCAPE, ''))) {
    const plain = begun(read);
    if (plain) found.push({ start: at(plain.index), value: plain.value });
    const run = LAST_BASE64.exec(read);
    for (const [decoded] of run ? decodingsOf(run[0]) : []) {
      const inside = begun(decoded);
      if (inside) found.push({ start: at(run?.index ?? 0), value: inside.value });
    }
  }
  const [first] = found.sort((a, b) => a.start - b.start);
  return first && { start: text.length - tail.length + first.start, value: first.value };
}
