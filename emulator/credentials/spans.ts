/** A stretch of a text, and what is shown instead. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly shown: string;
}

/** Spans in order and without overlap: of those that overlap, the first, extended to the end of the last. */
export function merged(spans: Iterable<Span>): Span[] {
  const all: Span[] = [];
  for (const one of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = all.at(-1);
    if (!last || one.start >= last.end) all.push(one);
    else
      all[all.length - 1] = {
        start: last.start,
        end: Math.max(last.end, one.end),
        shown: last.shown || one.shown,
      };
  }
  return all;
}

/**
 * Replaces spans in the pieces of one text. The replacement stands in the piece where its span begins.
 *
 * @param spans in order and without overlap
 * @param plain what is made of the text between spans
 * @param before what is shown, as it is written before the two characters that come next
 */
export function replaced(
  pieces: readonly string[],
  spans: readonly Span[],
  plain: (text: string) => string = (text) => text,
  before: (shown: string, next: string) => string = (shown) => shown,
): string[] {
  const text = pieces.length === 1 ? (pieces[0] ?? '') : pieces.join('');
  let offset = 0;
  let next = 0;
  /** Up to where the text is written. */
  let done = 0;
  return pieces.map((piece) => {
    const end = offset + piece.length;
    let written = '';
    let at = Math.min(Math.max(offset, done), end);
    for (let span = spans[next]; span && span.start < end; span = spans[++next]) {
      written += plain(text.slice(at, span.start)) + before(span.shown, text.slice(span.end, span.end + 2));
      done = span.end;
      at = Math.min(done, end);
    }
    written += plain(text.slice(at, end));
    offset = end;
    return written;
  });
}
