import type { ScopeWatch } from '../probe/client.js';

/** What checks have to themselves that are done one after another while other lanes do theirs. */
export interface Lane {
  /** Ids that the current check made or was handed; emptied by the runner. */
  readonly made: Set<string>;
  /** How many requests its checks have sent. */
  readonly sent: number;
  /** Takes note of what a check of it sends. */
  readonly watch: Required<ScopeWatch>;
}

/** `collection` is the address that a create is sent to. */
export function createLane(collection: string): Lane {
  const made = new Set<string>();
  let sent = 0;
  return {
    made,
    get sent() {
      return sent;
    },
    watch: {
      sent: () => void sent++,
      seen({ method }, url, { status, json }) {
        const { id } = (json ?? {}) as { id?: unknown };
        const creates = method === 'POST' && url.split('?')[0] === collection;
        if (creates && status < 300 && typeof id === 'string') made.add(id);
      },
    },
  };
}
