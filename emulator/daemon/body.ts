import type { IncomingMessage } from 'node:http';

/**
 * Reads a body of at most `cap` bytes; undefined when there is more, and then the rest is not read. `framed` tells that
 * the transport holds a body to its declared length, which then can be relied upon.
 */
export async function readBody(request: Request, cap: number, framed: boolean): Promise<Uint8Array | undefined> {
  const declared = request.headers.get('content-length');
  if (declared !== null && Number(declared) > cap) {
    await request.body?.cancel();
    return undefined;
  }
  if (framed && declared !== null && /^[0-9]+$/.test(declared)) return new Uint8Array(await request.arrayBuffer());
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > cap) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(value);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

/**
 * Reads the body of a GET or a HEAD as {@link readBody} does: a `Request` has none, whatever came over the wire, and a
 * proof over no bytes must not pass for a request that has some. Undefined when there is nothing to read this way.
 */
export function readIncoming(
  incoming: IncomingMessage | undefined,
  cap: number,
): Promise<Uint8Array | undefined> | undefined {
  if (!incoming || (incoming.method !== 'GET' && incoming.method !== 'HEAD')) return undefined;
  const { headers } = incoming;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return undefined;
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    incoming.on('data', (chunk: Uint8Array) => {
      length += chunk.length;
      if (length <= cap) return void chunks.push(chunk);
      // The rest flows by unkept: the connection may be used for more.
      chunks.length = 0;
      resolve(undefined);
    });
    incoming.on('end', () => resolve(Buffer.concat(chunks)));
    incoming.on('error', reject);
  });
}
