import type { RunLine } from '../../conformance/clients/protocol.js';
import { Aborted, type Means, Silent } from './call.js';
import type { Incoming } from './transport.js';

/** ms that a stream may be silent: twice what a service may leave between two writes (interface.md, Events 5). */
const SILENCE = 60_000;

/** A body that ends where a promise fails, whatever its transport does. */
async function* until(body: AsyncIterable<Uint8Array>, failed: Promise<never>): AsyncIterable<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([chunks.next(), failed]);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    void chunks.return?.();
  }
}

/**
 * The body of an answer, watched: silence of more than the caller bears ends it, and so does an abort (LAB-15, LAB-16).
 * Every byte is life.
 */
export function watchBody(
  line: RunLine,
  incoming: Incoming & { readonly signal: AbortController },
  caller: AbortSignal,
  { has, host }: Means,
  reported: () => number,
) {
  const limit = has('idleNever') || has('idleAtHead') ? undefined : line.idle_limit;
  const silence = has('impatient') ? 1_000 : (limit ?? SILENCE);
  let fail: (error: Error) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => {});
  if (has('abortKeepsOpen')) caller.addEventListener('abort', () => fail(new Aborted()), { once: true });
  let stop = () => {};
  let started = false;
  let before = 0;
  const alive = () => {
    if (started && (has('idleOnce') || (has('idleByEvents') && reported() === before))) return;
    started = true;
    before = reported();
    stop();
    stop = host.later(silence, () => {
      const silent = new Silent('the stream fell silent');
      if (has('idleKeepsOpen')) fail(silent);
      else incoming.signal.abort(silent);
    });
  };
  alive();
  const races = has('idleKeepsOpen') || has('abortKeepsOpen');
  return { alive, stop: () => stop(), body: races ? until(incoming.body, failed) : incoming.body };
}
