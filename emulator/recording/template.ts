import { foldUuids } from './uuids.js';

/** A piece of recorded text: the text itself, or the name of an alias (`intern.1`, `api_key`, `time`). */
type Piece = { readonly text: string } | { readonly alias: string };

/** An alias, from a position on. */
const ALIAS = /\$(?:\{(?<braced>[a-z_]+(?:\.\d+)?)\}|(?<bare>[a-z_]+(?:\.\d+)?))/y;

/** The pieces of a recorded text, no two texts adjacent; `$$` is a dollar sign. */
export function piecesOf(recorded: string): Piece[] {
  const pieces: Piece[] = [];
  let text = '';
  let at = 0;
  for (let dollar = recorded.indexOf('$'); dollar >= 0; dollar = recorded.indexOf('$', at)) {
    text += recorded.slice(at, dollar);
    ALIAS.lastIndex = dollar;
    const { braced, bare } = ALIAS.exec(recorded)?.groups ?? {};
    const alias = braced ?? bare;
    if (alias === undefined) {
      text += '$';
      at = dollar + (recorded[dollar + 1] === '$' ? 2 : 1);
    } else {
      if (text !== '') pieces.push({ text });
      pieces.push({ alias });
      text = '';
      at = ALIAS.lastIndex;
    }
  }
  text += recorded.slice(at);
  return text === '' ? pieces : [...pieces, { text }];
}

/** An alias as written before `next`: in braces if that would be read as a part of it. */
export function spelled(alias: string, next: string): string {
  const numbered = /\.\d+$/.test(alias);
  const unclear = numbered ? /^\d/.test(next) : /^(?:[a-z_]|\.\d)/.test(next);
  return unclear ? `\${${alias.slice(1)}}` : alias;
}

const BEGINNING = String.raw`\$(?:[a-z_]|\{[a-z_])`;
/** Whether two aliases may be adjacent: then the text is read. */
const MAY = new RegExp(String.raw`${BEGINNING}[a-z_]*(?:\.\d+)?\}?${BEGINNING}`);

/**
 * A recorded text without directly adjacent aliases: in a request, nobody could say where the first one ends. The first
 * of adjacent aliases stays, for all of them.
 */
export function apart(text: string): string {
  if (!MAY.test(text)) return text;
  const pieces = piecesOf(text).filter((piece, at, all) => {
    const before = all[at - 1];
    return !('alias' in piece && before !== undefined && 'alias' in before);
  });
  let written = '';
  for (const piece of pieces.reverse()) {
    if ('text' in piece) written = piece.text.replaceAll('$', '$$$$') + written;
    else written = spelled(`$${piece.alias}`, written.slice(0, 2)) + written;
  }
  return written;
}

/** Aliases of a moment: a new one each time. */
export const MOMENTS: ReadonlySet<string> = new Set(['time', 'unix']);

/**
 * The present values of aliases: one each, and no value for two aliases of a kind. `bind` returns false if
 * that would not hold. Bindings that are made from others know what these hold, and pass their own on with `keep`.
 */
export class Bindings {
  readonly #values = new Map<string, string>();
  readonly #aliases = new Map<string, string>();
  readonly #from: Bindings | undefined;

  constructor(from?: Bindings) {
    this.#from = from;
  }

  get(alias: string): string | undefined {
    return this.#values.get(alias) ?? this.#from?.get(alias);
  }

  #holder(key: string): string | undefined {
    const mine = this.#aliases.get(key);
    return mine !== undefined || this.#from === undefined ? mine : this.#from.#holder(key);
  }

  bind(alias: string, value: string): boolean {
    const present = this.get(alias);
    if (present !== undefined) return foldUuids(present) === foldUuids(value);
    const key = `${alias.replace(/\.\d+$/, '')} ${foldUuids(value)}`;
    const holder = this.#holder(key);
    if (holder !== undefined && holder !== alias) return false;
    this.#values.set(alias, value);
    this.#aliases.set(key, alias);
    return true;
  }

  /** Passes what became known here to the bindings that these were made from, and is true. */
  keep(): true {
    for (const [alias, value] of this.#values) this.#from?.bind(alias, value);
    return true;
  }
}

/**
 * Whether a text is what was recorded, with each alias replaced by its value. An unbound alias takes the text in its
 * place, up to where the recorded text continues. `bindings` may hold more afterwards, even if the result is false. The
 * texts come from anybody: no pattern is built of them, and the time is proportional to their length.
 */
export function matchText(recorded: string, text: string, bindings: Bindings): boolean {
  const folded = foldUuids(text);
  let at = 0;
  /** The next part of the text: the value of this alias, if any, and then this text. */
  let open: string | undefined;
  let literal = '';
  const settle = (isLast: boolean): boolean => {
    const earliest = open === undefined ? at : at + 1;
    const searched = isLast ? folded.length - literal.length : folded.indexOf(literal, earliest);
    const from = open === undefined ? at : searched;
    if (from < earliest || !folded.startsWith(literal, from)) return false;
    if (open !== undefined && !MOMENTS.has(open) && !bindings.bind(open, text.slice(at, from))) return false;
    at = from + literal.length;
    open = undefined;
    literal = '';
    return true;
  };
  for (const piece of piecesOf(recorded)) {
    if ('alias' in piece && bindings.get(piece.alias) === undefined && !settle(false)) return false;
    const known = 'text' in piece ? piece.text : bindings.get(piece.alias);
    if (known !== undefined) literal += foldUuids(known);
    else if ('alias' in piece) open = piece.alias;
  }
  return settle(true) && at === text.length;
}

/** A recorded text with its values, or undefined if an alias in it is unbound. */
export function resolved(recorded: string, bindings: Bindings): string | undefined {
  if (!recorded.includes('$')) return recorded;
  const texts = piecesOf(recorded).map((piece) => ('text' in piece ? piece.text : bindings.get(piece.alias)));
  return texts.includes(undefined) ? undefined : texts.join('');
}

/** A recorded text with a value for each alias. Known numbers (`"created":"$unix"`) become numbers again. */
export function renderText(recorded: string, liveValue: (alias: string) => string): string {
  const numbers = recorded.replaceAll(/("created"\s*:\s*)"\$unix"/g, '$1$unix');
  return piecesOf(numbers)
    .map((piece) => ('text' in piece ? piece.text : liveValue(piece.alias)))
    .join('');
}
