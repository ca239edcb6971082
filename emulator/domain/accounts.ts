import { hash } from 'node:crypto';
import type { Seed } from '../contract/seed.js';
import type { InternRow } from '../contract/state.js';
import type { Caller } from './caller.js';

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
  /** Takes every secret that was ever known out of a text. */
  redact(text: string): string;
  /** Has a secret redacted that isn't looked up here: a token of a login. */
  addSecret(secret: string): void;
}

const literally = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The shape of every credential an emulator makes (`Random.token` with one of these prefixes): known without a list. */
export const OWN_KEY_PREFIX = 'emu-ikey-';
export const DAEMON_TOKEN_PREFIX = 'emu-dtok-';
const GENERATED = /emu-(?:ikey|dtok)-[A-Za-z0-9_-]{32}/g;

export const REDACTED = '[redacted]';

/** `digestKey` is any secret of this emulator: 32 random bytes. */
export function createAccounts(seed: Seed, digestKey: Buffer): Accounts {
  const entries = new Map<string, Caller>();
  const secrets = new Set<string>();
  let pattern: RegExp | undefined;

  const salt = digestKey.toString('hex');
  const digest = (token: string) => hash('sha256', salt + token, 'hex');
  const addSecret = (secret: string) => {
    if (secrets.has(secret) || secret.replace(GENERATED, '') === '') return;
    secrets.add(secret);
    pattern = undefined;
  };
  const add = (token: string, caller: Caller) => {
    entries.set(digest(token), caller);
    addSecret(token);
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
    addSecret,
    redact(text) {
      // The longest first: of two that begin alike, the whole one has to go.
      pattern ??= new RegExp(
        [...secrets]
          .sort((a, b) => b.length - a.length)
          .map(literally)
          .join('|'),
        'g',
      );
      return text.replace(pattern, REDACTED).replace(GENERATED, REDACTED);
    },
  };
}
