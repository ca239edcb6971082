/** A law that does not hold. */
export class Broken extends Error {
  override readonly name = 'Broken';
  constructor(law: string, found: string) {
    super(`${law}: ${found}`);
  }
}

/** The longest message that a person reads. */
const LONGEST = 3_000;

/** The lack of a message that should be one line; undefined if it has none. */
export function notOneLine(message: string, longest = LONGEST): string | undefined {
  if (message.length > longest) return `it has ${message.length} characters: ${JSON.stringify(message.slice(0, 500))}`;
  return /[\r\n]/.test(message) ? `it has more than one line: ${JSON.stringify(message)}` : undefined;
}
