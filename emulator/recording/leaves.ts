import { SEARCHED_FROM } from '../credentials/beginnings.js';
import { literalsIn } from '../credentials/literals.js';
import { decodedParameter, isForm } from '../credentials/named.js';
import { DELTA } from '../credentials/redaction.js';
import type { AliasKind } from './aliases.js';
import { isName, isWord, kindOf, kindOfParameter, kindOfSegment, type Place, timeOf } from './fields.js';

/** A part of a text that is one value. */
export interface Leaf {
  readonly start: number;
  readonly end: number;
  readonly value: string;
  /** The kind of its alias; undefined if the text stays. Only known secrets in it are replaced. */
  readonly kind: AliasKind | undefined;
  /** Its notation. `name`: the name of a member, in JSON. */
  readonly form: 'json' | 'name' | 'plain';
  /** The alias of a moment. */
  readonly time?: string | undefined;
  /** The text of which it is a piece, in a stream. */
  readonly delta?: string | undefined;
}

const NUMBER = /^[-+.\deE]+$/;
/** The pieces of a text between its punctuation. */
const TOKEN = /[^\s"',:;=<>(){}[\]&?/@#|]+/g;

/** The part of each line from its first to its last token that is no word. */
function* oddIn(text: string, from: number, to: number): Generator<Leaf> {
  if (to - from < SEARCHED_FROM) return;
  for (const { 0: line, index } of text.slice(from, to).matchAll(/[^\r\n]+/g)) {
    const odd = [...line.matchAll(TOKEN)].filter(([token]) => !isWord(token) && !NUMBER.test(token));
    const last = odd.at(-1);
    if (!last) continue;
    const start = odd[0]?.index ?? 0;
    const end = last.index + last[0].length;
    const at = from + index;
    yield { start: at + start, end: at + end, value: line.slice(start, end), kind: 'value', form: 'plain' };
  }
}

function* inJson(text: string, place: Place): Generator<Leaf> {
  let done = 0;
  for (const literal of literalsIn(text)) {
    const { start, end, value, kind: written, within } = literal;
    const time = timeOf(literal);
    yield* oddIn(text, done, start);
    done = end;
    if (written === 'name') {
      const kind = isName(value) ? undefined : within?.secret ? 'key' : 'value';
      yield { start, end, value, kind, form: 'name' };
      continue;
    }
    const kind = written === 'number' ? undefined : kindOf(literal, place);
    if (written === 'cut') yield { start: start + 1, end, value, kind, form: 'plain' };
    else {
      const delta = place.stream && within && DELTA.has(within.name) ? within.name : undefined;
      yield { start, end, value, kind, form: 'json', time, delta };
    }
  }
  yield* oddIn(text, done, text.length);
}

/** A query or form, from a position on. Each value is one leaf, of any length and spelling. */
function* inPairs(text: string, from: number): Generator<Leaf> {
  for (const { 0: pair, index } of text.slice(from).matchAll(/[^&]+/g)) {
    const start = from + index;
    const end = start + pair.length;
    const [written = ''] = pair.split('=', 1);
    const name = decodedParameter(written);
    const after = start + written.length;
    yield { start, end: after, value: name, kind: isName(name) ? undefined : 'value', form: 'plain' };
    if (after === end) continue;
    const value = decodedParameter(pair.slice(written.length + 1));
    yield { start: after + 1, end, value, kind: kindOfParameter(name, value), form: 'plain' };
  }
}

function decodedSegment(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

function* inPath(text: string): Generator<Leaf> {
  const [bare = ''] = text.split('?', 1);
  for (const { 0: segment, index } of bare.matchAll(/[^/]+/g)) {
    const value = decodedSegment(segment);
    const kind = kindOfSegment(value, bare.slice(0, index));
    yield { start: index, end: index + segment.length, value, kind, form: 'plain' };
  }
  yield* inPairs(text, bare.length + 1);
}

/** A header's value. A credential has no scheme in it, and may be short. */
function* inHeader(text: string, name: string | undefined): Generator<Leaf> {
  if (name !== 'authorization' && name !== 'idempotency-key') return yield* oddIn(text, 0, text.length);
  const start = /^(?:(?:Basic|Bearer) +)?/i.exec(text)?.[0].length ?? 0;
  yield { start, end: text.length, value: text.slice(start), kind: undefined, form: 'plain' };
}

/** The values of a text, in order, each with the kind of its alias. */
export function* leavesOf(text: string, place: Place): Generator<Leaf> {
  if (place.part === 'path') yield* inPath(text);
  else if (place.part === 'header') yield* inHeader(text, place.name);
  else if (!place.stream && isForm(text)) yield* inPairs(text, 0);
  else yield* inJson(text, place);
}
