import { byKey } from '../contract/by-key.js';
import { jsonOf } from '../contract/nesting.js';
import { SEARCHED_FROM } from '../credentials/beginnings.js';
import { secretsIn } from '../credentials/named.js';
import { isSecretHeader } from '../credentials/names.js';
import { replaced, type Span } from '../credentials/spans.js';
import type { Aliases, AliasKind } from './aliases.js';
import { MOMENT, mayStay, type Place } from './fields.js';
import type { RecordedExchange } from './format.js';
import { type Leaf, leavesOf } from './leaves.js';
import { apart } from './template.js';
import { withTexts } from './texts.js';

/** The form of a digest. A malformed one was sent to be refused, and gets no alias. */
const DIGEST = /^[0-9a-f]{64}$/;
/** The schemes that may precede a credential in a body. Any other word before it may be part of it. */
const SCHEMED = /^\s*(?:(bearer|basic|token)\s+)?(.*?)\s*$/is;
/** In the header, the first of two words is always the scheme. */
const AUTHORIZATION = /^\s*(?:([A-Za-z]+)\s+)?(.*?)\s*$/s;

/** Gives a value its alias; a credential without its scheme, of Basic both the whole and the password in it. */
function give(aliases: Aliases, kind: AliasKind, value: string, schemes = SCHEMED): void {
  if (kind !== 'key') {
    if (value !== '' && (kind !== 'digest' || DIGEST.test(value))) aliases.of(kind, value);
    return;
  }
  const [, scheme = '', credential = ''] = schemes.exec(value) ?? [];
  const decoded = scheme.toLowerCase() === 'basic' ? Buffer.from(credential, 'base64').toString() : '';
  for (const one of [decoded.slice(decoded.indexOf(':') + 1), credential])
    if (one !== '' && !MOMENT.test(one)) aliases.of('key', one);
}

/** Whether a text has only signs of JSON and names of the interface's fields. */
const isSyntax = (text: string) => !/[\p{L}\p{N}]/u.test(text.replace(/"(?:name|value|hosts)"\s*:/g, ''));

const cookieValues = (value: string) => value.split(/;\s*/).map((pair) => pair.slice(pair.indexOf('=') + 1));

/** Gives aliases to the credentials among headers, even those that are not recorded. */
export function learnFromHeaders(aliases: Aliases, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (name === 'idempotency-key') aliases.of('idempotency_key', value);
    if (!isSecretHeader(name)) {
      for (const secret of secretsIn(value)) give(aliases, 'key', secret);
    } else if (name === 'set-cookie') {
      for (const one of cookieValues(value)) if (one.length >= SEARCHED_FROM) give(aliases, 'key', one);
    } else {
      const schemes = name.endsWith('authorization') ? AUTHORIZATION : SCHEMED;
      for (const one of name === 'cookie' ? cookieValues(value) : [value]) give(aliases, 'key', one, schemes);
    }
  }
}

/** The deltas of a stream, grouped by the text that a client joins from them. */
const joined = (deltas: readonly Leaf[]) => byKey(deltas, ({ delta }) => delta).values();

/** Gives aliases to the values of an exchange. `odd` are values that no field of the interface has. */
function learnFrom(aliases: Aliases, text: string, place: Place, odd: Leaf[]): void {
  const deltas: Leaf[] = [];
  for (const leaf of leavesOf(text, place)) {
    const { kind, value, time, delta } = leaf;
    if (delta !== undefined) deltas.push(leaf);
    if (kind === undefined || time !== undefined) continue;
    if (kind === 'value') odd.push(leaf);
    else give(aliases, kind, value);
  }
  if (place.part !== 'body') return;
  // A stored value may be anywhere in invalid JSON. Syntax alone is no value, and occurs in other bodies.
  if (place.operation === 'vault-store' && !isSyntax(text) && jsonOf(text) === undefined)
    give(aliases, 'key', text.trim());
  const whole = place.stream ? text.replaceAll(/^data: ?/gm, '') : text;
  const said = Array.from(joined(deltas), (leaves) => leaves.map(({ value }) => value).join(''));
  for (const one of [whole, ...said]) for (const value of secretsIn(one)) give(aliases, 'key', value);
}

/** Gives aliases to the values of an exchange, before anything of it is hidden. */
export function learn(aliases: Aliases, exchange: RecordedExchange): void {
  const odd: Leaf[] = [];
  withTexts(exchange, (pieces, place) => {
    const text = pieces.join('');
    // Bytes that are nearly text are read as both.
    const read = place.part === 'bytes' ? [Buffer.from(text, 'latin1').toString(), text] : [text];
    for (const one of read)
      learnFrom(aliases, one, { ...place, part: place.part === 'bytes' ? 'body' : place.part }, odd);
    return undefined;
  });
  for (const { start, end, value, form } of odd) {
    // If only known values are odd in a text, the words around them stay.
    const readable = form !== 'plain' || end - start === value.length;
    if (!readable || !mayStay(aliases.without(value))) aliases.of('value', value);
  }
}

type Hide = (pieces: readonly string[]) => string[];

/** Hides the values of one text, and what is between them. */
function editsOf(text: string, place: Place, aliases: Aliases, fresh: boolean, after: Hide): Span[] {
  const hide = fresh ? aliases.hide : aliases.hideSecrets;
  const edits: Span[] = [];
  const deltas: Leaf[] = [];
  const change = (start: number, end: number, shown: string) => {
    if (shown !== text.slice(start, end)) edits.push({ start, end, shown });
  };
  const changeString = ({ start, end, value }: Leaf, shown: string) => {
    if (shown !== value) change(start, end, JSON.stringify(shown));
  };
  const plainly = (start: number, end: number) => {
    if (end > start) change(start, end, hide([text.slice(start, end)]).join(''));
  };
  let done = 0;
  for (const leaf of leavesOf(text, place)) {
    const { start, end, value, kind, form, time, delta } = leaf;
    plainly(done, start);
    done = end;
    if (fresh && time !== undefined) change(start, end, `"${time}"`);
    else if (delta !== undefined) deltas.push(leaf);
    else if (form === 'plain') {
      const whole = fresh && kind !== undefined ? aliases.present(value) : undefined;
      if (whole === undefined) plainly(start, end);
      else change(start, end, whole);
      // A short secret is hidden if it is a value: a name would be something else.
    } else if (form === 'json' || value.length >= SEARCHED_FROM) changeString(leaf, hide([value]).join(''));
    else if (fresh) changeString(leaf, value.replaceAll('$', '$$$$'));
  }
  plainly(done, text.length);
  for (const leaves of joined(deltas)) {
    const hidden = after(hide(leaves.map(({ value }) => value)));
    for (const [index, leaf] of leaves.entries()) changeString(leaf, hidden[index] ?? '');
  }
  return edits.sort((a, b) => a.start - b.start);
}

/**
 * An exchange with aliases for what has one, wherever in its line.
 *
 * @param fresh whether it is as it was sent: everything that has an alias is hidden, and times. Else secrets alone are
 */
export const hidden = (exchange: RecordedExchange, aliases: Aliases, fresh: boolean): RecordedExchange =>
  withTexts(exchange, (pieces, place) => {
    if (place.part === 'bytes') return aliases.hideInBytes(pieces);
    const after: Hide = (changed) => {
      const without = aliases.hideSecrets(changed);
      return fresh && place.cut ? aliases.hideBegun(without) : without;
    };
    // Text that is not JSON may hold a secret across what looked like its strings.
    const shown = after(replaced(pieces, editsOf(pieces.join(''), place, aliases, fresh, after)));
    return place.stream ? shown : shown.map(apart);
  });
