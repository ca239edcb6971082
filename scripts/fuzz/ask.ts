import { request as send } from 'node:http';
import type { Call } from './rows.js';

/** An answer, as far as it came in time. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly complete: boolean;
}

/** Sends a call unchanged: `fetch` would correct the path. Undefined if no answer begins in time. */
export function ask(
  port: number,
  { method, path, body, headers = body === undefined ? {} : { 'content-type': 'application/json' } }: Call,
  patienceMs: number,
): Promise<Answered | undefined> {
  return new Promise((resolve) => {
    const asked = send({
      host: '127.0.0.1',
      port,
      method,
      // Calls that no request line can hold belong to another target.
      path: path.replaceAll(/[^\x21-\x7e]/g, (text) => encodeURIComponent(Buffer.from(text).toString())),
      headers: { ...headers, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) },
      agent: false,
      signal: AbortSignal.timeout(patienceMs),
    });
    asked.once('error', () => resolve(undefined));
    asked.once('upgrade', (_, socket) => {
      socket.destroy();
      resolve(undefined);
    });
    asked.once('response', (answer) => {
      const pieces: Buffer[] = [];
      const done = () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: new Headers(
            Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]),
          ),
          text: Buffer.concat(pieces).toString(),
          complete: answer.complete,
        });
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.once('error', done).once('close', done);
    });
    asked.end(body);
  });
}
