/** Texts that are all joined by the same separator, which comes in its parts. */
interface Joined {
  readonly texts: readonly string[];
  readonly between: readonly string[];
}

/**
 * The text of one write in its parts, joined when it leaves or is read. Most parts are those of other writes and streams
 * too, so that kept parts take little memory: for a reply of fifty chunks a twentieth of its text. What is kept is the
 * most expensive part of a stream.
 */
export class Frames {
  private readonly parts: (string | Joined)[] = [];

  get empty(): boolean {
    return this.parts.length === 0;
  }

  add(...parts: readonly string[]): void {
    this.parts.push(...parts);
  }

  addJoined(texts: readonly string[], between: readonly string[]): void {
    this.parts.push(texts.length === 1 ? (texts[0] ?? '') : { texts, between });
  }

  /** In one piece of memory: a concatenated text stays in its parts, and each use walks them. */
  toString(): string {
    return this.parts
      .map((part) => (typeof part === 'string' ? part : part.texts.join(part.between.join(''))))
      .join('');
  }
}
