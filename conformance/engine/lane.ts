import type { Answer, ScopeWatch } from '../probe/client.js';
import type { Send } from '../probe/request.js';

/**
 * The things of one lane, whose checks run one after another beside other lanes. `madeIn` knows the intern that
 * the answer to a request of that number gave the run.
 */
export function createLane(madeIn: (number: number) => string | undefined) {
  const made = new Set<string>();
  let sent = 0;
  return {
    /** Ids that the current check made or was handed; emptied by the runner. */
    made,
    /** How many requests its checks have sent. */
    get sent() {
      return sent;
    },
    /** Takes note of what a check of it sends. */
    watch: {
      sent: () => void sent++,
      seen(_: Send, __: string, { exchange }: Answer) {
        const id = madeIn(exchange);
        if (id !== undefined) made.add(id);
      },
    } satisfies ScopeWatch,
  };
}
export type Lane = ReturnType<typeof createLane>;
