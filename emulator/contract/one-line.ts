/** Characters that end a line, move a terminal's cursor or change its direction of writing. */
const UNSHOWABLE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Text of others, made fit for one line: such characters become escapes, and what is longer than `most` is cut. */
export function oneLine(text: string, most = 500): string {
  const shown = text.length > most ? `${text.slice(0, most)}…` : text;
  return shown.replace(UNSHOWABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
