/** A text together with where each of its characters stands in the text it was read from. */
export interface Read {
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

/** Runs that are long enough to be the Base64 of a credential, in either alphabet. */
const BASE64 = /[A-Za-z0-9+/_-]{16,}/g;

const URL_ALPHABET: Readonly<Record<string, string>> = { '-': '+', _: '/' };
const standard = (base64: string): string => base64.replace(/[-_]/g, (one) => URL_ALPHABET[one] ?? one);

/**
 * How Base64 may spell a beginning, whatever stands before it: with none, one or two bytes of that in its first group.
 * Only characters that the beginning alone decides.
 */
export function base64Beginnings(beginning: string): string[] {
  return ['', '.', '..'].map((before) => {
    const decided = Math.floor(((before.length + beginning.length) * 8) / 6);
    const text = Buffer.from(before + beginning, 'latin1')
      .toString('base64')
      .slice(0, decided);
    return text.slice(Math.ceil((before.length * 8) / 6));
  });
}

/**
 * What the Base64 in a text says, as Latin-1, of the runs that `may` hold a credential. A run may begin anywhere within
 * what was encoded, or have other characters of the alphabet before it: all four alignments are read.
 */
export function* base64Readings(source: Read, may: (run: string) => boolean): Generator<Read> {
  for (const { 0: run, index } of source.text.matchAll(BASE64)) {
    if (!may(standard(run))) continue;
    for (let skip = 0; skip < 4; skip++) {
      const text = Buffer.from(run.slice(skip), 'base64').toString('latin1');
      const position = (byte: number, round: (x: number) => number) => source.at(index + skip + round((byte * 4) / 3));
      yield { text, at: (byte) => position(byte, Math.floor), endAt: (byte) => position(byte, Math.ceil) };
    }
  }
}
