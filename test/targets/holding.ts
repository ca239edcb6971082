import type { Fetch } from '../../emulator/wire/serve.js';
import { isStream, through } from '../../emulator/wire/streams.js';

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
    if (!isStream(response)) return response;
    const held: Uint8Array[] = [];
    return through(response, {
      sends(piece) {
        if (piece === undefined) return Buffer.concat(held);
        held.push(piece);
        return undefined;
      },
    });
  };
