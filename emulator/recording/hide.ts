import { SEARCHED_FROM } from '../credentials/beginnings.js';
import { type Literal, literalsIn } from '../credentials/literals.js';
import { decodedParameter, isForm } from '../credentials/named.js';
import { replaced, type Span } from '../credentials/spans.js';
import type { Aliases } from './aliases.js';
import { DELTA, kindOfParameter, timeOf } from './fields.js';
import { bodyText, type RecordedExchange, type RecordedWrite, toBody } from './format.js';
import { apart } from './neighbours.js';

type Hide = (pieces: readonly string[]) => string[];

/** The values that are hidden in an exchange. */
interface Hiding {
  readonly aliases: Aliases;
  /** Whether it is as it was sent: everything that has an alias is hidden, and times. Else secrets alone are. */
  readonly fresh: boolean;
}

/** A text, and where it is from. */
interface Place {
  /** Whether it is that of a stream, whose deltas are searched joined. */
  readonly stream: boolean;
  /** Whether it may end within a secret. */
  readonly cut: boolean;
}

/** Replaces the values in the strings of one text, and between them. */
function editsOf(
  text: string,
  hide: Hide,
  after: Hide,
  { fresh, stream }: { fresh: boolean; stream: boolean },
): Span[] {
  const edits: Span[] = [];
  const deltas = new Map<string, Literal[]>();
  const change = (start: number, end: number, shown: string) => {
    if (shown !== text.slice(start, end)) edits.push({ start, end, shown });
  };
  const changeString = ({ start, end, value }: Literal, shown: string) => {
    if (shown !== value) change(start, end, JSON.stringify(shown));
  };
  let done = 0;
  const between = (end: number) => {
    if (end > done) change(done, end, hide([text.slice(done, end)]).join(''));
  };
  for (const literal of literalsIn(text)) {
    const { start, end, value, kind, within } = literal;
    const time = fresh ? timeOf(literal) : undefined;
    if (time === undefined && kind !== 'string' && kind !== 'name') continue;
    between(start);
    done = end;
    if (time !== undefined) change(start, end, `"${time}"`);
    else if (stream && kind === 'string' && within !== undefined && DELTA.has(within.name)) {
      const said = deltas.get(within.name);
      if (said) said.push(literal);
      else deltas.set(within.name, [literal]);
    } else if (kind === 'string' || value.length >= SEARCHED_FROM) {
      // A short secret is hidden if it is a value: a name would be something else.
      changeString(literal, hide([value]).join(''));
    } else if (fresh) changeString(literal, value.replaceAll('$', '$$$$'));
  }
  between(text.length);
  for (const literals of deltas.values()) {
    const hidden = after(hide(literals.map(({ value }) => value)));
    for (const [index, literal] of literals.entries()) changeString(literal, hidden[index] ?? '');
  }
  return edits.sort((a, b) => a.start - b.start);
}

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
    const kind = value === '' ? undefined : kindOfParameter(decodedParameter(pair.slice(0, at - 1)), value);
    pieces.push(`${index > 0 ? '&' : ''}${pair.slice(0, at)}`, pair.slice(at));
    if (kind && !(kind === 'value' && aliases.holdsSecret(value)))
      whole.set(pieces.length - 1, aliases.of(kind, value));
  }
  const shown = aliases.hide(pieces);
  return shown.map((piece, index) => whole.get(index) ?? piece).join('');
}

function path(written: string, { aliases, fresh }: Hiding): string {
  const start = written.indexOf('?') + 1;
  if (fresh)
    return apart(
      start === 0
        ? aliases.hide([written]).join('')
        : pairsWithAliases(aliases, written.slice(start), written.slice(0, start)),
    );
  // A short secret is hidden where it is all that stands between two marks.
  const pieces = aliases
    .hideSecrets([written])
    .join('')
    .split(/(?<=[?&=/])|(?=[?&=/])/);
  return apart(pieces.map((piece) => aliases.hideSecrets([piece]).join('')).join(''));
}

/** A header's value. Its scheme is not part of a credential, and a credential counts as one however short. */
function header(value: string, hide: Hide): string {
  const [, scheme = '', rest = ''] = /^((?:Basic|Bearer) +)?(.*)$/is.exec(value) ?? [];
  return apart(scheme + hide([rest]).join(''));
}

function texts(parts: readonly string[], { aliases, fresh }: Hiding, { stream, cut }: Place): string[] {
  const after: Hide = (pieces) => {
    const hidden = aliases.hideSecrets(pieces);
    return fresh && cut ? aliases.hideBegun(hidden) : hidden;
  };
  const [only = ''] = parts;
  if (fresh && !stream && isForm(only)) return after([pairsWithAliases(aliases, only)]);
  const hide = fresh ? aliases.hide : aliases.hideSecrets;
  // Text that is not JSON may hold a secret across what looked like its strings.
  return after(replaced(parts, editsOf(parts.join(''), hide, after, { fresh, stream })));
}

/** Bytes in Base64, without the secrets among them. */
function bytes(recorded: readonly string[], { aliases }: Hiding): string[] {
  const hidden = aliases.hideInBytes(recorded.map((one) => Buffer.from(one, 'base64').toString('latin1')));
  return hidden.map((one) => Buffer.from(one, 'latin1').toString('base64'));
}

type Side = Pick<RecordedExchange, 'body' | 'body_base64' | 'headers'>;

function side({ headers, body, body_base64 }: Side, hiding: Hiding, cut: boolean): Side {
  const hide = hiding.fresh ? hiding.aliases.hide : hiding.aliases.hideSecrets;
  const text = bodyText(body);
  return {
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, header(value, hide)])),
    ...(text !== undefined && { body: toBody(apart(texts([text], hiding, { stream: !hiding.fresh, cut }).join(''))) }),
    ...(body_base64 !== undefined && { body_base64: bytes([body_base64], hiding)[0] ?? '' }),
  };
}

function writesOf(writes: readonly RecordedWrite[], hiding: Hiding, cut: boolean): RecordedWrite[] {
  const said = texts(
    writes.map((write) => ('text' in write ? write.text : '')),
    hiding,
    { stream: true, cut },
  );
  const sent = bytes(
    writes.map((write) => ('text' in write ? '' : write.base64)),
    hiding,
  );
  return writes.flatMap((write, index): RecordedWrite[] => {
    if (!('text' in write)) return [{ at: write.at, base64: sent[index] ?? '' }];
    return said[index] ? [{ at: write.at, text: said[index] }] : [];
  });
}

/** An exchange with aliases for what has one, wherever in its line. */
export function hidden(exchange: RecordedExchange, hiding: Hiding): RecordedExchange {
  const { request, writes, ended, left_out } = exchange;
  const cut = ended !== 'complete';
  return {
    ...exchange,
    request: {
      ...request,
      path: path(request.path, hiding),
      ...side(request, hiding, cut || left_out?.request !== undefined),
    },
    ...side(exchange, hiding, cut || left_out?.answer !== undefined),
    ...(writes && { writes: writesOf(writes, hiding, cut || left_out?.answer !== undefined) }),
  };
}
