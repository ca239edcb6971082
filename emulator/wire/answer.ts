import { errorEnvelope } from '../contract/errors.js';
import { jsonOf } from './json.js';
import { eachEvent, isStream, type Passing, passed } from './streams.js';

/** The changes of an answer on its way. */
export interface Changes {
  readonly status?: number;
  headers?(headers: Headers): void;
  /** Changes a JSON body in place, or returns another one. */
  json?(json: unknown): unknown;
  /** One event or comment of a stream, without the blank line at its end; returns its replacement, with the blank line. */
  text?(event: string): string;
  /** A stream is observed on its way, all of it so far, and passes unchanged. */
  heard?(sofar: string): void;
  /** The client has left the stream; `cancel` reports it to the target. Without this hook it is reported at once. */
  left?(cancel: () => void): void;
}

/** A refusal in the usual envelope. */
export const refusal = (status: number, message: string, reason?: string, retryable = false, headers = {}): Response =>
  Response.json(errorEnvelope(status, message, reason, retryable), { status, headers });

/** The JSON of a successful answer, which stays readable. */
export const contentOf = async (response: Response): Promise<unknown> =>
  response.ok ? jsonOf(await response.clone().text()) : undefined;

/** The same answer, changed. */
export async function rewritten(response: Response, changes: Changes): Promise<Response> {
  const headers = new Headers(response.headers);
  changes.headers?.(headers);
  const { status = response.status } = changes;
  if (response.body !== null && isStream(response))
    return new Response(passed(response.body, passing(changes)), { status, headers });
  if (!/json/.test(headers.get('content-type') ?? '') || changes.json === undefined || response.body === null)
    return new Response(response.body, { status, headers });
  const said = await response.text();
  if (said === '') return new Response(null, { status, headers });
  const json: unknown = JSON.parse(said);
  const changed = changes.json(json) ?? json;
  headers.delete('content-length');
  return new Response(JSON.stringify(changed), { status, headers });
}

function passing({ text, heard, left }: Changes): Passing {
  const leaving = left && { left: (cancel: () => Promise<void>) => left(() => void cancel().catch(() => {})) };
  if (text !== undefined) return { sends: eachEvent((event) => text(event.replace(/\n\n$/, ''))), ...leaving };
  if (heard === undefined) return { ...leaving };
  const decoder = new TextDecoder();
  let sofar = '';
  return {
    sends(piece) {
      sofar += decoder.decode(piece, { stream: piece !== undefined });
      heard(sofar);
      return piece;
    },
    ...leaving,
  };
}
