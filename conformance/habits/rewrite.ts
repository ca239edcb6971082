/**
 * One event or comment of a stream, without the blank line at its end; returns its replacement, with the blank line.
 */
export type StreamText = (event: string) => string;

/** The changes of an answer on its way. */
export interface Changes {
  headers?(headers: Headers): void;
  /** A JSON body, changed in place. */
  json?(json: unknown): void;
  text?: StreamText;
  /** A stream is observed on its way, all of it so far, and passes unchanged. */
  heard?(sofar: string): void;
  /** The client has left the stream; `cancel` reports it to the target. Without this hook it is reported at once. */
  left?(cancel: () => void): void;
}

/** The same answer, changed. */
export async function rewritten(response: Response, changes: Changes): Promise<Response> {
  const headers = new Headers(response.headers);
  changes.headers?.(headers);
  const { status } = response;
  const type = headers.get('content-type') ?? '';
  if (/event-stream/.test(type) && response.body !== null)
    return new Response(rewrittenStream(response.body, changes), { status, headers });
  if (!/json/.test(type) || changes.json === undefined || response.body === null)
    return new Response(response.body, { status, headers });
  const said = await response.text();
  if (said === '') return new Response(null, { status, headers });
  const json: unknown = JSON.parse(said);
  changes.json(json);
  headers.delete('content-length');
  return new Response(JSON.stringify(json), { status, headers });
}

/** The events and comments of a text, each with the blank line that ends it. */
export const framesIn = (text: string): string[] => text.match(/[\s\S]*?\n\n/g) ?? [];

/** A stream, changed event by event, wherever its bytes are cut. */
export function rewrittenStream(
  body: ReadableStream<Uint8Array>,
  { text, heard, left }: Pick<Changes, 'text' | 'heard' | 'left'>,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = '';
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (text === undefined) {
          rest += decoder.decode(value, { stream: !done });
          heard?.(rest);
          if (done) controller.close();
          else controller.enqueue(value);
          return;
        }
        rest += done ? '' : decoder.decode(value, { stream: true });
        const events = framesIn(rest);
        rest = rest.slice(events.join('').length);
        if (done && rest !== '') events.push(rest);
        const sent = events.map((event) => text(event.replace(/\n\n$/, ''))).join('');
        if (sent !== '') controller.enqueue(encoder.encode(sent));
        if (done) controller.close();
        else if (sent === '') await this.pull?.(controller);
      },
      cancel() {
        const cancel = () => void reader.cancel().catch(() => {});
        if (left === undefined) cancel();
        else left(cancel);
      },
    },
    { highWaterMark: 0 },
  );
}
