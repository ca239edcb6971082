import { connect } from 'node:net';

/** The result of one load: responses per second, and times in ms. */
export interface Load {
  readonly rate: number;
  readonly firstByte: number[];
  readonly whole: number[];
}

const END = Buffer.from('0\r\n\r\n');

/**
 * Sends one request over and over on `connections` sockets for `seconds`. A client on bare sockets: it only looks for
 * the end of the body, so that the server is what is measured.
 */
export async function streamLoad(
  url: string,
  request: { body: string; headers?: Record<string, string> },
  connections: number,
  seconds: number,
): Promise<Load> {
  const { hostname, port, pathname } = new URL(url);
  const headers = { host: `${hostname}:${port}`, 'content-type': 'application/json', ...request.headers };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const bytes = Buffer.from(
    `POST ${pathname} HTTP/1.1\r\n${head.join('')}content-length: ${Buffer.byteLength(request.body)}\r\n\r\n${request.body}`,
  );
  const firstByte: number[] = [];
  const whole: number[] = [];
  const began = performance.now();
  const until = began + seconds * 1_000;
  const loop = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      socket.setNoDelay(true);
      let sent = 0;
      let first = 0;
      let tail: Buffer = Buffer.alloc(0);
      /** Bytes still to come of an answer with a declared length; undefined if it is chunked. */
      let left: number | undefined;
      const send = () => {
        sent = performance.now();
        first = 0;
        socket.write(bytes);
      };
      socket.once('connect', send);
      socket.once('error', reject);
      socket.on('data', (data: Buffer) => {
        const now = performance.now();
        if (first === 0) {
          first = now;
          if (!data.subarray(0, 12).equals(Buffer.from('HTTP/1.1 200'))) {
            socket.destroy();
            return reject(new Error(`${url} answered ${data.subarray(0, 300)}`));
          }
          const head = data.subarray(0, data.indexOf('\r\n\r\n') + 4);
          const length = /content-length: (\d+)/i.exec(head.toString('latin1'))?.[1];
          left = length === undefined ? undefined : Number(length) + head.length;
        }
        if (left !== undefined) left -= data.length;
        tail =
          data.length >= END.length ? data.subarray(-END.length) : Buffer.concat([tail, data]).subarray(-END.length);
        if (left === undefined ? !tail.equals(END) : left > 0) return;
        firstByte.push(first - sent);
        whole.push(now - sent);
        if (now < until) return send();
        socket.destroy();
        resolve();
      });
    });
  await Promise.all(Array.from({ length: connections }, loop));
  return { rate: whole.length / ((performance.now() - began) / 1_000), firstByte, whole };
}
