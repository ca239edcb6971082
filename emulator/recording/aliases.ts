import { createSearch, type Search, spelledIn } from '../credentials/spellings.js';
import { foldUuids, uuidsIn } from './uuids.js';

/** What is kept out of a recording, by the name that its aliases carry. */
export const ALIAS_KINDS = [
  'completion',
  'cursor',
  'daemon_origin',
  'digest',
  'group',
  'hostname',
  'idempotency_key',
  'intern',
  'key',
  'mapping',
  'nonce',
  'organization',
  'question',
  'session',
  'signature',
  'subject',
  'token',
  'vault',
  'workspace',
] as const;
export type AliasKind = (typeof ALIAS_KINDS)[number];

/** Kinds that give access: searched for in every spelling, and in what was written before they were known. */
const SECRET: ReadonlySet<AliasKind> = new Set(['key', 'token']);

export interface Aliases {
  /** The alias of a value, given to it the first time: `$intern.1`. */
  of(kind: AliasKind, value: string): string;
  /**
   * Replaces what has an alias in the pieces of one text (a stream's deltas), and doubles every other dollar sign. What
   * stands across pieces moves into the one where it begins.
   */
  hide(pieces: readonly string[]): string[];
  /** Replaces secrets alone, in text that went through `hide` before they were known. */
  hideSecrets(pieces: readonly string[]): string[];
  /** Grows with each secret that becomes known. */
  readonly secretsKnown: number;
}

interface Found {
  readonly start: number;
  readonly end: number;
  readonly alias: string;
}

/** A text shorter than this is searched for as a whole only: it would be found in the middle of words. */
const SEARCHED_FROM = 8;
const TOKEN = /[\w-]+/g;

/** An alias as it stands before `next`: in braces where that would be taken for a part of it. */
function spelled(alias: string, next: string): string {
  const numbered = /\.\d+$/.test(alias);
  const unclear = numbered ? /^\d/.test(next) : /^(?:[a-z_]|\.\d)/.test(next);
  return unclear ? `\${${alias.slice(1)}}` : alias;
}

/**
 * Gives values their aliases, numbered by kind in the order in which they come.
 *
 * @param environment credentials that have a name: value to alias, such as `$api_key`
 */
export function createAliases(environment: ReadonlyMap<string, string>): Aliases {
  /** By value, its UUIDs in lower case. */
  const known = new Map<string, string>();
  const secrets = new Map<string, string>();
  const counts = new Map<AliasKind, number>();
  /** Values that no token of a text can be: searched for one by one. */
  const odd: string[] = [];
  let search: Search | undefined;
  for (const [value, alias] of environment) secrets.set(value, alias);

  const aliasOf = (secret: string): string => {
    const alias = secrets.get(secret) ?? secrets.get(Buffer.from(secret, 'latin1').toString());
    if (alias === undefined) throw new Error('a secret without an alias was found');
    return alias;
  };

  const findSecrets = (text: string): Found[] => {
    search ??= createSearch(secrets.keys(), undefined, SEARCHED_FROM);
    const found = [...spelledIn(text, search)].map(({ start, end, value, base64 }): Found => {
      const alias = aliasOf(value);
      if (!base64) return { start, end, alias };
      // What a secret was encoded with is gone too: its digits overlap. So is the padding.
      const padding = /^=*/.exec(text.slice(base64.end))?.[0].length ?? 0;
      return { start: base64.start, end: base64.end + padding, alias };
    });
    const apart: Found[] = [];
    for (const one of found.sort((a, b) => a.start - b.start || b.end - a.end)) {
      const last = apart.at(-1);
      if (!last || one.start >= last.end) apart.push(one);
      else if (one.end > last.end) apart[apart.length - 1] = { ...last, end: one.end };
    }
    return apart;
  };

  const findOthers = (text: string, from: number, to: number): Found[] => {
    const part = text.slice(from, to);
    if (from === 0 && to === text.length) {
      const alias = known.get(foldUuids(text));
      if (alias !== undefined) return [{ start: 0, end: to, alias }];
    }
    const found: Found[] = [];
    const take = (token: string, at: number): boolean => {
      const alias = token.length < SEARCHED_FROM ? undefined : known.get(foldUuids(token));
      if (alias !== undefined) found.push({ start: from + at, end: from + at + token.length, alias });
      return alias !== undefined;
    };
    for (const { 0: token, index } of part.matchAll(TOKEN)) {
      if (take(token, index)) continue;
      for (const uuid of uuidsIn(token)) take(uuid[0], index + uuid.index);
    }
    for (const value of odd) {
      for (let at = part.indexOf(value); at >= 0; at = part.indexOf(value, at + value.length)) {
        const start = from + at;
        const end = start + value.length;
        if (!found.some((other) => other.start < end && start < other.end)) {
          found.push({ start, end, alias: known.get(foldUuids(value)) ?? '' });
        }
      }
    }
    return found.sort((a, b) => a.start - b.start);
  };

  const findAll = (text: string): Found[] => {
    const all: Found[] = [];
    let at = 0;
    for (const secret of findSecrets(text)) {
      if (secret.start > at) all.push(...findOthers(text, at, secret.start));
      all.push(secret);
      at = secret.end;
    }
    if (at < text.length) all.push(...findOthers(text, at, text.length));
    return all;
  };

  const replace = (pieces: readonly string[], find: (text: string) => Found[], plain: (text: string) => string) => {
    const text = pieces.join('');
    const found = find(text);
    let offset = 0;
    let next = 0;
    return pieces.map((piece) => {
      const end = offset + piece.length;
      let written = '';
      let at = offset;
      // What began in an earlier piece is gone from this one.
      const before = found[next - 1];
      if (before && before.end > at) at = Math.min(before.end, end);
      for (let one = found[next]; one && one.start < end; one = found[next]) {
        written += plain(text.slice(at, one.start)) + spelled(one.alias, text.slice(one.end, one.end + 2));
        at = Math.min(one.end, end);
        next++;
      }
      written += plain(text.slice(at, end));
      offset = end;
      return written;
    });
  };

  return {
    of(kind, value) {
      const present = secrets.get(value) ?? known.get(foldUuids(value));
      if (present !== undefined) return present;
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      const alias = `$${kind}.${count}`;
      if (SECRET.has(kind)) {
        secrets.set(value, alias);
        search = undefined;
      } else {
        known.set(foldUuids(value), alias);
        if (value.length >= SEARCHED_FROM && !/^[\w-]+$/.test(value)) odd.push(value);
      }
      return alias;
    },
    hide: (pieces) => replace(pieces, findAll, (text) => text.replaceAll('$', '$$$$')),
    hideSecrets: (pieces) => replace(pieces, findSecrets, (text) => text),
    get secretsKnown() {
      return secrets.size;
    },
  };
}
