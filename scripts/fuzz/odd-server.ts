import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { bind } from '../../emulator/contract/bind.js';
import type { OddAnswer } from './odd-answer.js';

/** The last segment of the path that is answered correctly. */
export const HONEST = 'honest';
const HONEST_BODY = '{"data":[]}';
const HONEST_ANSWER = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${HONEST_BODY.length}\r\nConnection: close\r\n\r\n${HONEST_BODY}`;
/** An endless body is cut after this many bytes. */
const MOST_BYTES = 24 * 1_048_576;

export interface OddServer {
  /** Its base URL. */
  readonly url: string;
  /** Its answer from here on. */
  answer: OddAnswer;
  close(): Promise<void>;
}

async function send(socket: Socket, { head, body, times, ends }: OddAnswer): Promise<void> {
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  socket.write(head, 'latin1');
  const piece = Buffer.from(body, 'latin1');
  const most = piece.length === 0 ? 0 : Math.min(times, Math.ceil(MOST_BYTES / piece.length));
  for (let sent = 0; sent < most && !socket.destroyed; sent++)
    if (!socket.write(piece)) await once(socket, 'drain', { signal: gone.signal }).catch(() => {});
  if (ends === 'fin') socket.end();
  if (ends === 'reset') socket.resetAndDestroy();
}

/** A server that answers with the given bytes, whatever the request. */
export async function startOddServer(): Promise<OddServer> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => {});
    let answered = false;
    socket.on('data', (bytes) => {
      // A connection that an odd answer left open is used again.
      if (bytes.toString('latin1').split(' ')[1]?.endsWith(`/${HONEST}`)) socket.end(HONEST_ANSWER);
      else if (!answered) void send(socket, odd.answer);
      answered = true;
    });
  });
  const port = await bind(server);
  const odd: OddServer = {
    url: `http://127.0.0.1:${port}/api/v1`,
    answer: { head: '', body: '', times: 0, ends: 'fin' },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return odd;
}
