import type { Asked, Met } from '../framework/watch.js';
import type { Send } from '../probe/request.js';

/** What became of a write: nobody knows it of one that failed in the server, that was sent more than once, or beside another. */
export type Landed = 'done' | 'refused' | 'unknown';

/** Servers may find an intern by its id in any case. */
export const keyOf = (id: string): string => id.toLowerCase();

/** Keeps track of the writes of a run to each intern, so that a monitor knows which answers show what they came to. */
export function createWrites(isWrite: (asked: Asked) => boolean) {
  /** Moments count what was sent and answered. */
  let moment = 0;
  const left = new WeakMap<Send, number>();
  /** `moved`: when a write last left or was answered. `mixed`: there were several at once. */
  const all = new Map<string, { flying: number; mixed: boolean; moved: number }>();
  return {
    /** A request leaves. */
    asks(asked: Asked) {
      left.set(asked.send, ++moment);
      if (asked.id === undefined || !isWrite(asked)) return;
      const { flying = 0, mixed = false } = all.get(keyOf(asked.id)) ?? {};
      all.set(keyOf(asked.id), { flying: flying + 1, mixed: mixed || flying > 0, moved: moment });
    },
    /** What became of a write that was answered. */
    lands({ id = '', answer: { status } }: Met): Landed {
      const { flying = 0, mixed = true } = all.get(keyOf(id)) ?? {};
      const still = Math.max(0, flying - 1);
      all.set(keyOf(id), { flying: still, mixed: mixed && still > 0, moved: ++moment });
      if (mixed || flying !== 1 || status >= 500 || status === 408) return 'unknown';
      return status < 300 ? 'done' : status < 400 ? 'unknown' : 'refused';
    },
    /** Whether an answer shows an intern as every write has left it. */
    isFresh(met: Met, id: string): boolean {
      const { flying, moved } = all.get(keyOf(id)) ?? { flying: 0, moved: 0 };
      return flying === 0 && moved <= (left.get(met.send) ?? Number.POSITIVE_INFINITY);
    },
    /** Whether nothing was written to it. */
    isNew: (id: string): boolean => !all.has(keyOf(id)),
    forget: () => all.clear(),
  };
}
