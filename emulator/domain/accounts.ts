import type { Seed } from '../contract/seed.js';
import type { InternRow } from '../contract/state.js';
import { createCredentialIndex } from '../credentials/credential-index.js';
import { createRedaction, type Redaction } from '../credentials/redaction.js';
import type { Caller } from './caller.js';

/** The owners of credentials, and the redaction of credentials. */
export interface Accounts {
  /** The caller of a bearer token, or undefined. */
  resolve(token: string): Caller | undefined;
  /** Makes an intern's own key known, or forgets it (AUTH-4, DELETE-1). */
  addOwnKey(row: InternRow): void;
  removeOwnKey(row: InternRow): void;
  /** Forgets the own keys of all interns: their rows were replaced. */
  clearOwnKeys(): void;
  /** Redacts every credential in a text, and in the writes of a stream ({@link Redaction}). */
  readonly redact: Redaction['redact'];
  readonly redactWrites: Redaction['redactWrites'];
  /** Adds a credential to redact that is not looked up here: a token of a login. */
  readonly addLoginToken: Redaction['addLoginToken'];
  /** Adds the value of a secret to redact, which is nobody's credential here. */
  readonly addVaultSecret: Redaction['addVaultSecret'];
}

/** `digestKey` is any secret of this emulator: 32 random bytes. */
export function createAccounts(seed: Seed, digestKey: Uint8Array): Accounts {
  const entries = createCredentialIndex<Caller>(digestKey);
  const redaction = createRedaction();

  const add = (token: string, caller: Caller) => {
    entries.set(token, caller);
    redaction.add(token);
  };

  for (const member of seed.members) {
    const base = { id: member.id, workspaceId: member.workspace_id, programme: member.programme };
    const oauth = { ...base, kind: 'oauth', subject: member.oauth_subject } as const;
    add(member.api_key, { ...base, kind: 'api_key' });
    add(member.oauth_token, { ...oauth, grant: 'full' });
    add(member.oauth_interns_only_token, { ...oauth, grant: 'interns' });
  }
  const manager = { kind: 'management', workspaceId: '', programme: false } as const;
  add(seed.management_key, { ...manager, id: 'management', organizationId: seed.organization.id });
  for (const { id, management_key } of seed.other_organizations)
    add(management_key, { ...manager, id: `management:${id}`, organizationId: id });

  return {
    resolve: (token) => entries.get(token),
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
      entries.delete(row.api_key);
    },
    clearOwnKeys() {
      entries.deleteWhere((caller) => caller.kind === 'own_key');
    },
    redact: redaction.redact,
    redactWrites: redaction.redactWrites,
    addLoginToken: redaction.addLoginToken,
    addVaultSecret: redaction.addVaultSecret,
  };
}
