import { hash } from 'node:crypto';
import type { Seed } from '../contract/seed.js';
import type { InternRow } from '../contract/state.js';
import type { Caller } from './caller.js';
import { createRedaction, type Redaction } from './redaction.js';

/**
 * Who a credential belongs to. Credentials are known by their keyed digests only: looking one up takes a time that tells
 * of its digest, which nobody can choose, and nothing of how much of a guess was right (AUTH-9).
 */
export interface Accounts {
  /** The caller of a bearer token, or undefined. */
  resolve(token: string): Caller | undefined;
  /** Makes an intern's own key known, or forgets it (AUTH-4, DELETE-1). */
  addOwnKey(row: InternRow): void;
  removeOwnKey(row: InternRow): void;
  /** Forgets the own keys of all interns: their rows were replaced. */
  clearOwnKeys(): void;
  /** Takes every credential out of a text, and out of the writes of a stream ({@link Redaction}). */
  readonly redact: Redaction['redact'];
  readonly redactWrites: Redaction['redactWrites'];
  /** Has a credential redacted that isn't looked up here: a token of a login. */
  readonly addLoginToken: Redaction['addLoginToken'];
}

/** `digestKey` is any secret of this emulator: 32 random bytes. */
export function createAccounts(seed: Seed, digestKey: Buffer): Accounts {
  const entries = new Map<string, Caller>();
  const redaction = createRedaction();

  const salt = digestKey.toString('hex');
  const digest = (token: string) => hash('sha256', salt + token, 'hex');
  const add = (token: string, caller: Caller) => {
    entries.set(digest(token), caller);
    redaction.add(token);
  };

  for (const member of seed.members) {
    const base = { id: member.id, workspaceId: member.workspace_id, programme: member.programme };
    const oauth = { ...base, kind: 'oauth', subject: member.oauth_subject } as const;
    add(member.api_key, { ...base, kind: 'api_key' });
    add(member.oauth_token, { ...oauth, grant: 'full' });
    add(member.oauth_interns_only_token, { ...oauth, grant: 'interns' });
  }
  add(seed.management_key, { id: 'management', kind: 'management', workspaceId: '', programme: false });

  return {
    resolve: (token) => entries.get(digest(token)),
    addOwnKey(row) {
      add(row.api_key, {
        id: `intern:${row.id}`,
        kind: 'own_key',
        workspaceId: row.record.workspace_id,
        programme: true,
        internId: row.id,
      });
    },
    removeOwnKey(row) {
      entries.delete(digest(row.api_key));
    },
    clearOwnKeys() {
      for (const [key, caller] of entries) if (caller.kind === 'own_key') entries.delete(key);
    },
    redact: redaction.redact,
    redactWrites: redaction.redactWrites,
    addLoginToken: redaction.addLoginToken,
  };
}
