import { changedAt, isRecord, type Json, valueAt } from '../../../emulator/wire/json.js';
import type { Answered, Exchange } from '../../model/exchange.js';
import { createChunkGrammar, type Transcript } from '../../probe/chunks.js';
import type { SseItem } from '../../probe/sse.js';

/** An answer that is wrong in one way, and the name of the way: `data.0.name dropped`. */
interface Spoilt {
  readonly way: string;
  readonly answered: Answered;
}

/** Earlier answers to the same operation with the same status, the latest last. */
export type Earlier = readonly Answered[];

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

/** Every place of a value, from the top; of a list, in its first item. */
function placesOf(value: unknown, depth = 4): readonly string[] {
  if (depth === 0) return [];
  const entries = Object.entries(Array.isArray(value) ? value.slice(0, 1) : isRecord(value) ? value : {});
  return entries.flatMap(([key, one]) => [key, ...placesOf(one, depth - 1).map((place) => `${key}.${place}`)]);
}

const shifted = (time: string, ms: number): string => new Date(Date.parse(time) + ms).toISOString();
const HOUR = 3_600_000;

/** Other texts in the place of one. */
function* otherTexts(text: string): Generator<readonly [way: string, value: unknown]> {
  if (text !== '') yield ['emptied', ''];
  if (TIME.test(text)) {
    yield ['an hour late', shifted(text, HOUR)];
    yield ['an hour early', shifted(text, -HOUR)];
    yield ['without milliseconds', text.replace(/\.\d+/, '')];
  } else if (UUID.test(text)) yield ['another', text.replace(/^./, (digit) => (digit === 'a' ? 'b' : 'a'))];
  else yield ['another', `${text}x`];
}

/** Wrong values for a place, with their ways. Undefined removes the place. */
function* others(value: unknown, name = ''): Generator<readonly [way: string, value: unknown]> {
  const isText = typeof value === 'string';
  yield ['dropped', undefined];
  if (value !== null) yield ['nulled', null];
  yield ['of another type', isText || value === null ? 7 : typeof value === 'object' ? 'text' : String(value)];
  if (isText) yield* otherTexts(value);
  if ((isText && name.endsWith('message')) || (value === null && name === 'last_failure_message'))
    yield ['of a teardown', 'workspace_archive_failed'];
  if (isRecord(value)) yield ['with a key', { ...value, api_key: 'sk-1', value: 'sk-1' }];
  if (typeof value === 'number') yield ['another', value + 1];
  if (typeof value === 'boolean') yield ['another', !value];
  if (!Array.isArray(value) || value.length === 0) return;
  yield ['without its first', value.slice(1)];
  yield ['with its first twice', [value[0], ...value]];
  if (value.length > 1) yield ['reversed', value.toReversed()];
}

/** Copies of a JSON value that are wrong in one place, with their ways. Wrong values are made up, or come from earlier answers. */
function* spoiltPlaces(
  json: unknown,
  earlier: readonly unknown[],
  depth: number,
): Generator<readonly [way: string, json: unknown]> {
  for (const place of placesOf(json, depth)) {
    const value = valueAt(json, place);
    const put = (way: string, other: unknown) => [`${place} ${way}`, changedAt(json, place, () => other)] as const;
    for (const [way, other] of others(value, place)) yield put(way, other);
    const text = JSON.stringify(value);
    const another = earlier
      .map((one) => valueAt(one, place))
      .findLast((one) => one !== undefined && JSON.stringify(one) !== text);
    if (another !== undefined) yield put('of an earlier answer', another);
    if (Array.isArray(value) && Array.isArray(another) && another.length > 0)
      yield put('with one of an earlier answer', [...value, another[0]]);
  }
}

const JSON_STATUSES = [200, 201, 202, 204, 400, 401, 403, 404, 405, 409, 413, 415, 422, 500];
// No `date`: a clock that is off, or said by nobody, breaks nothing.
const HEADERS = ['content-type', 'cache-control', 'retry-after', 'allow', 'location', 'deprecation', 'link'];

function withJson(answered: Answered, json: unknown, status = answered.status): Answered {
  const text = json === undefined ? '' : JSON.stringify(json);
  return { ...answered, status, json, text, all: () => text };
}

/** A body that fits a changed status. */
function bodyFor(json: unknown, before: number, status: number): unknown {
  if (status === 204) return undefined;
  if (status < 400) return before < 400 ? json : {};
  const error = valueAt(json, 'error') ?? {
    message: 'Refused',
    metadata: { reason: 'refused', retryable: false },
  };
  return { error: { ...(error as Json), code: status } };
}

function* spoiltHeaders(answered: Answered): Generator<Spoilt> {
  const spoilt = (name: string, way: string, value: string | undefined): Spoilt => ({
    way: `header ${name} ${way}`,
    answered: { ...answered, header: (asked) => (asked === name ? value : answered.header(asked)) },
  });
  for (const name of HEADERS) {
    const value = answered.header(name);
    if (value === undefined) continue;
    yield spoilt(name, 'dropped', undefined);
    yield spoilt(name, 'changed', name === 'content-type' ? 'text/plain' : 'x');
  }
}

function* spoiltJson(answered: Answered, earlier: Earlier): Generator<Spoilt> {
  const { json } = answered;
  const before = earlier.map((one) => one.json);
  for (const [way, other] of spoiltPlaces(json, before, 4)) yield { way, answered: withJson(answered, other) };
  if (isRecord(json)) yield { way: 'with a key', answered: withJson(answered, { ...json, api_key: 'sk-1' }) };
  const whole = earlier.findLast((one) => one.text !== answered.text);
  if (whole !== undefined) yield { way: 'an earlier answer', answered: withJson(answered, whole.json) };
  yield { way: 'no JSON', answered: { ...answered, json: undefined, text: '<html>', all: () => '<html>' } };
}

const FINISHES = ['stop', 'tool_calls', 'error', 'length'];

/** The kind of an event of a stream, by its content. */
function kindOf(item: SseItem): string {
  if (item.kind === 'comment') return 'comment';
  if (item.data === '[DONE]') return 'done';
  const choice = valueAt(JSON.parse(item.data), 'choices.0') as { delta?: Json; finish_reason?: unknown } | undefined;
  if (choice === undefined) return 'final chunk';
  if (typeof choice.finish_reason === 'string') return `${choice.finish_reason} chunk`;
  const KINDS = { tool_calls: 'call', role: 'first', content: 'text', reasoning: 'reasoning' };
  const carried = Object.entries(KINDS).find(([key]) => choice.delta?.[key] !== undefined);
  return `${carried?.[1] ?? 'empty'} chunk`;
}

function* spoiltStream(
  answered: Answered,
  stream: Transcript,
  earlier: Earlier,
  toolName: string,
  asked: unknown,
): Generator<Spoilt> {
  const { items, scripted, exchange } = stream;
  const spoilt = (way: string, changed: readonly SseItem[], unfinished = '', how = 'end'): Spoilt => {
    const grammar = createChunkGrammar(toolName, { scripted, exchange });
    for (const item of changed) grammar.take(item);
    grammar.end(unfinished, how);
    const all = () => changed.map((item) => ('data' in item ? item.data : item.text)).join('\n');
    return { way, answered: { ...answered, stream: grammar.transcript, all } };
  };
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
    const json: unknown = JSON.parse(item.data);
    const before = earlier.flatMap(({ stream: one }) => {
      const same = one?.items.find((other) => kindOf(other) === kind);
      return same !== undefined && 'data' in same ? [JSON.parse(same.data) as unknown] : [];
    });
    const put = (way: string, other: unknown) =>
      spoilt(`${kind}: ${way}`, items.with(index, { ...item, data: JSON.stringify(other) }));
    for (const [way, other] of spoiltPlaces(json, before, 6)) yield put(way, other);
    const [finish = ''] = kind.split(' ');
    if (!FINISHES.includes(finish)) continue;
    for (const reason of FINISHES)
      if (reason !== finish)
        yield put(
          `${reason} instead`,
          changedAt(json, 'choices.0.finish_reason', () => reason),
        );
  }
  const [first, ...rest] = items;
  if (first?.kind === 'event') {
    for (const [way, data] of [
      ['no JSON', '{'],
      ['a list', '[]'],
      ['too deep', '['.repeat(10_000)],
    ] as const)
      yield spoilt(`an event that is ${way}`, [{ ...first, data }, ...rest]);
    yield spoilt('a keepalive within an event', [
      { kind: 'comment', at: first.at, text: 'keepalive', within: true },
      ...items,
    ]);
    const carrying = (way: string, more: Json) =>
      spoilt(way, [{ ...first, data: JSON.stringify({ ...(JSON.parse(first.data) as Json), ...more }) }, ...rest]);
    for (const key of ['session_id', 'usage', 'model'])
      yield carrying(`first chunk with ${key}`, { [key]: valueAt(asked, key) ?? 'x' });
    const metadata = { reason: 'stream_severed', retryable: false };
    yield carrying('severed with another code', { error: { code: 503, message: 'Broken', metadata } });
  }
  yield spoilt('a stream that ends in an event', items, 'data: {');
  yield spoilt('a stream that is cut', items, '', 'ECONNRESET');
  const whole = earlier.findLast(({ stream: one }) => one !== undefined && one.content !== stream.content);
  if (whole?.stream !== undefined) yield spoilt('an earlier answer', whole.stream.items);
}

/** The wrong versions of an answer, one for every operator. */
export function* spoiltIn({ asked, answered }: Exchange, earlier: Earlier, toolName: string): Generator<Spoilt> {
  if (answered === undefined) return;
  const { status, json, stream } = answered;
  if (stream !== undefined) {
    yield* spoiltHeaders(answered);
    yield* spoiltStream(answered, stream, earlier, toolName, asked.body.kind === 'some' ? asked.body.json : undefined);
    return;
  }
  for (const other of JSON_STATUSES)
    if (other !== status)
      yield { way: `status ${other}`, answered: withJson(answered, bodyFor(json, status, other), other) };
  yield* spoiltHeaders(answered);
  if (json !== undefined) yield* spoiltJson(answered, earlier);
}
