import type { Target } from './control/target.js';
import { BASE } from './http/pipeline.js';

/** Whether an address to listen on is reachable from this machine only. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);

/** The addresses of a target that listens on `host`; one that listens everywhere is reached by loopback from here. */
export function placed(
  host: string,
  port: number,
  daemonPort: number,
): Pick<Target, 'base_url' | 'control_url' | 'daemon_origin'> {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  const origin = `http://${name}:${port}`;
  return { base_url: origin + BASE, control_url: `${origin}/_emulator`, daemon_origin: `http://${name}:${daemonPort}` };
}

/** Remembers what was found of the few hosts that a listener is called by. */
function remembering(judge: (host: string) => boolean): (host: string) => boolean {
  const known = new Map<string, boolean>();
  return (host) => {
    const found = known.get(host);
    if (found !== undefined) return found;
    const judged = judge(host);
    if (known.size >= 100) known.clear();
    known.set(host, judged);
    return judged;
  };
}

/** Judges whether a `Host` is a regional one (BASE-4): entries are names, or beginnings that end in a dot. */
export const regionalJudge = (entries: readonly string[]): ((host: string) => boolean) =>
  remembering((host) => {
    const name = host.replace(/:\d+$/, '').toLowerCase();
    return entries.some((entry) =>
      entry.endsWith('.') ? name.startsWith(entry.toLowerCase()) : name === entry.toLowerCase(),
    );
  });

/** Judges whether a `Host` can be one in a URL. A request made in process has none: its URL was judged already. */
export function hostJudge(): (host: string | undefined) => boolean {
  const judge = remembering((host) => URL.canParse(`http://${host}`));
  return (host) => host === undefined || judge(host);
}

type Serve = (request: Request, bindings: Record<string, never>) => Response | Promise<Response>;

/**
 * Calls a server the way the global `fetch` is called. An aborted request ends its response, as a connection would: the
 * reader sees the abort, the server sees its client leave.
 */
export async function inProcess(
  serve: Serve,
  target: Target,
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const place = typeof input === 'string' ? new URL(input, target.base_url) : input;
  const request = place instanceof Request && init === undefined ? place : new Request(place, init);
  request.signal.throwIfAborted();
  const response = await serve(request, {});
  const { body } = response;
  if (!body || !response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
  const reader = body.getReader();
  const abortable = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        request.signal.addEventListener(
          'abort',
          () => {
            reader.cancel(request.signal.reason).catch(() => {});
            // Too late where the body already ended.
            try {
              controller.error(request.signal.reason);
            } catch {}
          },
          { once: true },
        );
      },
      async pull(controller) {
        const { done, value } = await reader.read();
        if (request.signal.aborted) return;
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(abortable, response);
}
