import type { InternRow } from '../contract/state.js';
import { createCredentialIndex } from '../credentials/credential-index.js';

/** The interns of an emulator, as a store's collection holds them. */
export interface InternRows {
  readonly size: number;
  get(id: string): InternRow | undefined;
  values(): Iterable<InternRow>;
}

/** Finds the running intern that a daemon token belongs to. */
export type FindIntern = (token: string) => InternRow | undefined;

/**
 * Indexes the daemon tokens of interns. Tokens come and go with boots, and no event reports that here. A token that is
 * not found rebuilds the index.
 */
export function createTokens(interns: InternRows, key: Uint8Array): FindIntern {
  let index = createCredentialIndex<string>(key);
  const find = (token: string): InternRow | undefined => {
    const id = index.get(token);
    const row = id === undefined ? undefined : interns.get(id);
    return row?.record.status === 'running' && row.daemon_token === token ? row : undefined;
  };
  return (token) => {
    const found = find(token);
    if (found) return found;
    index = createCredentialIndex(key);
    for (const row of interns.values())
      if (row.record.status === 'running' && row.daemon_token !== null) index.set(row.daemon_token, row.id);
    return find(token);
  };
}
