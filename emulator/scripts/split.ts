/** Texts in which every code unit is a character of its own. */
const PLAIN = /^[\x20-\x7e]*$/;

/** Code units given to a segmenter at once: its time grows with the square of the length. */
const WINDOW = 2_048;

/**
 * Finds where the characters of a text begin: the offsets, in order, the first of them 0. For tests: what `split` uses.
 */
export type Segment = (text: string) => Iterable<{ readonly index: number }>;

const graphemes = (): Segment => {
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
  return (text) => segmenter.segment(text);
};

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;

/**
 * The beginnings of the characters of a text. The function looks at the text through a window that starts at the beginning of a
 * character. The last character in the window may go on behind it, so it is looked at again, in a wider window if it is
 * the only one.
 */
function startsOf(text: string, segment: Segment): number[] {
  const starts: number[] = [];
  let width = WINDOW;
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + width);
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to++;
    const found = Array.from(segment(text.slice(from, to)), ({ index }) => from + index);
    if (to < text.length) {
      if (found.length === 1) {
        width *= 2;
        continue;
      }
      from = found.pop() ?? to;
    } else {
      from = to;
    }
    for (const start of found) starts.push(start);
    width = WINDOW;
  }
  return starts;
}

/**
 * Splits a text into `count` pieces of about equal length, never within a character as readers see it (a grapheme). A
 * text with fewer characters than pieces yields one piece for each character, and an empty text yields one empty piece.
 * The time is proportional to the length of the text.
 */
export function split(text: string, count: number, segment?: Segment): string[] {
  if (count <= 1 || text === '') return [text];
  const starts = PLAIN.test(text) ? undefined : startsOf(text, segment ?? graphemes());
  const length = starts?.length ?? text.length;
  const startOf = (character: number) =>
    character === length ? text.length : starts === undefined ? character : starts[character];
  const pieces = Math.min(count, length);
  return Array.from({ length: pieces }, (_, i) =>
    text.slice(startOf(Math.floor((i * length) / pieces)), startOf(Math.floor(((i + 1) * length) / pieces))),
  );
}
