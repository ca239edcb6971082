import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { CallError } from './assemble.js';
import { decoded } from './decoded.js';
import type { Has } from './flaws.js';

export interface Outgoing {
  readonly method: string;
  readonly url: string;
  /** In order, names as they are sent. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | undefined;
  readonly signal: AbortSignal;
  /** The authority that an `https:` URL rests on. */
  readonly ca?: string | undefined;
}

export interface Incoming {
  readonly status: number;
  header(name: string): string | undefined;
  /** Ends in an error if the body is not whole. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Closes the connection. */
  leave(): void;
}

/** Sends one request. Throws if no head comes. */
export type Transport = (outgoing: Outgoing) => Promise<Incoming>;

async function* whole(
  message: IncomingMessage,
  has: Has,
  closes: boolean,
  failure: () => Error | undefined,
): AsyncIterable<Uint8Array> {
  const cutIsEnd = has('cutIsEnd') || (has('cutIsEndOnClose') && closes);
  const coding = message.headers['content-encoding'];
  const held: Uint8Array[] = [];
  try {
    for await (const chunk of decoded(message, coding, has).iterator({ destroyOnReturn: !has('noLeave') })) {
      if (has('holdsCoded') && coding !== undefined) held.push(chunk as Uint8Array);
      else yield chunk as Uint8Array;
    }
    yield* held;
  } catch (error) {
    if (cutIsEnd) return;
    throw error;
  }
  // A body that ends by closing is whole for Node even if the connection was reset.
  const error = failure();
  if (error !== undefined && !cutIsEnd) throw error;
  if (!message.complete && !cutIsEnd) throw new CallError('the body was cut off');
}

/** Over a socket, by Node's own HTTP. A connection is used once, so that none is found closed. */
export const overHttp =
  (has: Has): Transport =>
  (outgoing) =>
    new Promise((resolve, reject) => {
      if (has('untilClose')) return resolve(untilClose(outgoing));
      const { hostname, port } = new URL(outgoing.url);
      // The path goes out as written, not as a URL parser has it.
      const path = outgoing.url.slice(outgoing.url.indexOf('/', outgoing.url.indexOf('://') + 3));
      const sent = httpRequest({
        hostname,
        port,
        path,
        method: outgoing.method,
        agent: false,
        signal: outgoing.signal,
      });
      const lists = new Map<string, string[]>();
      for (const [name, value] of outgoing.headers) {
        const key = [...lists.keys()].find((one) => one.toLowerCase() === name.toLowerCase()) ?? name;
        lists.set(key, [...(lists.get(key) ?? []), value]);
      }
      for (const [name, values] of lists) sent.setHeader(name, values.length === 1 ? (values[0] ?? '') : values);
      let failed: Error | undefined;
      sent.once('socket', (socket) =>
        socket.once('error', (error) => {
          failed = error;
        }),
      );
      sent.on('error', reject);
      sent.once('response', (message) => {
        message.on('error', () => {});
        resolve({
          status: message.statusCode ?? 0,
          header: (name) => {
            const value = message.headers[name];
            return Array.isArray(value) ? value.join(', ') : value;
          },
          body: whole(message, has, message.headers.connection === 'close', () => failed),
          leave: () => {
            if (!has('noLeave')) sent.destroy();
          },
        });
      });
      sent.end(outgoing.body);
    });

/** The mistake of a client that reads a connection until it closes: no framing, no interim answers. */
async function untilClose(outgoing: Outgoing): Promise<Incoming> {
  const { hostname, port, pathname, search } = new URL(outgoing.url);
  const socket = connect({ host: hostname, port: Number(port) });
  outgoing.signal.addEventListener('abort', () => socket.destroy(new Error('timed out')), { once: true });
  const lines = [`${outgoing.method} ${pathname}${search} HTTP/1.1`, `host: ${hostname}:${port}`];
  for (const [name, value] of outgoing.headers) lines.push(`${name}: ${value}`);
  if (outgoing.body !== undefined) lines.push(`content-length: ${outgoing.body.length}`);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  if (outgoing.body !== undefined) socket.write(outgoing.body);
  let text = '';
  for await (const chunk of socket) text += (chunk as Buffer).toString('latin1');
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const body = Buffer.from(rest.join('\r\n\r\n').replaceAll(/(^|\r\n)[0-9a-f]+\r\n/g, ''), 'latin1');
  return {
    status: Number(head.split(' ')[1]),
    header: (name) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim(),
    body: (async function* () {
      yield new Uint8Array(body);
    })(),
    leave() {},
  };
}

/** In process: each request is answered by the next of these. */
export function inProcess(answer: (n: number) => Response): Transport {
  let n = 0;
  return async () => {
    const response = answer(n++);
    const body = response.body;
    return {
      status: response.status,
      header: (name) => response.headers.get(name) ?? undefined,
      body: (async function* () {
        if (body !== null) yield* body as unknown as AsyncIterable<Uint8Array>;
      })(),
      leave() {},
    };
  };
}
