import { ALIAS_KINDS } from './aliases.js';
import { bodyText, type RecordedExchange } from './format.js';
import { MOMENTS, piecesOf } from './template.js';

const NUMBERED: ReadonlySet<string> = new Set(ALIAS_KINDS);
/** Credentials carry the name of the variable that holds them. */
const CREDENTIAL = /(?:key|token)$/;

function isAlias(alias: string): boolean {
  const [, kind = '', number] = /^([a-z_]+)(\.\d+)?$/.exec(alias) ?? [];
  return number === undefined ? MOMENTS.has(kind) || CREDENTIAL.test(kind) : NUMBERED.has(kind);
}

interface Text {
  readonly where: string;
  readonly text: string;
}

function requestTexts({ path, headers, body }: RecordedExchange['request']): Text[] {
  return [
    { where: 'request.path', text: path },
    ...Object.entries(headers).map(([name, text]) => ({ where: `request.headers.${name}`, text })),
    { where: 'request.body', text: bodyText(body) ?? '' },
  ];
}

function answerTexts({ headers, body, writes = [] }: RecordedExchange): Text[] {
  return [
    ...Object.entries(headers).map(([name, text]) => ({ where: `headers.${name}`, text })),
    { where: 'body', text: bodyText(body) ?? '' },
    ...writes.map((write, at) => ({ where: `writes[${at}].text`, text: 'text' in write ? write.text : '' })),
  ];
}

const aliasesOf = ({ text }: Text) => piecesOf(text).map((piece) => ('alias' in piece ? piece.alias : undefined));

/** The first alias whose value nobody knows. */
function unknownAlias(text: Text): string | undefined {
  const unknown = aliasesOf(text).find((alias) => alias !== undefined && !isAlias(alias));
  return unknown === undefined
    ? undefined
    : `${text.where}: $${unknown} is not a known alias (a dollar sign itself is $$)`;
}

/** Two aliases without anything between them: in a request, nobody could say where the first one ends. */
function neighbours(text: Text): string | undefined {
  const aliases = aliasesOf(text);
  const at = aliases.findIndex((alias, index) => alias !== undefined && aliases[index + 1] !== undefined);
  return at < 0
    ? undefined
    : `${text.where}: $${aliases[at]} and $${aliases[at + 1]} need something between them, so that it is known where one ends`;
}

/** The mistake in the aliases of an exchange, with its place; undefined if there is none. */
export function aliasProblem(exchange: RecordedExchange): string | undefined {
  const sent = requestTexts(exchange.request);
  for (const text of [...sent, ...answerTexts(exchange)]) {
    const problem = unknownAlias(text);
    if (problem !== undefined) return problem;
  }
  return sent.map(neighbours).find((problem) => problem !== undefined);
}
