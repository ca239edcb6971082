/** A piece of recorded text: what stands there, or the name of an alias (`intern.1`, `api_key`, `time`). */
type Piece = { readonly text: string } | { readonly alias: string };

const PIECES = /\$\$|\$\{(?<braced>[a-z_]+(?:\.\d+)?)\}|\$(?<bare>[a-z_]+(?:\.\d+)?)|[^$]+|\$/g;

/** The pieces of a recorded text; `$$` is a dollar sign. */
export function piecesOf(recorded: string): Piece[] {
  return [...recorded.matchAll(PIECES)].map(({ 0: text, groups = {} }) => {
    const alias = groups.braced ?? groups.bare;
    if (alias !== undefined) return { alias };
    return { text: text === '$$' ? '$' : text };
  });
}

/** Aliases that stand for a moment: each time another. */
const MOMENTS: ReadonlySet<string> = new Set(['time', 'unix']);

/**
 * What aliases stand for at present: one value each, and no value for two aliases of a kind. `bind` answers false where
 * that would not hold.
 */
export class Bindings {
  readonly #values = new Map<string, string>();
  readonly #aliases = new Map<string, string>();

  constructor(from?: Bindings) {
    for (const [alias, value] of from ? from.#values : []) this.bind(alias, value);
  }

  get(alias: string): string | undefined {
    return this.#values.get(alias);
  }

  bind(alias: string, value: string): boolean {
    const present = this.#values.get(alias);
    if (present !== undefined) return present === value;
    const kind = alias.replace(/\.\d+$/, '');
    const holder = this.#aliases.get(`${kind} ${value}`);
    if (holder !== undefined && holder !== alias) return false;
    this.#values.set(alias, value);
    this.#aliases.set(`${kind} ${value}`, alias);
    return true;
  }
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/**
 * Whether a text is what was recorded, where each alias stands for its value; one that stands for nothing yet takes what
 * stands in its place. `bindings` may hold more afterwards, also where the answer is false.
 *
 * @param unknown pattern of what may stand in the place of an alias that stands for nothing yet
 */
export function matchText(recorded: string, text: string, bindings: Bindings, unknown = '.+?'): boolean {
  const pieces = piecesOf(recorded);
  const asked: string[] = [];
  const pattern = pieces.map((piece) => {
    if ('text' in piece) return escaped(piece.text);
    const value = bindings.get(piece.alias);
    if (value !== undefined) return escaped(value);
    asked.push(piece.alias);
    return `(${unknown})`;
  });
  const found = new RegExp(`^${pattern.join('')}$`, 's').exec(text);
  if (!found) return false;
  return asked.every((alias, index) => MOMENTS.has(alias) || bindings.bind(alias, found[index + 1] ?? ''));
}

/** A recorded text with a value for each alias. Known numbers (`"created":"$unix"`) become numbers again. */
export function renderText(recorded: string, liveValue: (alias: string) => string): string {
  const numbers = recorded.replaceAll(/("created"\s*:\s*)"\$unix"/g, '$1$unix');
  return piecesOf(numbers)
    .map((piece) => ('text' in piece ? piece.text : liveValue(piece.alias)))
    .join('');
}
