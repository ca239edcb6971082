import { ALIAS_KINDS } from './aliases.js';
import type { Place } from './fields.js';
import type { RecordedExchange } from './format.js';
import { MOMENTS, piecesOf } from './template.js';
import { withTexts } from './texts.js';

const NUMBERED: ReadonlySet<string> = new Set(ALIAS_KINDS);
/** Credentials carry the name of the variable that holds them. */
const CREDENTIAL = /(?:key|token)$/;

function isAlias(alias: string): boolean {
  const [, kind = '', number] = /^([a-z_]+)(\.\d+)?$/.exec(alias) ?? [];
  return number === undefined ? MOMENTS.has(kind) || CREDENTIAL.test(kind) : NUMBERED.has(kind);
}

/** The place of a text in its line, in words. */
function whereOf({ part, sent, stream, name }: Place, at: number): string {
  const side = sent ? 'request.' : '';
  if (part === 'header') return `${side}headers.${name}`;
  return stream ? `writes[${at}].text` : `${side}${part}`;
}

const aliasesOf = (text: string) => piecesOf(text).map((piece) => ('alias' in piece ? piece.alias : undefined));

/** The first alias without a known value. */
function unknownAlias(where: string, text: string): string | undefined {
  const unknown = aliasesOf(text).find((alias) => alias !== undefined && !isAlias(alias));
  return unknown === undefined ? undefined : `${where}: $${unknown} is not a known alias (a dollar sign itself is $$)`;
}

/** Two adjacent aliases. In a request, the end of the first would be unknown. */
function neighbours(where: string, text: string): string | undefined {
  const aliases = aliasesOf(text);
  const at = aliases.findIndex((alias, index) => alias !== undefined && aliases[index + 1] !== undefined);
  return at < 0
    ? undefined
    : `${where}: $${aliases[at]} and $${aliases[at + 1]} need something between them, so that it is known where one ends`;
}

/** The mistake in the aliases of an exchange, with its place; undefined if there is none. */
export function aliasProblem(exchange: RecordedExchange): string | undefined {
  let unknown: string | undefined;
  let adjacent: string | undefined;
  withTexts(exchange, (texts, place) => {
    for (const [at, text] of place.part === 'bytes' ? [] : texts.entries()) {
      const where = whereOf(place, at);
      unknown ??= unknownAlias(where, text);
      if (place.sent) adjacent ??= neighbours(where, text);
    }
    return undefined;
  });
  return unknown ?? adjacent;
}
