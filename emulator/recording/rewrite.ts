import { SEARCHED_FROM } from '../credentials/known.js';
import type { Aliases } from './aliases.js';
import { kindOfParameter } from './discover.js';
import { decodedParameter, isForm, readLiteral } from './secret-scan.js';

/** A change of a text: `text` replaces what is from `start` to `end`. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The keys whose strings are pieces of one text over the events of a stream. */
const DELTA = /^(?:content|reasoning|arguments)$/;

/** Times, by the key before them: what follows the key's string, and its replacement. */
const TIMES: readonly { readonly key: RegExp; readonly value: RegExp; readonly alias: string }[] = [
  { key: /^created$/, value: /(\s*:\s*)\d{9,}/y, alias: '$unix' },
  { key: /^\w+_at$/, value: /(\s*:\s*)"\d{4}-\d\d-\d\dT[\d:.]+Z"/y, alias: '$time' },
  { key: /^[\w-]+-timestamp$/, value: /(\s*:\s*)"\d{9,}"/y, alias: '$unix' },
];

const COLON = /\s*:\s*/y;

/** Part of a text: a JSON string with its value, or the text between two. */
interface Token {
  readonly start: number;
  readonly end: number;
  readonly value: string | undefined;
}

/** The strings of a text in the form of JSON, and the text between them. */
function* tokensOf(text: string): Generator<Token> {
  let at = 0;
  for (let quote = text.indexOf('"'); quote >= 0; quote = text.indexOf('"', at)) {
    if (quote > at) yield { start: at, end: quote, value: undefined };
    const { value, end } = readLiteral(text, quote);
    const isString = end - quote > 1 && text.charCodeAt(end - 1) === 0x22;
    yield { start: quote, end, value: isString ? value : undefined };
    at = end;
  }
  if (at < text.length) yield { start: at, end: text.length, value: undefined };
}

/** The time after a key, as an edit; undefined if there is none. */
function timeAfter(text: string, { start, end, value = '' }: Token): Edit | undefined {
  // The last character excludes nearly every string: `created`, `…_at`, `…-timestamp`.
  if (!/[dtp]$/.test(value)) return undefined;
  for (const { key, value: pattern, alias } of TIMES) {
    if (!key.test(value)) continue;
    pattern.lastIndex = end;
    const found = pattern.exec(text);
    if (found) return { start, end: end + found[0].length, text: `${text.slice(start, end)}${found[1]}"${alias}"` };
  }
  return undefined;
}

type Hide = (pieces: readonly string[]) => string[];

interface How {
  readonly hide: Hide;
  /** What is done to the text as a whole, after its strings. */
  readonly after: Hide;
  /** Whether times become aliases. */
  readonly times: boolean;
  /** Whether the text is that of a stream, whose deltas are searched joined. */
  readonly stream: boolean;
}

/** The edits that remove one text's aliased values and times. */
function editsOf(text: string, { hide, after, times, stream }: How): Edit[] {
  const edits: Edit[] = [];
  const deltas = new Map<string, Token[]>();
  const change = ({ start, end }: Token, replaced: string) => {
    if (replaced !== text.slice(start, end)) edits.push({ start, end, text: replaced });
  };
  const changeString = (token: Token, hidden: string) => {
    if (hidden !== token.value) change(token, JSON.stringify(hidden));
  };
  /** The key whose value comes next. */
  let key: string | undefined;
  let skipped = 0;
  for (const token of tokensOf(text)) {
    const { start, end, value } = token;
    if (end <= skipped) continue;
    if (value === undefined) {
      const from = Math.max(start, skipped);
      const between = { start: from, end, value };
      change(between, hide([text.slice(from, end)]).join(''));
      COLON.lastIndex = from;
      if (!(COLON.test(text) && COLON.lastIndex === end)) key = undefined;
      continue;
    }
    COLON.lastIndex = end;
    const isKey = COLON.test(text);
    const time = times && isKey ? timeAfter(text, token) : undefined;
    if (time) {
      edits.push(time);
      skipped = time.end;
      key = undefined;
    } else if (stream && !isKey && key !== undefined && DELTA.test(key)) {
      const said = deltas.get(key);
      if (said) said.push(token);
      else deltas.set(key, [token]);
    } else if (!isKey || value.length >= SEARCHED_FROM) {
      // A short secret is hidden if it is a value: a name would be something else.
      changeString(token, hide([value]).join(''));
    } else if (value.includes('$')) {
      changeString(token, value.replaceAll('$', '$$$$'));
    }
    key = isKey ? value : undefined;
  }
  for (const tokens of deltas.values()) {
    const hidden = after(hide(tokens.map((token) => token.value ?? '')));
    for (const [index, token] of tokens.entries()) changeString(token, hidden[index] ?? '');
  }
  return edits.sort((a, b) => a.start - b.start);
}

/** Rewrites the parts of one text. An edit across parts moves into the one where it begins. */
function rewriteParts(parts: readonly string[], how: How): string[] {
  const text = parts.join('');
  const edits = editsOf(text, how);
  let offset = 0;
  let next = 0;
  let gone = 0;
  const written = parts.map((part) => {
    const end = offset + part.length;
    let written = '';
    let at = Math.min(Math.max(offset, gone), end);
    for (let edit = edits[next]; edit && edit.start < end; edit = edits[next]) {
      written += text.slice(at, edit.start) + edit.text;
      at = Math.min(edit.end, end);
      gone = edit.end;
      next++;
    }
    written += text.slice(at, end);
    offset = end;
    return written;
  });
  // Text that is not JSON may hold a secret across what looked like its strings.
  return how.after(written);
}

/** The last change to a text: if the text was cut, its end may begin a secret. */
const lastly =
  (aliases: Aliases, cut: boolean): Hide =>
  (pieces) => {
    const hidden = aliases.hideSecrets(pieces);
    return cut ? aliases.hideBegun(hidden) : hidden;
  };

/**
 * Replaces what differs between runs in pairs of names and values: a query, or a form. A value counts as a whole,
 * however short and in whatever spelling: a cursor is not a common word.
 *
 * @param before the text before the pairs
 */
function pairsWithAliases(aliases: Aliases, pairs: string, before = ''): string {
  const pieces = [before];
  const whole = new Map<number, string>();
  for (const [index, pair] of pairs.split('&').entries()) {
    const at = pair.indexOf('=') + 1;
    const value = at > 0 ? decodedParameter(pair.slice(at)) : '';
    const kind = value === '' ? undefined : kindOfParameter(decodedParameter(pair.slice(0, at - 1)));
    pieces.push(`${index > 0 ? '&' : ''}${pair.slice(0, at)}`, pair.slice(at));
    if (kind) whole.set(pieces.length - 1, aliases.of(kind, value));
  }
  return aliases
    .hide(pieces)
    .map((hidden, index) => whole.get(index) ?? hidden)
    .join('');
}

/** Replaces what differs between runs in a path with its query. */
export function pathWithAliases(aliases: Aliases, path: string): string {
  const start = path.indexOf('?') + 1;
  if (start === 0) return aliases.hide([path]).join('');
  return pairsWithAliases(aliases, path.slice(start), path.slice(0, start));
}

/**
 * Replaces what differs between runs in the writes of a body: of one text, or of a stream, whose deltas are searched
 * joined.
 *
 * @param cut whether the text may end within a secret
 */
export function withAliases(
  aliases: Aliases,
  writes: readonly string[],
  { stream, cut }: { readonly stream: boolean; readonly cut: boolean },
): string[] {
  const after = lastly(aliases, cut);
  const [only = ''] = writes;
  if (!stream && writes.length === 1 && isForm(only)) return after([pairsWithAliases(aliases, only)]);
  return rewriteParts(writes, { hide: aliases.hide, after, times: true, stream });
}

/** Removes the secrets from what was recorded before they were known: a text, or the writes of a stream. */
export const withoutSecrets = (aliases: Aliases, parts: readonly string[]): string[] =>
  rewriteParts(parts, { hide: aliases.hideSecrets, after: aliases.hideSecrets, times: false, stream: true });
