import type { Aliases } from './aliases.js';
import { kindOfParameter } from './discover.js';

/** A change of a text: what stands from `start` to `end` becomes `text`. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** What stands in a text: JSON strings, the times that are known by their key, and everything between. */
const TOKENS =
  /(?<unix>"created"\s*:\s*)\d{9,}|(?<time>"\w+_at"\s*:\s*)"\d{4}-\d\d-\d\dT[\d:.]+Z"|(?<stamp>"[\w-]+-timestamp"\s*:\s*)"\d{9,}"|(?<string>"(?:[^"\\\n]|\\.)*")|[^"]+|"/g;

/** The keys whose strings are pieces of one text over the events of a stream. */
const DELTA = /"(content|reasoning|arguments)"\s*:\s*$/;

interface StringToken {
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

function decoded(literal: string): string | undefined {
  try {
    return JSON.parse(literal);
  } catch {
    return undefined;
  }
}

type Hide = (pieces: readonly string[]) => string[];

interface How {
  readonly hide: Hide;
  /** Whether times become aliases. */
  readonly times: boolean;
  /** Whether the text is that of a stream, whose deltas are looked at joined. */
  readonly stream: boolean;
}

/** The edits that take one text's aliased values and times out of it. */
function editsOf(text: string, { hide, times, stream }: How): Edit[] {
  const edits: Edit[] = [];
  const deltas = new Map<string, StringToken[]>();
  const change = (start: number, end: number, replaced: string) => {
    if (replaced !== text.slice(start, end)) edits.push({ start, end, text: replaced });
  };
  const changeString = ({ start, end, value }: StringToken, hidden: string) => {
    if (hidden !== value) edits.push({ start, end, text: JSON.stringify(hidden) });
  };
  for (const match of text.matchAll(TOKENS)) {
    const { 0: whole, index: start, groups = {} } = match;
    const end = start + whole.length;
    const [key, alias] = groups.time ? [groups.time, '$time'] : [groups.unix ?? groups.stamp, '$unix'];
    const value = groups.string === undefined ? undefined : decoded(groups.string);
    if (key !== undefined) {
      if (times) change(start, end, `${key}"${alias}"`);
    } else if (value === undefined) {
      change(start, end, hide([whole]).join(''));
    } else {
      const token = { start, end, value };
      const delta = stream ? DELTA.exec(text.slice(Math.max(0, start - 20), start))?.[1] : undefined;
      if (delta === undefined) changeString(token, hide([value]).join(''));
      else deltas.set(delta, [...(deltas.get(delta) ?? []), token]);
    }
  }
  for (const tokens of deltas.values()) {
    const hidden = hide(tokens.map((token) => token.value));
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
  return parts.map((part) => {
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
}

/** Takes what differs between runs out of a text. */
export const withAliases = (aliases: Aliases, text: string): string =>
  rewriteParts([text], { hide: aliases.hide, times: true, stream: false }).join('');

/**
 * Takes what differs between runs out of a path with its query. A parameter's value counts as a whole, however short and
 * in whichever spelling: a cursor is nobody's word.
 */
export function pathWithAliases(aliases: Aliases, path: string): string {
  const start = path.indexOf('?') + 1;
  if (start === 0) return aliases.hide([path]).join('');
  const pieces: string[] = [path.slice(0, start)];
  const whole = new Map<number, string>();
  for (const [index, pair] of path.slice(start).split('&').entries()) {
    const [[name = '', value = ''] = []] = new URLSearchParams(pair);
    const kind = value === '' ? undefined : kindOfParameter(name);
    const at = pair.indexOf('=') + 1;
    pieces.push(`${index > 0 ? '&' : ''}${pair.slice(0, at)}`, pair.slice(at));
    if (kind) whole.set(pieces.length - 1, aliases.of(kind, value));
  }
  return aliases
    .hide(pieces)
    .map((hidden, index) => whole.get(index) ?? hidden)
    .join('');
}

/** Takes what differs between runs out of the writes of a stream. */
export const streamWithAliases = (aliases: Aliases, writes: readonly string[]): string[] =>
  rewriteParts(writes, { hide: aliases.hide, times: true, stream: true });

/** Takes the secrets out of what was recorded before they were known: a text, or the writes of a stream. */
export const withoutSecrets = (aliases: Aliases, parts: readonly string[]): string[] =>
  rewriteParts(parts, { hide: aliases.hideSecrets, times: false, stream: true });
