/** Texts that are all joined by the same separator, which comes in its parts. */
interface Joined {
  readonly texts: readonly string[];
  readonly between: readonly string[];
}

const sizeOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

/**
 * The text of one write in its parts, joined when it leaves or is read. Most parts are those of other writes and streams
 * too, so that kept parts take little memory: for a reply of fifty chunks a twentieth of its text. What is kept is the
 * most expensive part of a stream. Parts are JSON, which escapes half a character: each has a size of its own.
 */
export class Frames {
  private readonly parts: (string | Joined)[] = [];
  /** The size of the text, in bytes. */
  size = 0;

  constructor(...parts: readonly string[]) {
    this.add(...parts);
  }

  add(...parts: readonly string[]): void {
    this.parts.push(...parts);
    this.size += sizeOf(parts);
  }

  addJoined(texts: readonly string[], between: readonly string[]): void {
    this.parts.push(texts.length === 1 ? (texts[0] ?? '') : { texts, between });
    this.size += sizeOf(texts) + (texts.length - 1) * sizeOf(between);
  }

  /** The text between two others. It is joined once: each copy of a long text is most of what its stream allocates. */
  within(before: string, after: string): string {
    const pieces = [before];
    for (const part of this.parts) {
      if (typeof part === 'string') {
        pieces.push(part);
        continue;
      }
      const between = part.between.join('');
      pieces.push(part.texts[0] ?? '');
      for (let at = 1; at < part.texts.length; at++) pieces.push(between, part.texts[at] ?? '');
    }
    pieces.push(after);
    return pieces.join('');
  }

  toString(): string {
    return this.within('', '');
  }
}
