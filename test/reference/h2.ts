import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { CallError } from './assemble.js';
import { decoded } from './decoded.js';
import type { Has } from './flaws.js';
import type { Incoming, Transport } from './transport.js';

/** Requests refused before the head that a client that never learns sends again. */
const MANY = 6;

/** Over HTTP/2 with TLS, by Node's own. A connection is used once, except by mistake. */
export function overHttp2(has: Has): Transport {
  const kept = new Map<string, ClientHttp2Session>();
  const once: Transport = (outgoing) =>
    new Promise<Incoming>((resolve, reject) => {
      const { origin } = new URL(outgoing.url);
      const session =
        (has('goawayIgnored') ? kept.get(origin) : undefined) ?? connect(origin, { ca: outgoing.ca ?? '' });
      kept.set(origin, session);
      session.on('error', reject);
      const headers = Object.fromEntries(outgoing.headers.map(([name, value]) => [name.toLowerCase(), value]));
      const path = outgoing.url.slice(outgoing.url.indexOf('/', outgoing.url.indexOf('://') + 3));
      const stream = session.request({ ...headers, ':method': outgoing.method, ':path': path });
      const stop = () => stream.close(constants.NGHTTP2_CANCEL);
      const leave = () => {
        stop();
        if (!has('goawayIgnored')) session.close();
      };
      outgoing.signal.addEventListener('abort', () => {
        reject(outgoing.signal.reason);
        leave();
      });
      stream.on('error', reject);
      stream.on('close', () => {
        reject(new CallError(`the stream was closed before the head (${stream.rstCode})`));
        if (!has('goawayIgnored')) session.close();
      });
      stream.on('trailers', () => {
        if (has('trailersFail')) stream.destroy(new CallError('trailers'));
      });
      stream.on('response', (head) => {
        resolve({
          status: head[':status'] ?? 0,
          header: (name) => {
            const value = head[name];
            return Array.isArray(value) ? value.join(', ') : value;
          },
          body: bodyOf(stream, head['content-encoding'], outgoing.signal, has),
          leave,
        });
      });
      const sent = outgoing.body ?? new Uint8Array();
      stream.end(has('windowCuts') ? sent.subarray(0, 1) : sent);
    });
  return async (outgoing) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await once(outgoing);
      } catch (error) {
        const refused = error instanceof Error && /REFUSED_STREAM|\(7\)/.test(error.message);
        if (!refused || !has('refusedForever') || attempt >= MANY) throw error;
      }
    }
  };
}

async function* bodyOf(
  stream: ClientHttp2Stream,
  coding: string | undefined,
  signal: AbortSignal,
  has: Has,
): AsyncIterable<Uint8Array> {
  const held: Uint8Array[] = [];
  try {
    for await (const chunk of decoded(stream, coding, has)) {
      if (has('holdsCoded') && coding !== undefined) held.push(chunk as Uint8Array);
      else yield chunk as Uint8Array;
    }
  } catch (error) {
    if (signal.aborted || !has('resetIsEnd')) throw error;
  }
  yield* held;
  // Only the close of the stream shows how it ended.
  if (!stream.destroyed) await new Promise<void>((resolve) => stream.once('close', resolve));
  if (signal.aborted) throw signal.reason;
  if (stream.rstCode !== 0 && !has('resetIsEnd')) throw new CallError(`the stream was reset (${stream.rstCode})`);
}
