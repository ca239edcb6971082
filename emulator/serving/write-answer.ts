import { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { hostDelay } from '../clock/host.js';
import { INERT_HEADERS } from '../contract/inert.js';
import type { AnyResponse, PlainResponse } from '../http/response.js';
import { writeStream } from '../http/write-stream.js';
import { EventStream } from '../sse/stream.js';
import { isStream } from '../wire/streams.js';
import type { InertResponse } from './inert-response.js';

/**
 * How long a connection whose request could not be parsed stays, so that its client can read why, in ms of real time.
 */
const LINGER = 200;
/** How long a sender may go on with its body once it is answered, in ms of real time. */
const REST = 500;

/** Closes the connection of a sender that does not end its body soon after the answer. */
function endBody(incoming: IncomingMessage, response: ServerResponse): void {
  if (incoming.complete || incoming.method === 'GET' || incoming.method === 'HEAD') return;
  response.once('finish', () => {
    if (incoming.complete) return;
    incoming.resume();
    void hostDelay(REST).then(() => {
      if (!incoming.complete) incoming.socket.destroySoon();
    });
  });
}

interface Source {
  readonly body: ReadableStream<Uint8Array>;
  /** Whether the body is looked at first: if all of it is there in this turn, it has its length. */
  readonly ahead: boolean;
  /** Called if it breaks off: then the connection is cut. */
  failed(error: unknown): void;
}

/** Writes a head, and passes a body on as it comes. A client that leaves ends the source. */
async function pass(
  response: InertResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  source: Source,
): Promise<void> {
  const reader = source.body.getReader();
  const left = () => void reader.cancel().catch(() => {});
  if (response.destroyed) return left();
  response.once('close', left);
  try {
    const held: Uint8Array[] = [];
    let next = reader.read();
    const turn = source.ahead ? new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined))) : undefined;
    for (let piece = await Promise.race([next, turn]); piece && !piece.done; piece = await Promise.race([next, turn])) {
      held.push(piece.value);
      next = reader.read();
    }
    const { done } = (await Promise.race([next, turn])) ?? {};
    if (done) {
      const whole = Buffer.concat(held);
      return void response.writeFields(status, headers, whole.length).end(whole);
    }
    response.writeFields(status, headers).flushHeaders();
    for (const piece of held) response.write(piece);
    for (let piece = await next; !piece.done; piece = await reader.read()) {
      if (response.write(piece.value)) continue;
      await new Promise<void>((resolve) => {
        for (const event of ['drain', 'close']) response.once(event, resolve);
      });
    }
    response.end();
  } catch (error) {
    // A client that has left is the reason, and no failure.
    if (!response.destroyed) source.failed(error);
    response.req.socket.destroy();
  }
}

/**
 * Writes an answer: a stream in chunks and without a length, even if all of it is ready (WEB-2), and anything else with its
 * length. `failed` is called if the source of a body breaks off.
 */
export function write(response: InertResponse, answer: AnyResponse, failed: (error: unknown) => void): void {
  endBody(response.req, response);
  if (answer instanceof Response) {
    const headers: Record<string, string | string[]> = {};
    for (const [name, value] of answer.headers)
      headers[name] = name === 'set-cookie' ? [headers[name] ?? [], value].flat() : value;
    const { status, body } = answer;
    if (body === null) response.writeFields(status, headers).end();
    else void pass(response, status, headers, { body, ahead: !isStream(answer), failed });
    return;
  }
  const { status, headers, body } = answer;
  if (body instanceof ReadableStream) return void pass(response, status, headers, { body, ahead: false, failed });
  if (body === null || body instanceof EventStream) response.writeFields(status, headers);
  else {
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
    response.writeFields(status, headers, length);
  }
  if (body instanceof EventStream) writeStream(body, response);
  else response.end(body ?? undefined);
}

/** Writes an answer for which Node has made no response, and ends the connection. */
export function writeRaw(socket: Duplex, { status, headers, body }: PlainResponse): void {
  const lines = Object.entries({
    ...INERT_HEADERS,
    ...headers,
    'content-length': Buffer.byteLength(String(body)),
    connection: 'close',
  });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head}\r\n${body}`);
  void hostDelay(LINGER).then(() => socket.destroy());
}
