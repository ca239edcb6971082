import { SEARCHED_FROM } from '../credentials/beginnings.js';
import { createKnown, type Match } from '../credentials/known.js';
import { merged, replaced, type Span } from '../credentials/spans.js';
import { begunIn, spelledIn } from '../credentials/spellings.js';
import { spelled } from './template.js';
import { foldUuids, isUuid } from './uuids.js';

/** The kinds of values that aliases replace in a recording. An alias begins with its kind. */
export const ALIAS_KINDS = [
  'completion',
  'cursor',
  'daemon_origin',
  'digest',
  'fingerprint',
  'group',
  'hostname',
  'idempotency_key',
  'intern',
  'job',
  'key',
  'mapping',
  'nonce',
  'organization',
  'question',
  'secret',
  'session',
  'signature',
  'subject',
  'token',
  'value',
  'vault',
  'workspace',
] as const;
export type AliasKind = (typeof ALIAS_KINDS)[number];

/** Kinds that give access: searched for in every spelling, and in what was written before they were known. */
const SECRET: ReadonlySet<AliasKind> = new Set(['key', 'token']);

/** A value that got an alias. */
export type Learned = readonly [kind: AliasKind, value: string];

/** More secrets than any deployment has: beyond it, somebody fills the memory. */
const MOST_SECRETS = 100_000;
const TOKEN = /^[\w-]+$/;
/** Recognizes texts that change once their escapes are undone. */
const ESCAPED = /[%\\]/;

/** Aliases in a text, and dollar signs. */
const ALIAS = new RegExp(`\\$\\$|\\$\\{?(?:${ALIAS_KINDS.join('|')})\\.\\d+\\}?`, 'g');

// A pattern, because V8 makes a string for each place where it replaces a plain string.
const doubled = (text: string) => (text.includes('$') ? text.replace(/\$/g, '$$$$') : text);

const joins = (text: string, at: number) => /[\w-]/.test(text[at] ?? '');
/** Whether a match counts: a value must be a whole token, but a UUID may be anywhere. */
const standsAlone = (text: string, { index, length, value }: Match): boolean =>
  !TOKEN.test(value) || isUuid(value) || !(joins(text, index - 1) || joins(text, index + length));

/**
 * Gives values their aliases, numbered by kind in the order in which they come.
 *
 * @param environment credentials that have a name: value to alias, such as `$api_key`
 */
export function createAliases(environment: ReadonlyMap<string, string>) {
  /** Aliases by value, its UUIDs in lower case. */
  const known = new Map<string, string>();
  /** Aliases of secrets, by value, and by the value's form in earlier text. */
  const secrets = new Map<string, string>();
  const secretValues = createKnown();
  const counts = new Map<AliasKind, number>();
  /** Values that are long enough to be searched for within a longer text. */
  const others = createKnown();
  const learned: Learned[] = [];
  const span = (start: number, end: number, shown = ''): Span => ({ start, end, shown });

  const findSecrets = (text: string): Span[] => {
    if (text.length < SEARCHED_FROM && !ESCAPED.test(text)) {
      const alias = secrets.get(text);
      return alias === undefined ? [] : [span(0, text.length, alias)];
    }
    const found = [...spelledIn(text, secretValues)];
    return merged(found.map(({ start, end, value }) => span(start, end, secrets.get(value))));
  };

  const findOthers = (text: string, from: number, to: number): Span[] => {
    const part = foldUuids(text.slice(from, to));
    const found = [...others.find(part, standsAlone)];
    return merged(found.map(({ index, length, value }) => span(from + index, from + index + length, known.get(value))));
  };

  /** Secrets in a text, but not within aliases: a secret may equal a word of an alias. */
  const outsideAliases = (text: string): Span[] => {
    const found = findSecrets(text);
    if (found.length === 0 || !text.includes('$')) return found;
    const aliases = [...text.matchAll(ALIAS)].filter(([whole]) => whole !== '$$');
    let next = 0;
    return found.filter(({ start, end }) => {
      const endOf = (at: number) => (aliases[at]?.index ?? 0) + (aliases[at]?.[0].length ?? 0);
      while (next < aliases.length && endOf(next) <= start) next++;
      const alias = aliases[next];
      return !alias || alias.index > start || endOf(next) < end;
    });
  };

  const findAll = (text: string): Span[] => {
    // A value with an alias is hidden whole, even if it contains a secret.
    const whole = secrets.has(text) ? undefined : known.get(foldUuids(text));
    if (whole !== undefined) return [span(0, text.length, whole)];
    const all: Span[] = [];
    let at = 0;
    for (const secret of findSecrets(text)) {
      if (secret.start > at) all.push(...findOthers(text, at, secret.start));
      all.push(secret);
      at = secret.end;
    }
    if (at < text.length) all.push(...findOthers(text, at, text.length));
    return all;
  };

  const replace = (
    pieces: readonly string[],
    find: (text: string) => readonly Span[],
    plain?: (text: string) => string,
  ) => {
    const text = pieces.length === 1 ? (pieces[0] ?? '') : pieces.join('');
    return text === '' ? [...pieces] : replaced(pieces, find(text), plain, spelled);
  };
  const hide = (pieces: readonly string[]) => replace(pieces, findAll, doubled);

  const addSecret = (value: string, alias: string) => {
    if (secrets.size >= MOST_SECRETS) throw new Error(`more than ${MOST_SECRETS} credentials`);
    // Earlier text may hold it with its dollar signs doubled, or parts of it as aliases.
    const [written = value] = replace([value], (text) => findOthers(text, 0, text.length), doubled);
    const spellings =
      written !== value && written !== alias && written.length >= SEARCHED_FROM ? [value, written] : [value];
    for (const one of spellings) {
      secrets.set(one, alias);
      secretValues.add(one);
    }
  };
  for (const [value, alias] of environment) addSecret(value, alias);

  return {
    /** The alias of a value; undefined if it has none. */
    present: (value: string): string | undefined => secrets.get(value) ?? known.get(foldUuids(value)),
    /** A text without the values that have an alias. */
    without: (text: string): string =>
      replaced(
        [text],
        findAll(text).map(({ start, end }) => span(start, end)),
      ).join(''),
    /** The alias of a value, assigned the first time: `$intern.1`. */
    of(kind: AliasKind, value: string): string {
      const secret = secrets.get(value);
      if (secret !== undefined) return secret;
      const folded = foldUuids(value);
      const present = known.get(folded);
      if (present !== undefined && !SECRET.has(kind)) return present;
      const count = (counts.get(kind) ?? 0) + 1;
      const alias = present ?? `$${kind}.${count}`;
      if (present === undefined) counts.set(kind, count);
      if (SECRET.has(kind)) {
        addSecret(value, alias);
      } else {
        known.set(folded, alias);
        if (value.length >= SEARCHED_FROM) others.add(folded);
      }
      learned.push([kind, value]);
      return alias;
    },
    /**
     * Replaces the values that have an alias in the pieces of one text (a stream's deltas), and doubles every other
     * dollar sign. A value across pieces moves into the piece where it begins.
     */
    hide,
    /** Replaces only secrets, in text that went through `hide`, perhaps before they were known. Aliases stay. */
    hideSecrets: (pieces: readonly string[]): string[] => replace(pieces, outsideAliases),
    /** Replaces only secrets, in bytes, one for each character, which did not go through `hide`. */
    hideInBytes: (pieces: readonly string[]): string[] => replace(pieces, findSecrets),
    /** Replaces the beginning of a secret at the end of a text that was cut there. */
    hideBegun: (pieces: readonly string[]): string[] =>
      replace(pieces, (text) => {
        const begun = begunIn(text, secretValues.begun);
        return begun ? [span(begun.start, text.length, secrets.get(begun.value))] : [];
      }),
    /** Every value that got an alias, in order. Calling `of` with each again gives the same aliases. */
    learned,
    /** Grows with each secret that becomes known. */
    get secretsKnown() {
      return secrets.size;
    },
  };
}

export type Aliases = ReturnType<typeof createAliases>;
