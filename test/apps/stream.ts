/** Server-sent events as the standard has them, read piece by piece. */

export interface Chunk {
  readonly choices: readonly {
    readonly delta?: {
      readonly content?: string;
      readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[];
    };
    readonly finish_reason?: string | null;
  }[];
  readonly session_id?: string | null;
}

export interface Bytes {
  next(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
}

/** Decodes pieces of one text, wherever its characters are cut. */
function streaming(): (piece: Uint8Array) => string {
  const decoder = new TextDecoder();
  return (piece) => decoder.decode(piece, { stream: true });
}

/** Lines without their ends: LF, CR or CRLF, wherever the pieces are cut. */
export async function* linesOf(bytes: Bytes, decode = streaming()): AsyncGenerator<string> {
  let rest = '';
  for (;;) {
    const { done, value } = await bytes.next();
    if (done || value === undefined) return;
    rest += decode(value);
    // A CR at the end of a piece may be the first half of a CRLF.
    const held = rest.endsWith('\r') ? '\r' : '';
    const lines = rest.slice(0, rest.length - held.length).split(/\r\n|\r|\n/);
    rest = (lines.pop() ?? '') + held;
    yield* lines;
  }
}

/** The data of each event of the default type; comments and other fields say nothing. */
export async function* dataOf(bytes: Bytes, decode = streaming()): AsyncGenerator<string> {
  let data: string[] = [];
  let type = '';
  for await (const line of linesOf(bytes, decode)) {
    if (line === '') {
      if (data.length > 0 && (type === '' || type === 'message')) yield data.join('\n');
      data = [];
      type = '';
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    if (field === 'event') type = value;
  }
}

/** A chunk, if it is one. An error that the service reports is thrown. */
export function readChunk(data: string): Chunk | undefined {
  const chunk = JSON.parse(data);
  if (chunk.error !== undefined) throw new Error(`the run failed: ${chunk.error.message}`);
  return Array.isArray(chunk.choices) ? chunk : undefined;
}
