import type { Adapter } from './adapter.js';

/** Processes of one adapter, each for one case at a time. */
export interface Pool {
  /** One that is free; it is started if there are fewer than allowed. */
  take(): Promise<Adapter>;
  give(adapter: Adapter): void;
  close(): Promise<void>;
}

/** A pool of so many at most. None is started before it is needed. */
export function createPool(start: () => Promise<Adapter>, most: number): Pool {
  const all: Adapter[] = [];
  const free: Adapter[] = [];
  const waiting: ((adapter: Adapter) => void)[] = [];
  let starting = 0;
  return {
    async take() {
      const one = free.pop();
      if (one !== undefined) return one;
      if (all.length + starting >= most) return new Promise((resolve) => waiting.push(resolve));
      starting++;
      try {
        const fresh = await start();
        all.push(fresh);
        return fresh;
      } finally {
        starting--;
      }
    },
    give(adapter) {
      const next = waiting.shift();
      if (next === undefined) free.push(adapter);
      else next(adapter);
    },
    async close() {
      await Promise.all(all.map((adapter) => adapter.close()));
    },
  };
}
