import type { Adapter } from './adapter.js';

/** Processes of one adapter, each for one case at a time: so many at most. None is started before it is needed. */
export function createPool(start: () => Promise<Adapter>, most: number) {
  const all: Adapter[] = [];
  const free: Adapter[] = [];
  const waiting: ((adapter: Adapter) => void)[] = [];
  let starting = 0;
  return {
    /** One that is free; it is started if there are fewer than allowed. */
    async take(): Promise<Adapter> {
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
    give(adapter: Adapter) {
      const next = waiting.shift();
      if (next === undefined) free.push(adapter);
      else next(adapter);
    },
    async close() {
      await Promise.all(all.map((adapter) => adapter.close()));
    },
  };
}
export type Pool = ReturnType<typeof createPool>;
