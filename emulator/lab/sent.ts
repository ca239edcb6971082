import { type CaseExchange, type ClientCase, isScripted } from '../contract/client-case.js';
import type { LabRequest, LabRun, Sent, SentPart } from '../contract/lab-run.js';
import { clipped } from '../contract/visible.js';
import { type Move, movesOf } from './body.js';

/** Parts of an answer that are shown, at most. */
const SHOWN = 200;
/** Characters of a part that are shown, at most. */
const LONGEST = 2_000;

/** The last part where nothing else ends a body. */
export const CLEAN_END = 'the body ends cleanly';

const sideOf = (exchange: CaseExchange): 'sign' | 'daemon' => exchange.at ?? 'daemon';

/** The exchange that answers a request: the n-th of its side, the last repeats. Undefined for a side that has none. */
export function exchangeOf(
  { exchanges, layer }: ClientCase,
  { at, n }: Pick<LabRequest, 'at' | 'n'>,
  requests: readonly Pick<LabRequest, 'at' | 'n'>[],
): CaseExchange | undefined {
  const mine = layer === 'signing' ? exchanges.filter((one) => sideOf(one) === at) : exchanges;
  const before = requests.filter((other) => other.at === at && other.n < n).length;
  return mine[Math.min(before, mine.length - 1)];
}

/** A move in words, bytes as text where they are text. */
export function partOf(move: Move): Omit<SentPart, 'at'> {
  if ('wait' in move) return { text: `silence for ${move.wait} ms` };
  if ('rst' in move) return { text: `RST_STREAM ${move.rst}` };
  if ('goaway' in move)
    return { text: `GOAWAY, last stream: ${move.goaway.last === 'this' ? 'this one' : 'the one before'}` };
  if ('end' in move)
    return { text: move.end === 'none' ? 'the connection stays open' : move.end === 'reset' ? 'RST' : 'FIN' };
  const bytes = Buffer.from(move.bytes);
  const text = bytes.toString();
  return text.includes('\ufffd')
    ? { bytes: bytes.length, text: clipped(bytes.toString('hex'), LONGEST), hex: true }
    : { bytes: bytes.length, text: clipped(text, LONGEST) };
}

/** The writes that answered each request of a run, with their times. Bytes are those before a coding. */
export function sentOf(theCase: ClientCase, { cuts, requests }: LabRun): Sent[] {
  return requests.map((request): Sent => {
    const exchange = exchangeOf(theCase, request, requests);
    const none = { request: request.n, more: 0 };
    if (exchange === undefined || !isScripted(exchange))
      return { ...none, parts: [{ text: "the emulator's own answer" }] };
    const body = request.headed === undefined ? [] : movesOf(exchange.steps, cuts);
    let written = 0;
    const before = (exchange.before ?? []).map(
      (step): SentPart =>
        'informational' in step ? { text: `${step.informational}, ahead of the head` } : partOf(step),
    );
    const parts = body.map((move): SentPart => {
      const part = partOf(move);
      const at = 'bytes' in move ? request.writes[written++] : undefined;
      return at === undefined ? part : { at: at - request.arrived, ...part };
    });
    parts.unshift(...before);
    if (request.headed !== undefined && !body.some((move) => 'end' in move || 'rst' in move))
      parts.push({ text: CLEAN_END });
    return { request: request.n, parts: parts.slice(0, SHOWN), more: Math.max(0, parts.length - SHOWN) };
  });
}
