import type { Host } from './time.js';

/** Longest body that the kit reads, in bytes. */
export const MAX_BODY = 32 * 1024 * 1024;

/** The limit of one wait. */
export interface Limit {
  readonly host: Host;
  /** ms of real time. */
  readonly ms: number;
  /** Ends the wait with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** The error that is thrown when the time is up. */
  late(): Error;
}

/**
 * Settles as `work` does, or rejects when the time is up or the signal aborts, even if `work` ignores it. The timer and
 * the controller are held here: `AbortSignal.timeout` passed to `new Request` is lost to garbage collection on Node 20.
 */
export async function within<T>(limit: Limit, work: (abort: AbortController) => Promise<T> | T): Promise<T> {
  // Passed on as it is: its signal is made on demand, and not everything can be aborted.
  const abort = new AbortController();
  let cancel = () => {};
  let unlisten = () => {};
  const cut = new Promise<never>((_, reject) => {
    const end = (error: unknown) => {
      reject(error);
      abort.abort(error);
    };
    if (limit.signal?.aborted) return end(limit.signal.reason);
    cancel = limit.host.later(limit.ms, () => end(limit.late()));
    const aborted = () => end(limit.signal?.reason);
    limit.signal?.addEventListener('abort', aborted, { once: true });
    unlisten = () => limit.signal?.removeEventListener('abort', aborted);
  });
  try {
    return await Promise.race([work(abort), cut]);
  } finally {
    cancel();
    unlisten();
  }
}
