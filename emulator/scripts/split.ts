/** Where every code unit is a character of its own. */
const PLAIN = /^[\x20-\x7e]*$/;

const charactersOf = (text: string): string[] =>
  PLAIN.test(text)
    ? text.split('')
    : Array.from(new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text), (found) => found.segment);

/**
 * Splits a text into `count` pieces of about equal length, never within a character as readers see it (a grapheme). A
 * text with fewer characters than pieces yields one piece each, and one empty piece when it is empty.
 */
export function split(text: string, count: number): string[] {
  if (count <= 1) return [text];
  const characters = charactersOf(text);
  const pieces = Math.max(1, Math.min(count, characters.length));
  return Array.from({ length: pieces }, (_, i) =>
    characters
      .slice(Math.floor((i * characters.length) / pieces), Math.floor(((i + 1) * characters.length) / pieces))
      .join(''),
  );
}
