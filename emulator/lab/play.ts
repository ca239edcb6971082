import type { Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { hostNow, hostSleep } from '../clock/host-wait.js';
import type { Scripted } from '../contract/client-case.js';
import { bodyOf, joined, type Move, movesOf } from './body.js';
import type { KeptRequest, Run } from './run.js';

const REASONS: Readonly<Record<number, string>> = {
  100: 'Continue',
  102: 'Processing',
  103: 'Early Hints',
  200: 'OK',
  202: 'Accepted',
  204: 'No Content',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
};

/** How long an event may take to come out, in ms, times the patience of the run. */
const PROMPT = 1_000;
/** Between two writes, so that a client has a chance to read them apart, in ms; only if there are few of them. */
const APART = 2;
const FEW_WRITES = 64;
/** So that the written bytes are read before a reset takes the connection away, in ms. */
const BEFORE_RESET = 20;

/** What a header value may name. */
export interface Places {
  readonly base: string;
  readonly other: string;
}

const fill = (value: string, places: Places): string =>
  value
    .replaceAll('{base}', places.base)
    .replaceAll('{other}', places.other)
    .replaceAll(/\{date\+(\d+)s\}/g, (_, seconds) => new Date(hostNow() + Number(seconds) * 1_000).toUTCString());

function headOf(exchange: Scripted, places: Places, unzip: boolean, scale: number): string {
  const lines = [`HTTP/1.1 ${exchange.status} ${REASONS[exchange.status] ?? 'Status'}`];
  for (const [name, value] of Object.entries(exchange.headers)) {
    if (unzip && name === 'content-encoding') continue;
    for (const one of [value].flat()) lines.push(`${name}: ${fill(one, places)}`);
  }
  if (exchange.framing === 'chunked') lines.push('transfer-encoding: chunked');
  if (exchange.framing === 'length' && exchange.status !== 204)
    lines.push(`content-length: ${exchange.length ?? bodyOf(exchange, scale).length}`);
  lines.push(`connection: ${exchange.connection}`, `date: ${new Date(hostNow()).toUTCString()}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Writes and waits until the connection took it; false if the connection is gone. */
const write = (socket: Socket, bytes: Uint8Array | string): Promise<boolean> =>
  new Promise((resolve) => {
    if (socket.destroyed || !socket.writable) return resolve(false);
    const gone = () => resolve(false);
    socket.once('close', gone);
    socket.write(bytes, (error) => {
      socket.removeListener('close', gone);
      resolve(!error);
    });
  });

const framed = (exchange: Scripted, bytes: Uint8Array): Uint8Array =>
  exchange.framing === 'chunked'
    ? Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
    : bytes;

/**
 * Waits until as many events are out as are due, for a second at most. The first late event decides: the others are not
 * waited for.
 */
async function awaitPrompt(run: Run, due: number, signal: AbortSignal): Promise<void> {
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

function end(socket: Socket, how: 'fin' | 'reset'): void {
  if (how === 'fin') socket.end();
  else socket.resetAndDestroy();
}

/**
 * Plays a scripted exchange on a connection: one write per step, exactly the bytes of the case. Resolves when all of it
 * is written, or when the connection or the run is over.
 */
export async function play(
  socket: Socket,
  exchange: Scripted,
  run: Run,
  request: KeptRequest,
  places: Places,
  acceptsGzip: boolean,
): Promise<void> {
  const gone = new AbortController();
  const leave = () => gone.abort();
  const signal = AbortSignal.any([run.over.signal, gone.signal]);
  socket.once('close', leave);
  try {
    for (const step of exchange.before ?? []) {
      if ('wait' in step) await hostSleep(step.wait, signal);
      else if ('informational' in step)
        await write(socket, `HTTP/1.1 ${step.informational} ${REASONS[step.informational] ?? 'Note'}\r\n\r\n`);
      else {
        request.answered = hostNow();
        return end(socket, step.end);
      }
      if (signal.aborted) return;
    }
    const unzip = exchange.headers['content-encoding'] === 'gzip' && !acceptsGzip;
    request.status = exchange.status;
    let moves: readonly Move[] = movesOf(exchange.steps, run.cuts, run.scale);
    if (unzip) moves = [{ bytes: gunzipSync(joined(moves)) }];
    if (!(await write(socket, headOf(exchange, places, unzip, run.scale)))) return;
    let written = 0;
    for (const move of moves) {
      if (signal.aborted) return;
      if ('wait' in move) await hostSleep(move.wait, signal);
      else if ('end' in move) {
        if (move.end === 'none') return;
        request.answered = hostNow();
        if (move.end === 'reset') await hostSleep(BEFORE_RESET, signal);
        return end(socket, move.end);
      } else {
        request.writes.push(hostNow());
        if (!(await write(socket, framed(exchange, move.bytes)))) return;
        const due = run.due?.[written++];
        if (due !== undefined) await awaitPrompt(run, due, signal);
        else if (moves.length > 1 && moves.length <= FEW_WRITES) await hostSleep(APART, signal);
        else if (moves.length > FEW_WRITES) await new Promise<void>((resolve) => setImmediate(resolve));
      }
    }
    if (exchange.framing === 'chunked') await write(socket, '0\r\n\r\n');
    request.answered = hostNow();
    if (exchange.connection === 'close' || exchange.framing === 'close') socket.end();
  } finally {
    socket.removeListener('close', leave);
  }
}
