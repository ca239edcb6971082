import type { Seed } from '../contract/seed.js';
import type { InternRow } from '../contract/state.js';
import { createCredentialIndex } from '../credentials/credential-index.js';
import { createRedaction, type Redaction } from '../credentials/redaction.js';
import type { Caller } from './caller.js';

/** `digestKey` is any secret of this emulator: 32 random bytes. */
export function createAccounts(seed: Seed, digestKey: Uint8Array) {
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
    /** The caller of a bearer token, or undefined. */
    resolve: (token: string): Caller | undefined => entries.get(token),
    /** Makes an intern's own key known (AUTH-4). */
    addOwnKey(row: InternRow): void {
      add(row.api_key, {
        id: `intern:${row.id}`,
        kind: 'own_key',
        workspaceId: row.record.workspace_id,
        programme: true,
        internId: row.id,
      });
    },
    /** Forgets an intern's own key (DELETE-1). */
    removeOwnKey(row: InternRow): void {
      entries.delete(row.api_key);
    },
    /** Forgets the own keys of all interns: their rows were replaced. */
    clearOwnKeys(): void {
      entries.deleteWhere((caller) => caller.kind === 'own_key');
    },
    /** Redacts every credential in a text, and in the writes of a stream ({@link Redaction}). */
    redact: redaction.redact,
    redactWrites: redaction.redactWrites,
    /** Adds a credential to redact that is not looked up here: a token of a login. */
    addLoginToken: redaction.addLoginToken,
    /** Adds the value of a stored secret to redact. No caller uses it as a credential here. */
    addVaultSecret: redaction.addVaultSecret,
  };
}

/** The owners of credentials, and the redaction of credentials. */
export type Accounts = ReturnType<typeof createAccounts>;
