export const isStream = (response: Response): boolean =>
  response.body !== null && /event-stream/.test(response.headers.get('content-type') ?? '');

/** Takes a stream apart into events, each with the blank line that ends it, in the pieces in which it comes. */
export function createEventSplitter(): (piece: Uint8Array | undefined) => string[] {
  const decoder = new TextDecoder();
  let rest = '';
  return (piece) => {
    rest += piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true });
    const events = rest.split(/(?<=\n\n)/);
    rest = piece !== undefined && events.at(-1)?.endsWith('\n\n') === false ? (events.pop() ?? '') : '';
    return events.filter((event) => event !== '');
  };
}

type Sent = Uint8Array | string | undefined;

/** The changes of a body on its way. */
export interface Passing {
  /** The bytes for a piece, and before the end, for which it is undefined; each piece as it is by default. */
  readonly sends?: (piece: Uint8Array | undefined) => Sent | Promise<Sent>;
  /** The client has left; `cancel` tells the source, which learns it at once without this. */
  readonly left?: (cancel: () => Promise<void>) => void | Promise<void>;
  /** The source has broken off. */
  readonly broken?: (error: unknown) => void;
}

/** A body, passed on piece by piece as it is read. */
export function passed(
  body: ReadableStream<Uint8Array>,
  { sends = (piece) => piece, left = (cancel) => cancel(), broken = () => {} }: Passing,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read().catch((error: unknown) => {
            broken(error);
            throw error;
          });
          const sent = await sends(done ? undefined : value);
          const bytes = typeof sent === 'string' ? encoder.encode(sent) : sent;
          if (bytes !== undefined && bytes.length > 0) controller.enqueue(bytes);
          if (done) return controller.close();
          if (bytes !== undefined && bytes.length > 0) return;
        }
      },
      cancel: (reason) => left(() => reader.cancel(reason)),
    },
    { highWaterMark: 0 },
  );
}

/** An answer whose body is passed on so. */
export const through = (response: Response, passing: Passing): Response =>
  response.body === null
    ? response
    : new Response(passed(response.body, passing), { status: response.status, headers: response.headers });

/** The events of a stream, one by one: what is sent for each. No text leaves one out. */
export function eachEvent(change: (event: string) => string): NonNullable<Passing['sends']> {
  const split = createEventSplitter();
  return (piece) => split(piece).map(change).join('');
}

/** Reads a body ahead until its text so far satisfies `enough`; the body that is returned has all of it. */
export async function readAhead(
  ahead: ReadableStream<Uint8Array>,
  enough: (sofar: string) => boolean,
): Promise<{ readonly text: string; readonly body: ReadableStream<Uint8Array> }> {
  const reader = ahead.getReader();
  const held: Uint8Array[] = [];
  const sofar = () => Buffer.concat(held).toString();
  while (!enough(sofar())) {
    const { done, value } = await reader.read();
    if (done) break;
    held.push(value);
  }
  const text = sofar();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const value = held.shift() ?? (await reader.read()).value;
        if (value) controller.enqueue(value);
        else controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return { text, body };
}
