import { SEARCHED_FROM } from './beginnings.js';
import { literalsIn } from './literals.js';
import { isSecretName, isSecretParameter } from './names.js';
import { readingsInParts } from './spellings.js';

const PAIR = /(^|[?&#;\s"'(<])([\w.[\]%-]{1,100})=["']?([^&#\s"<>\\]*)/g;
/** The password of an address: `https://bob:…@git.test`. */
const USER = /:\/\/[^\s/@:"]{0,100}:([^\s/@"]{8,})@/g;
const HEADER = /(?:authorization|api-key)\s*:\s*((?:(?:bearer|basic|token)\s+)?[^\s"'\\,;]{8,})/gi;
/** `token: …`, as in YAML or a sentence. The value must have letters and digits: a plain word is no credential. */
const LINE = /(?<![\w-])([\w-]{1,100}):[ \t]+(?=[^\s\d]*\d)(?=[^\sA-Za-z]*[A-Za-z])["']?([^\s"',;]{8,})/g;
/** Signed tokens, and keys with the beginning of a known maker. The bound keeps a long text from being walked from each `eyJ`. */
const SHAPED =
  /\b(?:eyJ[\w-]{8,512}\.[\w-]+\.[\w-]+|(?:[spr]k|gh[opsu]|github_pat|glpat|xox[abps]|emu-ikey|emu-dtok)[-_][\w-]{16,}|AKIA[A-Z0-9]{16}\b)/g;
/** The Base64 of JSON. */
const BASE64 = /(?:ey|W3)[A-Za-z0-9+/_-]{22,}/g;
const PART_NAME = /\bname="([^"\r\n]{1,100})"/g;

/** A parameter, decoded: `a%20b+c` is `a b c`. */
export function decodedParameter(written: string): string {
  const [[, value = ''] = []] = new URLSearchParams(`a=${written}`);
  return value;
}

/** Whether a text consists only of pairs of names and values, as forms send them. */
export const isForm = (text: string): boolean =>
  /^[\w.[\]%+-]{1,100}=\S*$/.test(text.slice(0, 4_096).split('&', 1)[0] ?? '');

/** The values of pairs that go by the name of a credential, as they are written, and their places. */
export function* secretPairs(text: string): Generator<{ index: number; length: number; value: string }> {
  for (const { 0: pair, 1: before = '', 2: name = '', 3: value = '', index } of text.matchAll(PAIR)) {
    const { length } = value;
    const isSecret = /^[?&#]$/.test(before) ? isSecretParameter : isSecretName;
    if (length >= SEARCHED_FROM && isSecret(decodedParameter(name)))
      yield { index: index + pair.length - length, length, value };
  }
}

function* inReading(text: string): Generator<string> {
  // Many tokens consist of several of them.
  for (const { kind, value, within } of literalsIn(text))
    if (kind !== 'name' && within?.secret && (kind !== 'number' || !within.name.endsWith('s'))) yield value;
  for (const { value } of secretPairs(text)) yield decodedParameter(value);
  for (const pattern of [HEADER, USER]) for (const [, value = ''] of text.matchAll(pattern)) yield value;
  if (/:[ \t]/.test(text))
    for (const [, name = '', value = ''] of text.matchAll(LINE)) if (isSecretName(name)) yield value;
  for (const [value] of text.matchAll(SHAPED)) yield value;
}

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

/**
 * The values under the names of credentials in a text: in JSON, also with lists and objects under the name, in queries,
 * forms, lines and parts, escaped or not, and in Base64. Short values are left out: in free text, they are not credentials.
 */
export function* secretsIn(text: string): Generator<string> {
  const packed = [...text.matchAll(BASE64)].map(([run]) => Buffer.from(run, 'base64').toString());
  for (const read of [...packed.filter((one) => /^[\s!-~]+$/.test(one)), ...readingsInParts(text)])
    for (const value of inReading(read)) if (value.length >= SEARCHED_FROM) yield value;
  for (const value of inParts(text)) if (value !== '') yield value;
}
