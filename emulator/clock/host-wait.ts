/** Milliseconds since the epoch by the host, with fractions. */
export const hostNow = (): number => performance.timeOrigin + performance.now();

/** Resolves after `ms` of the host's time, or at once when the signal aborts; true when the time is up. */
export const hostSleep = (ms: number, signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve(false);
    const stop = () => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve(true);
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
