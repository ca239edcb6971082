/** The host's own time, for the few things that follow it whatever clock an emulator has: sockets that have to drain. */
export const hostDelay = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
