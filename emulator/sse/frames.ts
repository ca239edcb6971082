/** Texts that are all joined by the same separator. */
interface Joined {
  readonly texts: readonly string[];
  readonly between: string;
}

/**
 * The text of one write in its parts, joined when it leaves or is read. Kept parts take little memory: for a reply of
 * fifty chunks a tenth of its text, and what is kept is the most expensive part of a stream.
 */
export class Frames {
  private readonly parts: (string | Joined)[] = [];

  get empty(): boolean {
    return this.parts.length === 0;
  }

  /** Whether the parts take less memory than the text. */
  get repeats(): boolean {
    return this.parts.some((part) => typeof part !== 'string');
  }

  add(text: string): void {
    this.parts.push(text);
  }

  addJoined(texts: readonly string[], between: string): void {
    this.parts.push(texts.length === 1 ? (texts[0] ?? '') : { texts, between });
  }

  /** In one piece of memory: a concatenated text stays in its parts, and each use walks them. */
  toString(): string {
    return this.parts.map((part) => (typeof part === 'string' ? part : part.texts.join(part.between))).join('');
  }
}
