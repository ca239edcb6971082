/** Characters that end a line, move a terminal's cursor or change its direction of writing; a new line is one of them. */
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Text of others, safe to print to a terminal or a log: control characters become escapes, but for new lines and tabs, and
 * no line is a command to a runner of GitHub Actions, which reads them out of any output: `::name::` at the beginning of
 * a line, `##[name]` anywhere.
 */
export const visible = (text: string): string =>
  text
    .replace(UNPRINTABLE, (character) => {
      if (character === '\n' || character === '\t') return character;
      return character === '\r' ? '\\r' : escaped(character);
    })
    .replace(/^(\s*)::/gm, '$1\\::')
    .replaceAll('##[', '#\\#[');

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text for HTML and XML, in elements and in quoted attributes. */
export const entities = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/** A text, of which so many characters are shown at most. */
export const clipped = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);

/** The same, with its length where it is cut. */
export const measured = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}… (${text.length} characters)` : text;

/** The same as one line: new lines and tabs become escapes too, and what is longer than `most` is cut. */
export const oneLine = (text: string, most = 500): string => visible(clipped(text, most).replace(UNPRINTABLE, escaped));

/** JSON that is safe to print, and to paste into a program: it says the same, with no such character and no such command. */
export const visibleJson = (value: unknown, indent = 0): string =>
  JSON.stringify(value, null, indent)
    .replace(UNPRINTABLE, (character) => (character === '\n' ? character : escaped(character)))
    .replaceAll('##[', '#\\u0023[');
