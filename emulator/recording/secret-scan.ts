import { SEARCHED_FROM } from '../credentials/known.js';
import { readingsInParts } from '../credentials/spellings.js';
import { isSecretName, isSecretParameter } from './secret-names.js';

/** A JSON string literal from its quote on: its value, and where it ends. One that is cut ends with its line. */
export function readLiteral(text: string, quote: number): { readonly value: string; readonly end: number } {
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
  const end = Math.min(at, text.length);
  const said = text.slice(quote + 1, end);
  const after = text.charCodeAt(end) === 0x22 ? end + 1 : end;
  if (!escaped) return { value: said, end: after };
  try {
    return { value: JSON.parse(`"${said}"`) as string, end: after };
  } catch {
    // Cut within an escape, or not JSON: unchanged.
    return { value: said, end: after };
  }
}

/** The strings in an array or object, from its bracket to where that is closed, without the names of members. */
function readContainer(text: string, bracket: number): { readonly values: string[]; readonly end: number } {
  const values: string[] = [];
  const next = /["{}[\]]/g;
  const colon = /\s*:/y;
  let depth = 0;
  next.lastIndex = bracket;
  for (let found = next.exec(text); found; found = next.exec(text)) {
    const [mark] = found;
    if (mark === '"') {
      const { value, end } = readLiteral(text, found.index);
      colon.lastIndex = end;
      if (!colon.test(text)) values.push(value);
      next.lastIndex = end;
    } else {
      depth += mark === '{' || mark === '[' ? 1 : -1;
      if (depth === 0) return { values, end: next.lastIndex };
    }
  }
  return { values, end: text.length };
}

const MEMBER = /"([^"\\\n]{1,100})"\s*:\s*/g;
const NUMBER = /-?\d{8,}/y;

/** The values under the names of credentials in JSON, whether whole, cut, or within other text. */
function* inJson(text: string): Generator<string> {
  const member = new RegExp(MEMBER);
  for (let found = member.exec(text); found; found = member.exec(text)) {
    const [, name = ''] = found;
    if (!isSecretName(name)) continue;
    const at = member.lastIndex;
    const mark = text[at];
    if (mark === '"') {
      const { value, end } = readLiteral(text, at);
      yield value;
      member.lastIndex = end;
    } else if (mark === '{' || mark === '[') {
      const { values, end } = readContainer(text, at);
      yield* values;
      member.lastIndex = end;
    } else if (!name.endsWith('s')) {
      // Many tokens consist of several of them.
      NUMBER.lastIndex = at;
      const digits = NUMBER.exec(text)?.[0];
      if (digits !== undefined) yield digits;
    }
  }
}

const PAIR = /(^|[?&#;\s"'(<])([\w.[\]%-]{1,100})=([^&#\s"<>\\]*)/g;
const HEADER = /(?:authorization|api-key)\s*:\s*((?:(?:bearer|basic|token)\s+)?[^\s"'\\,;]{8,})/gi;
/**
 * A line such as `token: …`, as YAML has it. A word after it may not be a credential: a credential has letters and
 * digits.
 */
const LINE = /^[ \t-]*([\w-]{1,100}):[ \t]+(?=[^\s\d]*\d)(?=[^\sA-Za-z]*[A-Za-z])["']?([^\s"']{8,})["']?[ \t]*\r?$/gm;

/** What a parameter says: `a%20b+c` is `a b c`. */
export function decodedParameter(written: string): string {
  const [[, value = ''] = []] = new URLSearchParams(`a=${written}`);
  return value;
}

/** The values in queries within a text (`?code=…`), and in lines of headers. */
function* inPairs(text: string): Generator<string> {
  for (const [, before = '', name = '', value = ''] of text.matchAll(PAIR)) {
    if (value.length < SEARCHED_FROM) continue;
    const isSecret = /^[?&#]$/.test(before) ? isSecretParameter : isSecretName;
    if (isSecret(decodedParameter(name))) yield decodedParameter(value);
  }
  for (const [, value = ''] of text.matchAll(HEADER)) yield value;
  for (const [, name = '', value = ''] of text.matchAll(LINE)) if (isSecretName(name)) yield value;
}

const PART_NAME = /\bname="([^"\r\n]{1,100})"/g;

/** The values in the parts of a multipart body. */
function* inParts(text: string): Generator<string> {
  if (!text.startsWith('--')) return;
  for (const { 1: name = '', index } of text.matchAll(PART_NAME)) {
    if (!isSecretParameter(name)) continue;
    const [gap] = /\r?\n\r?\n/.exec(text.slice(index, index + 2_000)) ?? [];
    if (gap === undefined) continue;
    const from = text.indexOf(gap, index) + gap.length;
    const end = text.indexOf('\n--', from);
    yield text.slice(from, end < 0 ? undefined : end).replace(/\r$/, '');
    if (end < 0) return;
  }
}

/** Whether a text consists only of pairs of names and values, as forms send them. */
export const isForm = (text: string): boolean =>
  /^[\w.[\]%+-]{1,100}=\S*$/.test(text.slice(0, 4_096).split('&', 1)[0] ?? '');

/**
 * The values under the names of credentials in a text: in JSON, also with lists and objects under the name, in queries,
 * forms and parts, escaped or not. Short values are left out: in free text, they are not credentials.
 */
export function* secretsIn(text: string): Generator<string> {
  const long = (value: string) => value.length >= SEARCHED_FROM;
  for (const read of readingsInParts(text)) {
    for (const value of inJson(read)) if (long(value)) yield value;
    for (const value of inPairs(read)) if (long(value)) yield value;
  }
  for (const value of inParts(text)) if (value !== '') yield value;
}
