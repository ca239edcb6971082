import type { Fetch } from '../probe/client.js';
import { MAX_BODY, within } from '../probe/limit.js';
import type { Host } from '../probe/time.js';

/** One request around the run, a GET by default, read whole. Rejects if no whole answer comes in time. */
export type Ask = (url: string, headers?: Record<string, string>, more?: AskMore) => Promise<Got>;

interface AskMore {
  readonly method?: string;
  /** JSON. */
  readonly body?: string;
}

interface Got {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

export function createAsk(options: {
  readonly fetch: Fetch;
  readonly host: Host;
  /** ms */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}): Ask {
  const { fetch, host, timeout: ms, signal } = options;
  return (url, headers = {}, more = {}) =>
    within(
      { host, ms, signal, late: () => new Error(`${url} did not answer within ${ms} ms`) },
      async ({ signal: end }) => {
        const request = new Request(url, { ...more, headers, redirect: 'manual', signal: end });
        const response = await fetch(request);
        const type = response.headers.get('content-type') ?? '';
        return { status: response.status, type, text: await textOf(response, request.url) };
      },
    );
}

/** A body as text, no longer than the kit reads. */
async function textOf(response: Response, url: string): Promise<string> {
  const parts: Uint8Array[] = [];
  let total = 0;
  for await (const piece of response.body ?? []) {
    total += piece.length;
    // Leaving the loop cancels the body.
    if (total > MAX_BODY) throw new Error(`${url} answered more than ${MAX_BODY} bytes`);
    parts.push(piece);
  }
  return new TextDecoder().decode(Buffer.concat(parts));
}
