import { jsonOf } from '../../contract/nesting.js';
import { isRecord } from '../../contract/record.js';
import { bodyText, type RecordedExchange } from '../format.js';
import { Bindings, matchText, resolved } from '../template.js';

/** A request in the form for comparison: taken apart once, whether it was recorded or sent. */
export interface Comparable {
  readonly method: string;
  /** Path from the version segment on, by its slashes. */
  readonly segments: readonly string[];
  /** Pairs of the query, decoded. */
  readonly query: readonly string[];
  readonly authorization: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly mediaType: string | undefined;
  readonly text: string;
  /** Bytes that are not UTF-8. */
  readonly base64: string | undefined;
  /** The text as JSON, if it is JSON. */
  readonly json: unknown;
}

interface Given {
  readonly method: string;
  readonly path: string;
  header(name: string): string | undefined;
  readonly text: string;
  readonly base64: string | undefined;
}

function comparable({ method, path, header, text, base64 }: Given): Comparable {
  const [, bare = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(path) ?? [];
  return {
    method,
    segments: bare.split('/'),
    query: [...new URLSearchParams(query)].map(([name, value]) => `${name}=${value}`),
    authorization: header('authorization'),
    idempotencyKey: header('idempotency-key'),
    mediaType: header('content-type')?.split(';')[0]?.trim().toLowerCase(),
    text,
    base64,
    json: jsonOf(text),
  };
}

/** A recorded request, to be compared with those that are sent. */
export const comparableRecorded = ({ method, path, headers, body, body_base64 }: RecordedExchange['request']) =>
  comparable({
    method,
    path,
    header: (name) => headers[name],
    text: bodyText(body) ?? '',
    base64: body_base64,
  });

/** A request that was sent. @param path from the version segment on, with its query */
export function comparableSent(
  { method, headers }: Pick<Request, 'method' | 'headers'>,
  path: string,
  body: Uint8Array,
) {
  const text = new TextDecoder().decode(body);
  const isText = Buffer.from(text).equals(body);
  return comparable({
    method,
    path,
    header: (name) => headers.get(name) ?? undefined,
    text,
    base64: isText ? undefined : Buffer.from(body).toString('base64'),
  });
}

/**
 * The first difference between a request and a recorded one: the stage of the comparison that it reached (with a fraction
 * within paths), and the difference in words.
 */
export interface Mismatch {
  readonly stage: number;
  /** Made on demand, because only one of thousands is shown. */
  text(): string;
}

type Words = Mismatch['text'];

const shown = (value: unknown): string => {
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, 80) : value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
};

const differs = (where: string, recorded: unknown, sent: unknown) => (): string =>
  `${where}: recorded ${shown(recorded)}, sent ${shown(sent)}`;

/** The entries of an object, with recorded keys as they were sent. An alias that has no value yet takes a key that is left. */
function entriesOf(value: Record<string, unknown>, sent: Record<string, unknown>, bindings: Bindings) {
  const left = new Set(Object.keys(sent));
  const known = Object.entries(value).map(([key, item]) => [key, resolved(key, bindings), item] as const);
  for (const [, name] of known) if (name !== undefined) left.delete(name);
  const entries = new Map<string, unknown>();
  for (const [key, name, item] of known) {
    const taken = name ?? [...left].find((one) => matchText(key, one, bindings)) ?? key;
    left.delete(taken);
    entries.set(taken, item);
  }
  return entries;
}

/** The first place where JSON differs from recorded JSON, or undefined. */
function compareJson(where: string, recorded: unknown, sent: unknown, bindings: Bindings): Words | undefined {
  if (typeof recorded === 'string' && typeof sent === 'string') {
    return matchText(recorded, sent, bindings) ? undefined : differs(where, recorded, sent);
  }
  // A number that has an alias is recorded as text.
  const isAlias = typeof recorded === 'string' && /^\$[a-z{]/.test(recorded);
  if (isAlias && typeof sent === 'number' && matchText(recorded, `${sent}`, bindings)) return undefined;
  if (Array.isArray(recorded) && Array.isArray(sent)) {
    for (let index = 0; index < Math.max(recorded.length, sent.length); index++) {
      const found = compareJson(`${where}[${index}]`, recorded[index], sent[index], bindings);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (isRecord(recorded) && isRecord(sent)) {
    const [before, now] = [entriesOf(recorded, sent, bindings), new Map(Object.entries(sent))];
    for (const key of new Set([...before.keys(), ...now.keys()])) {
      const found = compareJson(`${where}.${key}`, before.get(key), now.get(key), bindings);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return Object.is(recorded, sent) ? undefined : differs(where, recorded, sent);
}

function compareBody(recorded: Comparable, sent: Comparable, bindings: Bindings): Words | undefined {
  if (recorded.base64 !== undefined || sent.base64 !== undefined) {
    return recorded.base64 === sent.base64 ? undefined : () => 'body: other bytes than were recorded';
  }
  if (recorded.json !== undefined && sent.json !== undefined) {
    return compareJson('body', recorded.json, sent.json, bindings);
  }
  return matchText(recorded.text, sent.text, bindings) ? undefined : differs('body', recorded.text, sent.text);
}

/** Segment by segment: the value of an alias never has a slash in it. */
function comparePath(recorded: Comparable, sent: Comparable, bindings: Bindings): Words | undefined {
  const [before, now] = [recorded.segments, sent.segments];
  const same = before.length === now.length && before.every((one, at) => matchText(one, now[at] ?? '', bindings));
  return same ? undefined : differs('path', before.join('/'), now.join('/'));
}

/** How much of two paths is equal, from 0 to 1. */
function sharedPath({ segments }: Comparable, sent: Comparable): number {
  const same = segments.filter((one, at) => one === sent.segments[at]).length;
  return same / Math.max(segments.length, sent.segments.length);
}

/** Queries are sets: each recorded pair needs one that was sent, those first whose value is known. */
function compareQuery(recorded: Comparable, sent: Comparable, bindings: Bindings): Words | undefined {
  const left = [...sent.query];
  const shownRest = () => left.map(shown).join(' ');
  const pairs = recorded.query.map((pair) => ({ pair, known: resolved(pair, bindings) }));
  const isKnown = ({ known }: (typeof pairs)[number]) => known !== undefined;
  for (const { pair, known } of [...pairs.filter(isKnown), ...pairs.filter((one) => !isKnown(one))]) {
    const at = left.findIndex((other) => {
      const tried = new Bindings(bindings);
      return known === undefined ? matchText(pair, other, tried) && tried.keep() : known === other;
    });
    if (at < 0) return () => `query: recorded ${shown(pair)}, sent ${left.length > 0 ? shownRest() : 'without it'}`;
    left.splice(at, 1);
  }
  return left.length > 0 ? () => `query: sent ${shownRest()}, which was not recorded` : undefined;
}

/** The value of a header that is an alias, or missing. The sent value is never shown: it may be a credential. */
function compareAlias(name: string, recorded: string | undefined, sent: string | undefined, bindings: Bindings) {
  if (recorded === undefined) return sent === undefined ? undefined : () => `${name}: recorded without, sent with one`;
  if (sent === undefined) return () => `${name}: recorded ${recorded}, sent without`;
  if (matchText(recorded, sent, bindings)) return undefined;
  return () => `${name}: another than the one that stands for ${recorded}`;
}

/** The media type says what a body is: without a body it says nothing. */
function compareMediaType(recorded: Comparable, sent: Comparable): Words | undefined {
  const bodies = [recorded, sent].every(({ text, base64 }) => text !== '' || base64 !== undefined);
  if (!bodies || recorded.mediaType === sent.mediaType) return undefined;
  return differs('content-type', recorded.mediaType, sent.mediaType);
}

/** The parts that are compared, in this order: the further two requests agree, the nearer they are. */
const STAGES: readonly ((recorded: Comparable, sent: Comparable, bindings: Bindings) => Words | undefined)[] = [
  ({ method }, sent) => (method === sent.method ? undefined : () => `method: recorded ${method}, sent ${sent.method}`),
  comparePath,
  compareQuery,
  (recorded, sent, bindings) => compareAlias('authorization', recorded.authorization, sent.authorization, bindings),
  compareMediaType,
  (recorded, sent, bindings) => compareAlias('idempotency-key', recorded.idempotencyKey, sent.idempotencyKey, bindings),
  compareBody,
];

/**
 * Compares a request with a recorded one. Returns the bindings that the two would leave, or the first difference, with
 * the stage of the comparison at which it was found.
 */
export function compareRequest(recorded: Comparable, sent: Comparable, known: Bindings): Bindings | Mismatch {
  const bindings = new Bindings(known);
  for (const [stage, compare] of STAGES.entries()) {
    const text = compare(recorded, sent, bindings);
    if (text === undefined) continue;
    return { stage: compare === comparePath ? stage + sharedPath(recorded, sent) : stage, text };
  }
  return bindings;
}
