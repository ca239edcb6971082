import { AsyncLocalStorage } from 'node:async_hooks';

/** Notices errors that nobody handles, each with the run that it belongs to. */
export interface Rejections {
  /** Runs a program; `rejected` is called for what it leaves unhandled. */
  within<T>(rejected: (reason: unknown) => void, run: () => T): T;
  close(): void;
}

const EVENTS = ['unhandledRejection', 'uncaughtException'] as const;
type Listener = (error: unknown, more: never) => void;

const current = new AsyncLocalStorage<(reason: unknown) => void>();
let open = 0;
let restore: readonly (() => void)[] = [];

function listen(event: (typeof EVENTS)[number]): () => void {
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
}

/**
 * While it is open, rejections and exceptions of the programs it runs go to them alone. Rejections of anybody else go where they
 * went before. However many are open, they share their listeners.
 */
export function openRejections(): Rejections {
  if (open++ === 0) restore = EVENTS.map(listen);
  let closed = false;
  return {
    within: (rejected, run) => current.run(rejected, run),
    close() {
      if (closed) return;
      closed = true;
      if (--open === 0) for (const back of restore) back();
    },
  };
}
