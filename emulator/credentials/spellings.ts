/** A text together with where each of its characters stands in the text it was read from. */
interface Read {
  readonly text: string;
  /** Source position of each character, and of the end. */
  readonly at: (index: number) => number;
  /** The same for a position that something ends at. */
  readonly endAt: (index: number) => number;
}

const ESCAPE = /\\u([0-9a-f]{4})|\\([\\/"])|%([0-9a-f]{2})/gi;

/** Undoes one layer of JSON and percent escapes; undefined where there are none. */
function unescaped(source: Read): Read | undefined {
  if (!/\\[u\\/"]|%[0-9a-f]{2}/i.test(source.text)) return undefined;
  let text = '';
  // Where characters were shortened: from `to` on, positions are `from` further on in the source.
  const steps: { to: number; from: number }[] = [];
  let last = 0;
  for (const match of source.text.matchAll(ESCAPE)) {
    const [written, unicode, plain, percent] = match;
    text +=
      source.text.slice(last, match.index) +
      (plain ?? String.fromCharCode(Number.parseInt(unicode ?? percent ?? '', 16)));
    last = match.index + written.length;
    steps.push({ to: text.length, from: last });
  }
  text += source.text.slice(last);
  const at = (index: number) => {
    let low = 0;
    let high = steps.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((steps[middle]?.to ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    const step = steps[low - 1];
    return source.at(step ? step.from + index - step.to : index);
  };
  return { text, at, endAt: at };
}

/** How many layers of escapes are undone: JSON in a text in JSON, and its percent encoding. */
const LAYERS = 4;

/** A text as it stands, and as it reads with its JSON (`\u0065`) and percent (`%65`) escapes undone, layer by layer. */
export function* readings(text: string): Generator<Read> {
  const itself = (index: number) => index;
  let read: Read | undefined = { text, at: itself, endAt: itself };
  for (let layer = 0; read && layer < LAYERS; layer++) {
    yield read;
    read = unescaped(read);
  }
}

/** Runs that are long enough to be the Base64 of a credential, in either alphabet: eight bytes, wherever they begin. */
const BASE64 = /[A-Za-z0-9+/_-]{10,}/g;

const standard = (base64: string): string => base64.replaceAll('-', '+').replaceAll('_', '/');

/**
 * How Base64 may spell a beginning, whatever stands before it: with none, one or two bytes of that in its first group.
 * Only characters that the beginning alone decides.
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

const literally = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** What is looked for in texts. */
export interface Search {
  readonly wanted: RegExp;
  /** What is in the Base64 of anything that is wanted. */
  readonly base64: RegExp;
}

/** What is known without its value. Sources of regular expressions, but for the beginnings. */
export interface Shapes {
  readonly wanted: readonly string[];
  readonly beginnings: readonly string[];
  /** Base64 that is always read. */
  readonly base64: string;
}

/**
 * Puts a search together: for values, and for what has a shape. Values that are shorter than `searchedFrom` are wanted
 * only where they are the whole text: they would be found in the middle of words.
 */
export function createSearch(values: Iterable<string>, shapes?: Shapes, searchedFrom = 0): Search {
  // The longest first: of two that begin alike, the whole one is meant.
  const known = [...new Set([...values].flatMap((value) => [value, asBytes(value)]))].sort(
    (a, b) => b.length - a.length,
  );
  const long = known.filter(({ length }) => length >= searchedFrom);
  const short = known.filter(({ length }) => length < searchedFrom).map((value) => `^${literally(value)}$`);
  const beginnings = [...long, ...(shapes?.beginnings ?? [])].flatMap((one) => base64Beginnings(one.slice(0, 6)));
  const pattern = (sources: readonly string[], flags = '') =>
    new RegExp(sources.length > 0 ? sources.join('|') : '(?!)', flags);
  return {
    wanted: pattern([...long.map(literally), ...short, ...(shapes?.wanted ?? [])], 'g'),
    base64: pattern([...(shapes ? [shapes.base64] : []), ...[...new Set(beginnings)].map(literally)]),
  };
}

/** Where something that is wanted stands in a text. */
export interface Spelled {
  readonly start: number;
  readonly end: number;
  /** As it reads. */
  readonly value: string;
  /** Where it was found in Base64: all of that. */
  readonly base64?: { readonly start: number; readonly end: number };
}

/**
 * Everything wanted in a text, in any spelling: as it is, in JSON and percent escapes, in Base64. A run of Base64 may begin
 * anywhere within what was encoded, or have other characters of the alphabet before it: all four alignments are read.
 */
export function* spelledIn(text: string, { wanted, base64 }: Search): Generator<Spelled> {
  for (const source of readings(text)) {
    const { at, endAt } = source;
    for (const { 0: value, index } of source.text.matchAll(wanted))
      yield { start: at(index), end: endAt(index + value.length), value };
    for (const { 0: run, index } of source.text.matchAll(BASE64)) {
      if (!base64.test(standard(run))) continue;
      const whole = { start: at(index), end: endAt(index + run.length) };
      for (let skip = 0; skip < 4; skip++) {
        const from = (byte: number) => at(index + skip + Math.floor((byte * 4) / 3));
        const to = (byte: number) => endAt(index + skip + Math.ceil((byte * 4) / 3));
        const decoded = Buffer.from(run.slice(skip), 'base64').toString('latin1');
        for (const { 0: value, index: byte } of decoded.matchAll(wanted))
          yield { start: from(byte), end: to(byte + value.length), value, base64: whole };
      }
    }
  }
}
