/** Characters that end a line, move a terminal's cursor or turn its writing round. */
const UNSHOWABLE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const MOST = 500;

/** What somebody else wrote, as a part of a line for a person: such characters as their escapes, and what is too long for one cut. */
export function oneLine(text: string): string {
  const shown = text.length > MOST ? `${text.slice(0, MOST)}…` : text;
  return shown.replace(UNSHOWABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
