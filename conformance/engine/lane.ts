import type { ScopeWatch } from '../probe/client.js';
import type { Send } from '../probe/request.js';

/** What checks have to themselves that are done one after another while other lanes do theirs. */
export interface Lane {
  /** Ids that the current check made or was handed; emptied by the runner. */
  readonly made: Set<string>;
  /** How many requests its checks have sent. */
  readonly sent: number;
  /** Takes note of what a check of it sends. */
  readonly watch: Required<Omit<ScopeWatch, 'by'>>;
}

/** `madeBy` knows the intern that the answer to a request gave the run. */
export function createLane(madeBy: (send: Send) => string | undefined): Lane {
  const made = new Set<string>();
  let sent = 0;
  return {
    made,
    get sent() {
      return sent;
    },
    watch: {
      sent: () => void sent++,
      seen(send) {
        const id = madeBy(send);
        if (id !== undefined) made.add(id);
      },
    },
  };
}
