import { AsyncLocalStorage } from 'node:async_hooks';

/** Notices rejections that nobody handles, each with the run that it belongs to. */
export interface Rejections {
  /** Runs a program; `rejected` is called for what it leaves unhandled. */
  within<T>(rejected: (reason: unknown) => void, run: () => T): T;
  close(): void;
}

/**
 * While it is open, rejections of the programs it runs go to them alone. Those of anybody else go where they went before.
 */
export function openRejections(): Rejections {
  const current = new AsyncLocalStorage<(reason: unknown) => void>();
  const others = process.listeners('unhandledRejection');
  const listener = (reason: unknown, promise: Promise<unknown>) => {
    const rejected = current.getStore();
    if (rejected) return rejected(reason);
    if (others.length === 0) throw reason;
    for (const other of others) other.call(process, reason, promise);
  };
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', listener);
  return {
    within: (rejected, run) => current.run(rejected, run),
    close() {
      process.off('unhandledRejection', listener);
      for (const other of others) process.on('unhandledRejection', other);
    },
  };
}
