import { isSecretName } from './names.js';

/** The member of an object that something is within. */
export interface Member {
  readonly name: string;
  readonly outer: Member | undefined;
  /** Whether its name, or that of a member around it, is one of a credential. */
  readonly secret: boolean;
}

/** A string in a text, or a long number: those of JSON, of JSON that is cut, and of JSON within other text. */
export interface Literal {
  readonly start: number;
  readonly end: number;
  /** The decoded string, or the digits. */
  readonly value: string;
  readonly kind: 'name' | 'string' | 'number' | 'cut';
  readonly within: Member | undefined;
}

interface ReadString {
  readonly value: string;
  readonly end: number;
  readonly cut: boolean;
  /** Whether it has no escapes. */
  readonly plain: boolean;
}

/** A JSON string from its quote on: what it says, and where it ends. One that is cut ends with its line. */
function readString(text: string, quote: number): ReadString {
  let at = quote + 1;
  let escaped = false;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x0a || code === 0x22) break;
    if (code === 0x5c) {
      escaped = true;
      at++;
    }
  }
  const last = Math.min(at, text.length);
  const cut = text.charCodeAt(last) !== 0x22;
  const end = cut ? last : last + 1;
  const said = text.slice(quote + 1, last);
  if (!escaped) return { value: said, end, cut, plain: true };
  try {
    return { value: JSON.parse(`"${said}"`) as string, end, cut, plain: false };
  } catch {
    // Cut within an escape, or not JSON: unchanged.
    return { value: said, end, cut, plain: false };
  }
}

/** The strings of a text in their order, and the numbers of eight digits or more that are members. */
export function* literalsIn(text: string): Generator<Literal> {
  const mark = /["{}[\],]/g;
  const colon = /\s*:\s*/y;
  const next = /\s*(?:[,\]}]|$)/y;
  const number = /-?\d{8,}/y;
  const around: (Member | undefined)[] = [];
  /** The member that the present object or list is, and the one whose value comes next. */
  let holder: Member | undefined;
  let member: Member | undefined;
  for (let found = mark.exec(text); found; found = mark.exec(text)) {
    const [sign] = found;
    if (sign === '"') {
      const start = found.index;
      const { value, end, cut, plain } = readString(text, start);
      mark.lastIndex = end;
      colon.lastIndex = end;
      if (!cut && colon.test(text)) {
        yield { start, end, value, kind: 'name', within: holder };
        member = { name: value, outer: holder, secret: holder?.secret === true || isSecretName(value) };
        number.lastIndex = colon.lastIndex;
        const [digits] = number.exec(text) ?? [];
        const after = number.lastIndex;
        if (digits !== undefined)
          yield { start: after - digits.length, end: after, value: digits, kind: 'number', within: member };
      } else {
        next.lastIndex = end;
        // Nothing of JSON comes next: the quote was one of the text, or of JSON in a string whose escapes are undone.
        if (plain && !cut && !next.test(text)) mark.lastIndex = start + 1;
        else yield { start, end, value, kind: cut ? 'cut' : 'string', within: member };
      }
    } else if (sign === ',') {
      member = holder;
    } else if (sign === '{' || sign === '[') {
      around.push(holder);
      holder = member;
    } else {
      holder = around.pop();
      member = holder;
    }
  }
}
