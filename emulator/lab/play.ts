import { constants, gunzipSync } from 'node:zlib';
import { hostNow, hostSleep } from '../clock/host-wait.js';
import type { Scripted } from '../contract/client-case.js';
import { bodyOf, joined, type Move, movesOf } from './body.js';
import { createCoding } from './coding.js';
import type { KeptRequest, PlayedCase } from './run.js';
import type { Wire } from './wire.js';

/** How long an event may take to come out, in ms, times the patience of the run. */
const PROMPT = 1_000;
/** Between two writes, so that a client has a chance to read them apart, in ms; only if there are few of them. */
const APART = 2;
const FEW_WRITES = 64;
/** So that the written bytes are read before a reset takes the connection away, in ms. */
const BEFORE_RESET = 20;

/** The names that a header value may hold. */
export interface Places {
  readonly base: string;
  readonly other: string;
}

const fill = (value: string, places: Places): string =>
  value
    .replaceAll('{base}', places.base)
    .replaceAll('{other}', places.other)
    .replaceAll(/\{date\+(\d+)s\}/g, (_, seconds) => new Date(hostNow() + Number(seconds) * 1_000).toUTCString());

type Header = readonly [name: string, value: string];

/** The head of an answer; that of a stream of HTTP/2 tells neither framing nor connection. */
function headersOf(exchange: Scripted, places: Places, coding: string | undefined, length: number): Header[] {
  const headers: Header[] = [];
  for (const [name, value] of Object.entries(exchange.headers)) {
    if (coding === undefined && name === 'content-encoding') continue;
    for (const one of [value].flat()) headers.push([name, fill(one, places)]);
  }
  if (exchange.encoding !== undefined && coding !== undefined) headers.push(['content-encoding', coding]);
  if (exchange.protocol === 'h2') return headers;
  if (exchange.framing === 'chunked') headers.push(['transfer-encoding', 'chunked']);
  if (exchange.framing === 'length' && exchange.status !== 204)
    headers.push(['content-length', String(exchange.length ?? length)]);
  return [...headers, ['connection', exchange.connection], ['date', new Date(hostNow()).toUTCString()]];
}

/**
 * Waits until as many events are out as are due, for a second at most. The first late event decides: the others are not
 * waited for.
 */
async function awaitPrompt(run: PlayedCase, due: number, signal: AbortSignal): Promise<void> {
  const late = run.prompt.some((write) => write.out < write.due);
  if (run.out < due && !late) {
    const enough = new AbortController();
    const stop = () => enough.abort();
    signal.addEventListener('abort', stop, { once: true });
    run.reported = () => {
      if (run.out >= due) enough.abort();
    };
    await hostSleep(PROMPT * run.patience, enough.signal);
    signal.removeEventListener('abort', stop);
  }
  run.prompt.push({ due, out: run.out });
}

/**
 * Plays a scripted exchange on a connection or a stream: one write per step, exactly the bytes of the case. Resolves
 * when all of it is written, or when the client or the run is over. `accepts` are the codings that the client takes.
 */
export async function play(
  wire: Wire,
  exchange: Scripted,
  run: PlayedCase,
  request: KeptRequest,
  places: Places,
  accepts: (coding: string) => boolean,
): Promise<void> {
  const gone = new AbortController();
  const signal = AbortSignal.any([run.over.signal, gone.signal]);
  const stay = wire.onGone(() => gone.abort());
  const end = (how: Parameters<Wire['end']>[0]) => {
    request.answered = hostNow();
    wire.end(how);
  };
  try {
    for (const step of exchange.before ?? []) {
      if ('wait' in step) await hostSleep(step.wait, signal);
      else if ('informational' in step) await wire.informational(step.informational);
      else if ('goaway' in step) wire.end(step);
      else if ('end' in step && step.end === 'none') return;
      else return end(step);
      if (signal.aborted) return;
    }
    const named = exchange.encoding ?? [exchange.headers['content-encoding'] ?? []].flat()[0];
    const coding = named !== undefined && accepts(named) ? named : undefined;
    const stream =
      exchange.encoding !== undefined && coding !== undefined ? createCoding(exchange.encoding) : undefined;
    request.status = exchange.status;
    let moves: readonly Move[] = movesOf(exchange.steps, run.cuts, run.scale);
    if (named === 'gzip' && exchange.encoding === undefined && coding === undefined) moves = unzipped(moves);
    const length = bodyOf(exchange, run.scale).length;
    request.headed = hostNow();
    if (!(await wire.head(exchange.status, headersOf(exchange, places, coding, length)))) return;
    let written = 0;
    for (const move of moves) {
      if (signal.aborted) return;
      if ('wait' in move) await hostSleep(move.wait, signal);
      else if ('goaway' in move) wire.end(move);
      else if ('bytes' in move) {
        const bytes = stream === undefined ? move.bytes : await stream.encode(move.bytes);
        request.writes.push(hostNow());
        if (!(await wire.write(bytes))) return;
        const due = run.due?.[written++];
        if (due !== undefined) await awaitPrompt(run, due, signal);
        else if (moves.length > 1 && moves.length <= FEW_WRITES) await hostSleep(APART, signal);
        else if (moves.length > FEW_WRITES) await new Promise<void>((resolve) => setImmediate(resolve));
      } else {
        if ('end' in move && move.end === 'none') return;
        if (!('end' in move) || move.end !== 'fin') await hostSleep(BEFORE_RESET, signal);
        return end(move);
      }
    }
    if (stream !== undefined) await wire.write(await stream.trailer());
    request.answered = hostNow();
    await wire.finish();
  } finally {
    stay();
  }
}

/** The body, stored as gzip, for a client that takes none. One that is not whole is cut as a body without a coding is. */
function unzipped(moves: readonly Move[]): Move[] {
  const stored = joined(moves);
  const bytes = gunzipSync(stored, { finishFlush: constants.Z_SYNC_FLUSH });
  const rest = moves.filter((move) => !('bytes' in move) && !('wait' in move));
  try {
    gunzipSync(stored);
  } catch {
    rest.push({ end: 'fin' });
  }
  return [{ bytes }, ...rest];
}
