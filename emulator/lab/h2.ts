import { constants, performServerHandshake, type ServerHttp2Stream } from 'node:http2';
import { createServer, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { createServer as createTls, type TLSSocket } from 'node:tls';
import { bind } from '../contract/bind.js';
import type { Scripted } from '../contract/client-case.js';
import type { Authority } from '../signing/authority.js';
import { type Handle, type Link, receive } from './servers.js';
import type { Wire } from './wire.js';

const CODES = {
  cancel: constants.NGHTTP2_CANCEL,
  'internal-error': constants.NGHTTP2_INTERNAL_ERROR,
  'refused-stream': constants.NGHTTP2_REFUSED_STREAM,
} as const;

/**
 * The stream that TLS writes to in place of the socket, and HTTP/2 in place of TLS: the socket can end without what TLS
 * would say (close_notify), and frames can be written between those of Node's.
 */
function over(raw: Duplex): Duplex {
  const duplex = new Duplex({
    read() {},
    write: (chunk, _encoding, done) => void raw.write(chunk, () => done()),
    final(done) {
      raw.end();
      done();
    },
  });
  raw.on('data', (chunk) => duplex.push(chunk));
  raw.on('end', () => duplex.push(null));
  raw.on('close', () => duplex.destroy());
  raw.on('error', () => duplex.destroy());
  duplex.on('error', () => raw.destroy());
  return duplex;
}

const took = (stream: ServerHttp2Stream, write: (done: () => void) => void): Promise<boolean> =>
  new Promise((resolve) => {
    if (stream.destroyed || stream.closed) return resolve(false);
    const gone = () => resolve(false);
    stream.once('close', gone);
    write(() => {
      stream.removeListener('close', gone);
      resolve(!stream.destroyed);
    });
  });

// Two frames that Node's own HTTP/2 does not write as a case needs them: it ends a stream that it resets with END_STREAM
// first, and takes 0 as the last stream of a GOAWAY for the newest.
const frame = (type: number, id: number, ...words: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(9 + 4 * words.length);
  bytes.writeUIntBE(4 * words.length, 0, 3);
  bytes.writeUInt8(type, 3);
  for (const [at, word] of [id, ...words].entries()) bytes.writeUInt32BE(word, 5 + 4 * at);
  return bytes;
};
const rstStream = (id: number, code: number) => frame(3, id, code);
const goaway = (last: number) => frame(7, 0, last, constants.NGHTTP2_NO_ERROR);

interface Ends {
  readonly tls: TLSSocket;
  readonly raw: Socket;
}

const wireOf = (stream: ServerHttp2Stream, { tls, raw }: Ends, exchange: Scripted): Wire => ({
  async informational(status) {
    if (!stream.closed) stream.additionalHeaders({ ':status': status });
    return !stream.closed;
  },
  async head(status, headers) {
    if (stream.closed) return false;
    const { trailers } = exchange;
    stream.once('wantTrailers', () => stream.sendTrailers(trailers ?? {}));
    stream.respond(
      { ':status': status, ...Object.fromEntries(headers) },
      trailers === undefined ? {} : { waitForTrailers: true },
    );
    return true;
  },
  write: (bytes) => took(stream, (done) => void stream.write(bytes, done)),
  async finish() {
    await took(stream, (done) => void stream.end(done));
  },
  end(how) {
    const { id = 1 } = stream;
    if ('rst' in how) tls.write(rstStream(id, CODES[how.rst]));
    else if ('goaway' in how) {
      tls.write(goaway(how.goaway.last === 'this' ? id : Math.max(0, id - 2)));
    } else if (how.end === 'reset') raw.resetAndDestroy();
    else raw.end();
  },
  onGone(then) {
    stream.once('close', then);
    return () => stream.removeListener('close', then);
  },
});

function linkOf(stream: ServerHttp2Stream, ends: Ends): Link {
  const { raw } = ends;
  return {
    connection: raw,
    get over() {
      return stream.closed;
    },
    get taken() {
      return raw.bytesWritten;
    },
    wire: (exchange) => wireOf(stream, ends, exchange),
    refuse(status) {
      stream.respond({ ':status': status }, { endStream: true });
    },
    watch(closed, over) {
      const onAborted = () => closed('client');
      const onError = () => closed('reset');
      stream.once('aborted', onAborted).once('error', onError).once('close', over);
      return () => {
        if (stream.destroyed) return;
        stream.removeListener('aborted', onAborted).removeListener('close', over);
      };
    },
    destroy: () => void raw.destroy(),
  };
}

export interface SecureServer {
  readonly origin: string;
  close(): Promise<void>;
}

/**
 * An origin of HTTP/2 over TLS on loopback, for one run: its connections are the run's alone (LAB-17). It offers
 * nothing else by ALPN. `window` is what it lets a client send of a body before it has read that, in bytes.
 */
export async function startSecureServer(
  authority: Authority,
  handle: Handle,
  window: number | undefined,
): Promise<SecureServer> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (raw) => {
    sockets.add(raw);
    raw.once('close', () => sockets.delete(raw));
    const { cert, key } = authority;
    // A server of its own is never listened on: it is how a connection that is there becomes one of TLS.
    const acceptor = createTls({ cert, key, ALPNProtocols: ['h2'] }, (tls: TLSSocket) => {
      if (tls.alpnProtocol !== 'h2') return raw.destroy();
      const session = performServerHandshake(
        over(tls),
        window === undefined ? {} : { settings: { initialWindowSize: window } },
      );
      session.on('error', () => {});
      session.on('stream', (stream, sent) => {
        stream.on('error', () => {});
        const headers = Object.entries(sent).flatMap(([name, value]) =>
          [value ?? []].flat().map((one) => [name, String(one)] as const),
        );
        const request = { method: sent[':method'] ?? '', url: sent[':path'] ?? '/', body: stream };
        void receive(handle, linkOf(stream, { tls, raw }), request, headers, 'base');
      });
    });
    acceptor.on('tlsClientError', () => raw.destroy());
    acceptor.emit('connection', over(raw));
  });
  const port = await bind(server);
  return {
    origin: `https://127.0.0.1:${port}`,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
