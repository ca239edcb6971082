/** Characters that end a line, move a terminal's cursor or change its direction of writing. */
const UNSHOWABLE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const MOST = 500;

/** Text of others, made fit for one line: such characters become escapes, and a long text is cut. */
export function oneLine(text: string): string {
  const shown = text.length > MOST ? `${text.slice(0, MOST)}…` : text;
  return shown.replace(UNSHOWABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
