import type { Answered, Exchange } from '../../model/exchange.js';
import { isRow, type Row } from '../../model/intern.js';
import { createChunkGrammar, type Transcript } from '../../probe/chunks.js';
import type { SseItem } from '../../probe/sse.js';

/** An answer that is wrong in one way, and the name of the way: `data.[].name dropped`. */
export interface Spoilt {
  readonly way: string;
  readonly answered: Answered;
}

/** Earlier answers to the same operation with the same status, the latest last. */
export type Earlier = readonly Answered[];

type Json = unknown;
/** A place in a JSON value: keys, and `[]` for the first item of a list. */
type Keys = readonly string[];

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

/** Every place of a value, from the top. */
function placesOf(value: Json, depth = 4): readonly Keys[] {
  if (depth === 0) return [];
  const inner: readonly (readonly [string, Json])[] = Array.isArray(value)
    ? value.slice(0, 1).map((item) => ['[]', item] as const)
    : isRow(value)
      ? Object.entries(value)
      : [];
  return inner.flatMap(([key, one]) => [[key], ...placesOf(one, depth - 1).map((place) => [key, ...place])]);
}

const step = (value: Json, key: string): Json =>
  Array.isArray(value) ? value[0] : isRow(value) ? value[key] : undefined;
const at = (value: Json, place: Keys): Json => place.reduce<Json>(step, value);

const NOTHING = Symbol('nothing');
/** A copy with another value in one place; `NOTHING` takes it out. */
function withValue(value: Json, [key, ...rest]: Keys, other: unknown): Json {
  if (key === undefined) return other;
  const inner = rest.length === 0 ? other : withValue(step(value, key), rest, other);
  if (Array.isArray(value)) return inner === NOTHING ? value.slice(1) : [inner, ...value.slice(1)];
  const { [key]: _, ...others } = value as Row;
  return inner === NOTHING ? others : { ...(value as Row), [key]: inner };
}

const shifted = (time: string, ms: number): string => new Date(Date.parse(time) + ms).toISOString();

/** Other values of a place, each by the way. */
function* others(value: Json, name = ''): Generator<readonly [way: string, value: unknown]> {
  yield ['dropped', NOTHING];
  if (value !== null) yield ['nulled', null];
  yield [
    'of another type',
    typeof value === 'string' || value === null ? 7 : typeof value === 'object' ? 'text' : String(value),
  ];
  if (typeof value === 'string') {
    if (value !== '') yield ['emptied', ''];
    if (TIME.test(value)) {
      yield ['an hour late', shifted(value, 3_600_000)];
      yield ['an hour early', shifted(value, -3_600_000)];
      yield ['without milliseconds', value.replace(/\.\d+/, '')];
    } else if (UUID.test(value)) yield ['another', value.replace(/^./, (digit) => (digit === 'a' ? 'b' : 'a'))];
    else yield ['another', `${value}x`];
    if (/message$/.test(name)) yield ['of a teardown', 'workspace_archive_failed'];
  }
  if (value === null && name === 'last_failure_message') yield ['of a teardown', 'workspace_archive_failed'];
  if (isRow(value)) yield ['with a key', { ...value, api_key: 'sk-1', value: 'sk-1' }];
  if (typeof value === 'number') yield ['another', value + 1];
  if (typeof value === 'boolean') yield ['another', !value];
  if (Array.isArray(value)) {
    if (value.length > 0) yield ['without its first', value.slice(1)];
    if (value.length > 0) yield ['with its first twice', [value[0], ...value]];
    if (value.length > 1) yield ['reversed', value.toReversed()];
  }
}

const JSON_STATUSES = [200, 201, 202, 204, 400, 401, 403, 404, 405, 409, 413, 415, 422, 500];
const HEADERS = ['content-type', 'cache-control', 'date', 'retry-after', 'allow', 'location', 'deprecation', 'link'];

function withHeader(answered: Answered, name: string, value: string | undefined): Answered {
  return { ...answered, header: (asked) => (asked === name ? value : answered.header(asked)) };
}
function withJson(answered: Answered, json: Json, status = answered.status): Answered {
  const text = json === undefined ? '' : JSON.stringify(json);
  return { ...answered, status, json, text, all: () => text };
}

/** The body of an answer whose status is another. */
function bodyFor(json: Json, before: number, status: number): Json {
  if (status === 204) return undefined;
  if (before < 400 && status < 400) return json;
  if (status < 400) return {};
  const error =
    isRow(json) && isRow(json.error)
      ? json.error
      : { message: 'Refused', metadata: { reason: 'refused', retryable: false } };
  return { error: { ...error, code: status } };
}

function* spoiltHeaders(answered: Answered): Generator<Spoilt> {
  for (const name of HEADERS) {
    const value = answered.header(name);
    if (value === undefined) continue;
    yield { way: `header ${name} dropped`, answered: withHeader(answered, name, undefined) };
    const other =
      name === 'date'
        ? new Date(Date.parse(value) + 3_600_000).toUTCString()
        : name === 'content-type'
          ? 'text/plain'
          : 'x';
    yield { way: `header ${name} changed`, answered: withHeader(answered, name, other) };
  }
}

function* spoiltJson(answered: Answered, earlier: Earlier): Generator<Spoilt> {
  const { json } = answered;
  for (const place of placesOf(json)) {
    const name = place.join('.');
    const value = at(json, place);
    for (const [way, other] of others(value, name))
      yield { way: `${name} ${way}`, answered: withJson(answered, withValue(json, place, other)) };
    const before = earlier.toReversed().map((one) => at(one.json, place));
    const another = before.find((one) => one !== undefined && JSON.stringify(one) !== JSON.stringify(value));
    if (another !== undefined)
      yield { way: `${name} of an earlier answer`, answered: withJson(answered, withValue(json, place, another)) };
    if (Array.isArray(value) && Array.isArray(another) && another.length > 0)
      yield {
        way: `${name} with one of an earlier answer`,
        answered: withJson(answered, withValue(json, place, [...value, another[0]])),
      };
  }
  if (isRow(json)) yield { way: 'with a key', answered: withJson(answered, { ...json, api_key: 'sk-1' }) };
  const whole = earlier.findLast((one) => one.text !== answered.text);
  if (whole !== undefined) yield { way: 'an earlier answer', answered: withJson(answered, whole.json) };
  yield { way: 'no JSON', answered: { ...answered, json: undefined, text: '<html>', all: () => '<html>' } };
}

/** The kind of an event of a stream, by its content. */
function kindOf(item: SseItem): string {
  if (item.kind === 'comment') return 'comment';
  if (item.data === '[DONE]') return 'done';
  const json = JSON.parse(item.data) as { choices?: readonly { delta?: Row; finish_reason?: unknown }[] };
  const [choice] = json.choices ?? [];
  if (choice === undefined) return 'final chunk';
  if (typeof choice.finish_reason === 'string') return `${choice.finish_reason} chunk`;
  const { role, content, reasoning, tool_calls: calls } = choice.delta ?? {};
  return calls !== undefined
    ? 'call chunk'
    : role !== undefined
      ? 'first chunk'
      : content !== undefined
        ? 'text chunk'
        : reasoning !== undefined
          ? 'reasoning chunk'
          : 'empty chunk';
}

function withItems(
  answered: Answered,
  { scripted, exchange }: Transcript,
  toolName: string,
  items: readonly SseItem[],
  unfinished = '',
  how = 'end',
): Answered {
  const grammar = createChunkGrammar(toolName, { scripted, exchange });
  for (const item of items) grammar.take(item);
  grammar.end(unfinished, how);
  return {
    ...answered,
    stream: grammar.transcript,
    all: () => items.map((item) => ('data' in item ? item.data : item.text)).join('\n'),
  };
}

function* spoiltStream(
  answered: Answered,
  stream: Transcript,
  earlier: Earlier,
  toolName: string,
  asked: (key: string) => unknown,
): Generator<Spoilt> {
  const { items } = stream;
  const spoilt = (way: string, changed: readonly SseItem[]): Spoilt => ({
    way,
    answered: withItems(answered, stream, toolName, changed),
  });
  const met = new Set<string>();
  for (const [index, item] of items.entries()) {
    const kind = kindOf(item);
    if (met.has(kind)) continue;
    met.add(kind);
    const next = items[index + 1];
    yield spoilt(`${kind} dropped`, items.toSpliced(index, 1));
    yield spoilt(`${kind} twice`, items.toSpliced(index, 0, item));
    if (next !== undefined) yield spoilt(`${kind} after the next`, items.toSpliced(index, 2, next, item));
    if (item.kind === 'comment' || item.data === '[DONE]') continue;
    const json: Json = JSON.parse(item.data);
    const earlierJson = earlier.toReversed().flatMap(({ stream: one }) => {
      const same = one?.items.find((other) => kindOf(other) === kind);
      return same !== undefined && 'data' in same ? [JSON.parse(same.data) as Json] : [];
    });
    const put = (way: string, place: Keys, other: unknown) =>
      spoilt(
        `${kind}: ${place.join('.')} ${way}`,
        items.with(index, { ...item, data: JSON.stringify(withValue(json, place, other)) }),
      );
    for (const place of placesOf(json, 6)) {
      const value = at(json, place);
      for (const [way, other] of others(value)) yield put(way, place, other);
      const another = earlierJson
        .map((one) => at(one, place))
        .find((one) => one !== undefined && JSON.stringify(one) !== JSON.stringify(value));
      if (another !== undefined) yield put('of an earlier answer', place, another);
    }
    for (const reason of ['stop', 'tool_calls', 'error', 'length'])
      if (
        kind.endsWith(' chunk') &&
        !kind.startsWith(reason) &&
        / chunk$/.test(kind) &&
        ['stop', 'tool_calls', 'error'].some((one) => kind === `${one} chunk`)
      )
        yield put(`${reason} instead`, ['choices', '[]', 'finish_reason'], reason);
  }
  const [first, ...rest] = items;
  if (first?.kind === 'event') {
    yield spoilt('an event that is no JSON', [{ ...first, data: '{' }, ...rest]);
    yield spoilt('an event that is a list', [{ ...first, data: '[]' }, ...rest]);
    yield spoilt('an event that is too deep', [{ ...first, data: '['.repeat(10_000) }, ...rest]);
    yield spoilt('a keepalive within an event', [
      { kind: 'comment', at: first.at, text: 'keepalive', within: true },
      ...items,
    ]);
    const json: Json = JSON.parse(first.data);
    for (const key of ['session_id', 'usage', 'model'])
      yield spoilt(`first chunk with ${key}`, [
        { ...first, data: JSON.stringify({ ...(json as Row), [key]: asked(key) ?? 'x' }) },
        ...rest,
      ]);
    const severed = { code: 503, message: 'Broken', metadata: { reason: 'stream_severed', retryable: false } };
    yield spoilt('severed with another code', [
      { ...first, data: JSON.stringify({ ...(json as Row), error: severed }) },
      ...rest,
    ]);
  }
  yield { way: 'a stream that ends in an event', answered: withItems(answered, stream, toolName, items, 'data: {') };
  yield { way: 'a stream that is cut', answered: withItems(answered, stream, toolName, items, '', 'ECONNRESET') };
  const whole = earlier.findLast(({ stream: one }) => one !== undefined && one.content !== stream.content);
  if (whole?.stream !== undefined) yield spoilt('an earlier answer', whole.stream.items);
}

/** An answer in every way in which the table of operators spoils it. */
export function* spoiltIn({ asked, answered }: Exchange, earlier: Earlier, toolName: string): Generator<Spoilt> {
  if (answered === undefined) return;
  const { status, json, stream } = answered;
  if (stream !== undefined) {
    yield* spoiltHeaders(answered);
    const body = asked.body.kind === 'some' && isRow(asked.body.json) ? asked.body.json : {};
    yield* spoiltStream(answered, stream, earlier, toolName, (key) => body[key]);
    return;
  }
  for (const other of JSON_STATUSES)
    if (other !== status)
      yield { way: `status ${other}`, answered: withJson(answered, bodyFor(json, status, other), other) };
  yield* spoiltHeaders(answered);
  if (json !== undefined) yield* spoiltJson(answered, earlier);
}
