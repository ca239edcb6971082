import { connect } from 'node:http2';
import { Readable } from 'node:stream';

/** A `fetch` of one POST over HTTP/2, which Node's own does not offer: with `node:http2`, on a connection of its own. */
export const fetchSecurely = (
  url: string,
  given: { headers: Record<string, string>; body: string; signal: AbortSignal; ca: string },
): Promise<Response> =>
  new Promise((resolve, reject) => {
    given.signal.throwIfAborted();
    const { origin, pathname } = new URL(url);
    const session = connect(origin, { ca: given.ca });
    session.on('error', reject);
    const { signal } = given;
    const stream = session.request({ ...given.headers, ':method': 'POST', ':path': pathname }, { signal });
    stream.on('error', reject);
    stream.on('close', () => {
      reject(new Error(`the stream was closed before the head (${stream.rstCode})`));
      session.close();
    });
    stream.on('response', (head) => {
      const body = async function* () {
        yield* stream as AsyncIterable<Buffer>;
        // A stream that is reset with CANCEL ends like one that is whole: its close says which it was.
        if (!stream.destroyed) await new Promise((done) => stream.once('close', done));
        if (stream.rstCode !== 0) throw new Error(`the stream was reset (${stream.rstCode})`);
      };
      const headers = { 'content-type': String(head['content-type'] ?? '') };
      resolve(
        new Response(Readable.toWeb(Readable.from(body())) as ReadableStream, {
          status: head[':status'] ?? 0,
          headers,
        }),
      );
    });
    stream.end(given.body);
  });
