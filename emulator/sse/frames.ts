/** Texts with the same between each two of them. */
interface Joined {
  readonly texts: readonly string[];
  readonly between: string;
}

/**
 * The text of one write in its parts, to be put together when it leaves or is read. What is kept of it takes the room of
 * the parts: of a reply of fifty chunks a tenth of its text, and what is kept is the dearest part of a stream.
 */
export class Frames {
  private readonly parts: (string | Joined)[] = [];

  get empty(): boolean {
    return this.parts.length === 0;
  }

  /** Whether the parts take less room than the text. */
  get repeats(): boolean {
    return this.parts.some((part) => typeof part !== 'string');
  }

  add(text: string): void {
    this.parts.push(text);
  }

  addJoined(texts: readonly string[], between: string): void {
    this.parts.push(texts.length === 1 ? (texts[0] ?? '') : { texts, between });
  }

  /** In one piece of memory: a text that is added up stays in its parts, and is gone through with each use. */
  toString(): string {
    return this.parts.map((part) => (typeof part === 'string' ? part : part.texts.join(part.between))).join('');
  }
}
