import { bodyText, type RecordedExchange } from '../../emulator/recording/format.js';
import type { Bindings } from '../../emulator/recording/template.js';
import { jsonOf } from '../probe/json.js';
import { type Compared, compareJson } from './compare.js';
import { type Chunk, deltaOf, eventsOf, isUnknownEnd, ofTheIntern, ofTheService } from './events.js';
import { streamText } from './script.js';

/** A body as JSON; other bodies as text. */
export function parsedBody(body: RecordedExchange['body']): unknown {
  const text = bodyText(body) ?? '';
  return jsonOf(text) ?? (text === '' ? undefined : text);
}

/** The questions in the tool calls of a chunk, where they are JSON. */
const callsOf = (chunk: Chunk | undefined): unknown[] =>
  chunk === undefined ? [] : deltaOf(chunk).calls.map((call) => parsedBody(call.arguments));

/** A live stream that came to its end. */
export interface LiveStream {
  readonly text: string;
  readonly ended: RecordedExchange['ended'];
}

/**
 * Compares a stream with the recorded one: kinds and order of its events, the shape of the first of each kind, how it
 * ended. On a deployment (`free`), where the intern does something else, answers what it did instead: no finding.
 */
export function compareStream(
  into: Compared,
  bindings: Bindings,
  exchange: RecordedExchange,
  live: LiveStream,
  free: boolean,
): string | undefined {
  const before = eventsOf(streamText(exchange));
  const now = eventsOf(live.text);
  const kinds = (events: typeof now) => events.map(({ kind }) => kind).join(' → ');
  // Where the client left, what would have come is not known, but for what must never come.
  const cut = exchange.ended === 'client' && !now.some(({ kind }) => isUnknownEnd(kind));
  const left = cut && kinds(now).startsWith(kinds(before));
  if (!left && kinds(before) !== kinds(now)) {
    const service = (events: typeof now) =>
      events.flatMap(({ kind }) => (ofTheIntern(kind) ? [] : [ofTheService(kind)])).join(' → ');
    if (free && (cut || service(before) === service(now))) return `the intern did not do as recorded (${kinds(now)})`;
    into.findings.push({ what: 'events of the stream', expected: kinds(before), actual: kinds(now) });
    return undefined;
  }
  if (!left && exchange.ended !== live.ended) {
    into.findings.push({ what: 'end of the stream', expected: exchange.ended, actual: live.ended });
  }
  const seen = new Set<string>();
  for (const [index, { kind, chunk }] of before.entries()) {
    if (!chunk || seen.has(kind)) continue;
    seen.add(kind);
    compareJson(into, bindings, { where: kind, key: '' }, chunk, now[index]?.chunk);
    for (const [at, call] of callsOf(chunk).entries()) {
      const place = { where: `${kind}, its arguments`, key: '' };
      compareJson(into, bindings, place, call, callsOf(now[index]?.chunk)[at]);
    }
  }
  return undefined;
}
