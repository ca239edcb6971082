import type { Socket } from 'node:net';
import type { Move } from './body.js';

/** How an answer may end other than by its framing, or be disturbed. */
export type LastMove = Exclude<Move, { readonly bytes: Uint8Array } | { readonly wait: number }>;

/** The way of an answer: a connection of HTTP/1.1, or a stream of HTTP/2. */
export interface Wire {
  informational(status: number): Promise<boolean>;
  head(status: number, headers: readonly (readonly [name: string, value: string])[]): Promise<boolean>;
  /** One write of the body, framed; false if the client is gone. */
  write(bytes: Uint8Array): Promise<boolean>;
  finish(): Promise<void>;
  /** Any other; a GOAWAY is no end. */
  end(how: LastMove): void;
  /** Calls back when the client is gone; returns what takes that back. */
  onGone(then: () => void): () => void;
}

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

const chunk = (bytes: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

/** A connection of HTTP/1.1: exactly the bytes that it is given, framed. */
export const overSocket = (socket: Socket, chunked: boolean, closes: boolean): Wire => ({
  informational: (status) => write(socket, `HTTP/1.1 ${status} ${REASONS[status] ?? 'Note'}\r\n\r\n`),
  head(status, headers) {
    const lines = [`HTTP/1.1 ${status} ${REASONS[status] ?? 'Status'}`];
    for (const [name, value] of headers) lines.push(`${name}: ${value}`);
    return write(socket, `${lines.join('\r\n')}\r\n\r\n`);
  },
  write: (bytes) => write(socket, chunked ? chunk(bytes) : bytes),
  async finish() {
    if (chunked) await write(socket, '0\r\n\r\n');
    if (closes) socket.end();
  },
  end(how) {
    if ('end' in how && how.end === 'reset') socket.resetAndDestroy();
    else socket.end();
  },
  onGone(then) {
    socket.once('close', then);
    return () => socket.removeListener('close', then);
  },
});
