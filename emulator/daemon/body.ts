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
