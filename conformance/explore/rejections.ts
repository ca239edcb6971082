import { AsyncLocalStorage } from 'node:async_hooks';

/** Notices errors that nobody handles, each with the run that it belongs to. */
export interface Rejections {
  /** Runs a program; `rejected` is called for what it leaves unhandled. */
  within<T>(rejected: (reason: unknown) => void, run: () => T): T;
  close(): void;
}

const EVENTS = ['unhandledRejection', 'uncaughtException'] as const;
type Listener = (error: unknown, more: never) => void;

/**
 * While it is open, rejections and exceptions of the programs it runs go to them alone. Those of anybody else go where they
 * went before.
 */
export function openRejections(): Rejections {
  const current = new AsyncLocalStorage<(reason: unknown) => void>();
  const restore = EVENTS.map((event) => {
    const others = process.listeners(event as 'uncaughtException') as Listener[];
    const listener = (error: unknown, more: never) => {
      const rejected = current.getStore();
      if (rejected) return rejected(error);
      if (others.length === 0) throw error;
      for (const other of others) other.call(process, error, more);
    };
    process.removeAllListeners(event);
    process.on(event, listener as never);
    return () => {
      process.off(event, listener as never);
      for (const other of others) process.on(event, other as never);
    };
  });
  return {
    within: (rejected, run) => current.run(rejected, run),
    close() {
      for (const back of restore) back();
    },
  };
}
