/** A stretch of a text, from its first character up to the one after its last. */
export type Span = readonly [from: number, to: number];

/** The part of a text's Base64 that does not depend on what precedes and follows it, for each of the three offsets. */
const base64Of = (bytes: Buffer): readonly string[] =>
  [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const whole = Math.floor(((offset + bytes.length) * 8) / 6);
    return text.slice(Math.ceil((offset * 8) / 6), whole);
  });

/** A text with its escapes undone, byte for byte, and the source place of each byte. */
interface Decoded {
  readonly bytes: string;
  at(index: number): number;
}

const ESCAPE = /((?:\\u[0-9a-fA-F]{4})+)|%([0-9a-fA-F]{2})|\\(["\\/])|\P{ASCII}+/gu;

function decoded(text: string): Decoded {
  if (!/[\\%]|\P{ASCII}/u.test(text)) return { bytes: text, at: (index) => index };
  const pieces: { readonly to: number; readonly from: number; readonly source: number; readonly step: number }[] = [];
  let bytes = '';
  const add = (piece: string, source: number, step: number) => {
    pieces.push({ from: bytes.length, to: bytes.length + piece.length, source, step });
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
  const at = (index: number) => {
    const piece = pieces.find(({ to }) => index < to);
    return piece === undefined ? text.length : piece.source + Math.floor((index - piece.from) * piece.step);
  };
  return { bytes, at };
}

/** Characters of a beginning by which needles are looked up: no needle is shorter. */
const WINDOW = 6;
/** A cut secret is still one, where at least this part of it is left. */
const CUT = 1 / 2;
/** A place where no needle begins costs one look at a byte. */
const BITS = 3 * WINDOW;
/** The number of a place, by the characters up to it: of those before the window nothing is left. */
const step = (sum: number, text: string, at: number): number => ((sum << 3) ^ text.charCodeAt(at)) & ((1 << BITS) - 1);

/** Texts to look for, however many: the time to search grows with the text alone. */
function createNeedles() {
  const byBeginning = new Map<string, string[]>();
  const begins = new Uint8Array(1 << BITS);
  return {
    add(needle: string) {
      const beginning = needle.slice(0, WINDOW);
      const alike = byBeginning.get(beginning);
      if (alike === undefined) byBeginning.set(beginning, [needle]);
      else alike.push(needle);
      let sum = 0;
      for (let at = 0; at < WINDOW; at++) sum = step(sum, needle, at);
      begins[sum] = 1;
    },
    remove(needle: string) {
      const alike = byBeginning.get(needle.slice(0, WINDOW));
      alike?.splice(alike.indexOf(needle), 1);
    },
    /** Where they are, or at least such a part of their beginning. */
    *find(text: string, part: number): Generator<Span> {
      const past = new Map<string, number>();
      let sum = 0;
      for (let at = 0; at < text.length; at++) {
        sum = step(sum, text, at);
        if (begins[sum] !== 1) continue;
        const from = at + 1 - WINDOW;
        for (const needle of byBeginning.get(text.slice(from, from + WINDOW)) ?? []) {
          let length = Math.max(WINDOW, Math.ceil(needle.length * part));
          if (from < (past.get(needle) ?? 0) || !text.startsWith(needle.slice(0, length), from)) continue;
          while (length < needle.length && text[from + length] === needle[length]) length++;
          past.set(needle, from + length);
          yield [from, from + length];
        }
      }
    },
  };
}

/** Secrets of at least six characters, and where they are in texts, in any spelling. */
export function createSecrets(known: Iterable<string> = []) {
  const all = new Set<string>();
  const plain = createNeedles();
  const encoded = createNeedles();
  const formsOf = (secret: string) => {
    const bytes = Buffer.from(secret);
    return { bytes: bytes.toString('latin1'), base64: base64Of(bytes).filter(({ length }) => length >= WINDOW) };
  };
  const standard = (text: string) => text.replaceAll('-', '+').replaceAll('_', '/');
  const secrets = {
    all: all as ReadonlySet<string>,
    /** A shorter one is in many texts by chance, and is left out. */
    add(secret: string) {
      if (secret.length < WINDOW || all.has(secret)) return;
      all.add(secret);
      const { bytes, base64 } = formsOf(secret);
      plain.add(bytes);
      base64.forEach(encoded.add);
    },
    remove(secret: string) {
      if (!all.delete(secret)) return;
      const { bytes, base64 } = formsOf(secret);
      plain.remove(bytes);
      base64.forEach(encoded.remove);
    },
    /** Whether a text has any whole. */
    areIn(text: string): boolean {
      return !plain.find(decoded(text).bytes, 1).next().done || !encoded.find(standard(text), 1).next().done;
    },
    /**
     * Where they are: plain, with `\u` escapes, percent-encoded, mixed, or within Base64 or Base64url at any offset; also if
     * the end of one was cut off. Sorted, and separate from one another.
     */
    spansIn(text: string): Span[] {
      const { bytes, at } = decoded(text);
      const found: Span[] = [];
      for (const [from, to] of plain.find(bytes, CUT)) found.push([at(from), at(to)]);
      found.push(...encoded.find(standard(text), CUT));
      const spans: [number, number][] = [];
      for (const [from, to] of found.sort(([one], [other]) => one - other)) {
        const last = spans.at(-1);
        if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
        else spans.push([from, to]);
      }
      return spans;
    },
  };
  for (const secret of known) secrets.add(secret);
  return secrets;
}
