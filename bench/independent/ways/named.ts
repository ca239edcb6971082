import type { Answer, Way, World } from '../world.js';

export const named = (name: string, quote: string, wrong: (world: World) => Answer): Way => ({ name, quote, wrong });
export const ofDaemons = (name: string, quote: string, daemons: (world: World) => Answer): Way => ({
  name,
  quote,
  daemons,
});

/** No caller can bring it about, as it turned out: it keeps its number. */
export const unseen = (why: string, way: Way): Way => ({ ...way, unseen: why });

/** Counts a key's uses. */
export function counter() {
  const seen = new Map<string, number>();
  return (key: string): number => {
    const next = (seen.get(key) ?? 0) + 1;
    seen.set(key, next);
    return next;
  };
}
