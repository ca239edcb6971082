import { eachEvent, isStream, passed } from './streams.js';

/** The changes of an answer on its way. */
export interface Changes {
  readonly status?: number;
  headers?(headers: Headers): void;
  /** A JSON body, changed in place, or what is returned instead of it. */
  json?(json: unknown): unknown;
  /** One event or comment of a stream, without the blank line at its end; returns its replacement, with the blank line. */
  text?(event: string): string;
  /** A stream is observed on its way, all of it so far, and passes unchanged. */
  heard?(sofar: string): void;
  /** The client has left the stream; `cancel` reports it to the target. Without this hook it is reported at once. */
  left?(cancel: () => void): void;
}

/** The same answer, changed. */
export async function rewritten(response: Response, changes: Changes): Promise<Response> {
  const headers = new Headers(response.headers);
  changes.headers?.(headers);
  const { status = response.status } = changes;
  if (response.body !== null && isStream(response))
    return new Response(stream(response.body, changes), { status, headers });
  if (!/json/.test(headers.get('content-type') ?? '') || changes.json === undefined || response.body === null)
    return new Response(response.body, { status, headers });
  const said = await response.text();
  if (said === '') return new Response(null, { status, headers });
  const json: unknown = JSON.parse(said);
  const changed = changes.json(json) ?? json;
  headers.delete('content-length');
  return new Response(JSON.stringify(changed), { status, headers });
}

function stream(body: ReadableStream<Uint8Array>, { text, heard, left }: Changes): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder();
  let sofar = '';
  const sends =
    text === undefined
      ? (piece: Uint8Array | undefined) => {
          sofar += decoder.decode(piece, { stream: piece !== undefined });
          heard?.(sofar);
          return piece;
        }
      : eachEvent((event) => text(event.replace(/\n\n$/, '')));
  return passed(body, { sends, ...(left && { left: (cancel) => left(() => void cancel().catch(() => {})) }) });
}
