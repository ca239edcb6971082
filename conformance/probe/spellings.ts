/** A stretch of a text, from its first character up to the one after its last. */
export type Span = readonly [from: number, to: number];

/** A secret in the forms to search for. */
export interface Forms {
  /** Its UTF-8 bytes, one character each. */
  readonly bytes: string;
  /** The part of its Base64 that does not depend on what precedes and follows it, for each of the three offsets. */
  readonly base64: readonly string[];
}

export function formsOf(secret: string): Forms {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const whole = Math.floor(((offset + bytes.length) * 8) / 6);
    return text.slice(Math.ceil((offset * 8) / 6), whole);
  });
  return { bytes: bytes.toString('latin1'), base64: base64.filter((text) => text.length >= 6) };
}

/** A text with its escapes undone, byte for byte, and the source place of each byte. */
interface Decoded {
  readonly bytes: string;
  at(index: number): number;
}

const ESCAPE = /((?:\\u[0-9a-fA-F]{4})+)|%([0-9a-fA-F]{2})|\\(["\\/])|\P{ASCII}+/gu;

function decoded(text: string): Decoded {
  if (!/[\\%]|\P{ASCII}/u.test(text)) return { bytes: text, at: (index) => index };
  let bytes = '';
  const starts: number[] = [];
  const add = (piece: string, from: number, step: number) => {
    for (let at = 0; at < piece.length; at++) starts.push(from + Math.floor(at * step));
    bytes += piece;
  };
  let done = 0;
  for (const found of text.matchAll(ESCAPE)) {
    const [all, units, hex, escaped] = found;
    add(text.slice(done, found.index), done, 1);
    const raw =
      units !== undefined
        ? String.fromCharCode(...(units.match(/[0-9a-fA-F]{4}/g) ?? []).map((unit) => Number.parseInt(unit, 16)))
        : hex !== undefined
          ? undefined
          : (escaped ?? all);
    const piece =
      raw === undefined ? String.fromCharCode(Number.parseInt(hex ?? '0', 16)) : Buffer.from(raw).toString('latin1');
    add(piece, found.index, all.length / piece.length);
    done = found.index + all.length;
  }
  add(text.slice(done), done, 1);
  return { bytes, at: (index) => starts[index] ?? text.length };
}

/** Where a needle is, or at least its first half: a cut secret is still a secret. */
function* occurrences(text: string, needle: string): Generator<Span> {
  const head = needle.slice(0, Math.max(Math.min(6, needle.length), Math.ceil(needle.length / 2)));
  for (let from = text.indexOf(head); from >= 0; from = text.indexOf(head, from + 1)) {
    let length = head.length;
    while (length < needle.length && text[from + length] === needle[length]) length++;
    yield [from, from + length];
    from += length - 1;
  }
}

/** Whether a text has a secret whole, in any spelling. */
export function isIn(text: string, secrets: Iterable<Forms>): boolean {
  const { bytes: plain } = decoded(text);
  const base64 = text.replaceAll('-', '+').replaceAll('_', '/');
  for (const { bytes, base64: encoded } of secrets)
    if (plain.includes(bytes) || encoded.some((needle) => base64.includes(needle))) return true;
  return false;
}

/**
 * Where secrets are in a text in any spelling: plain, with `\u` escapes, percent-encoded, mixed, or within Base64 or
 * Base64url at any offset; also if the end of one was cut off. Sorted, and separate from one another.
 */
export function spansOf(text: string, secrets: Iterable<Forms>): Span[] {
  const plain = decoded(text);
  const base64 = text.replaceAll('-', '+').replaceAll('_', '/');
  const found: Span[] = [];
  for (const { bytes, base64: encoded } of secrets) {
    for (const [from, to] of occurrences(plain.bytes, bytes)) found.push([plain.at(from), plain.at(to)]);
    for (const needle of encoded) found.push(...occurrences(base64, needle));
  }
  const spans: [number, number][] = [];
  for (const [from, to] of found.sort(([one], [other]) => one - other)) {
    const last = spans.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else spans.push([from, to]);
  }
  return spans;
}
