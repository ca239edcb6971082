import type { Fetch } from '../../conformance/habits/serve.js';

const isStream = ({ headers }: Response) => /event-stream/.test(headers.get('content-type') ?? '');

/** A proxy that passes on nothing of a stream before it has ended. */
export const holdsStreams =
  (next: Fetch): Fetch =>
  async (request) => {
    const response = await next(request);
    if (!isStream(response)) return response;
    const { status, headers } = response;
    return new Response(await response.arrayBuffer(), { status, headers });
  };

/** The same where it reads on though its client has left, as most do. */
export const holdsOn =
  (next: Fetch): Fetch =>
  (request) =>
    holdsStreams(next)(new Request(request, { signal: new AbortController().signal }));

/** A proxy that passes the head of a stream on at once, and all the rest when the stream has ended. */
export const holdsBodies =
  (next: Fetch): Fetch =>
  async (request) => {
    const response = await next(request);
    const { status, headers, body } = response;
    if (!isStream(response) || body === null) return response;
    const reader = body.getReader();
    const rest = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const held: Uint8Array[] = [];
          for (let part = await reader.read(); !part.done; part = await reader.read()) held.push(part.value);
          controller.enqueue(Buffer.concat(held));
          controller.close();
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
    return new Response(rest, { status, headers });
  };
