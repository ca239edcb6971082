import type { Rows } from './requirement.js';

/** Secrets of workspaces and interns. The interface speaks of a private vault; what it answers is published. */
export const VAULT = {
  'VAULT-1': {
    level: 'P',
    sentence:
      "The workspace routes act on the vault of the key's workspace, the intern routes on that of one visible intern inside it, without fallback from one to the other. An API key is needed; outside the programme every path is 404, reads too; an intern that is not visible is 404; a regional hostname is refused.",
    chosen:
      "An intern's own key sees its own intern's vault alone; an OAuth token acts as its member's key; the intern's status does not matter, but a destroying one is 404.",
    where: 'Contract 1, Vault',
  },
  'VAULT-2': {
    level: 'P',
    sentence:
      'A secret is shown as {name, hosts, fingerprint, created_at}, and its value in no answer. hosts and fingerprint are null only in rows older than host binding.',
    chosen:
      'The value is in no log, journal, event, export or page of the emulator either; hosts and fingerprint are null together.',
    where: 'Contract 1, Vault',
  },
  'VAULT-3': {
    level: 'P',
    sentence:
      'PUT {value, hosts} creates or replaces and answers {data: secret}. value has 1 to 65536 characters, hosts 1 to 100 exact DNS names, in lower case, without a trailing dot, duplicates collapsed; a scheme, port, path, wildcard or empty entry is 400; so is a name that is not of lower-case letters, digits and single underscores, begins with no letter, ends in an underscore or is longer than 255.',
    chosen:
      '200 both times; created_at of the first stays; characters are UTF-16 units, half of a surrogate pair is 400; hosts are counted as sent and kept in order; an address is no name; unknown fields are 400; a vault holds 1000 secrets, one more is 409 vault_full; the content type does not matter.',
    where: 'Contract 1, Vault',
  },
  'VAULT-4': {
    level: 'P',
    sentence:
      'fingerprint is an HMAC-SHA-256 of the value under the own key of the vault: equal in one vault exactly where values are, kept when the same value is stored again, different in two vaults.',
    chosen: '64 lower-case hex digits; a vault keeps its key over suspension and restart.',
    where: 'Contract 1, Vault',
  },
  'VAULT-5': {
    level: 'P',
    sentence:
      'Lists answer {data: [secret], has_more} by name; limit 1 to 100 (default 100), offset 0 to 10000 (default 0).',
    chosen: 'By bytes; junk in either parameter is 400.',
    where: 'Contract 1, Vault',
  },
  'VAULT-6': {
    level: 'P',
    sentence: 'DELETE answers 204 without a body, and 404 where there is no such secret in that scope.',
    chosen: 'The reason is not_found, the message `Secret not found`; a malformed name is 400.',
    where: 'Contract 1, Vault',
  },
  'VAULT-7': {
    level: 'P',
    sentence:
      'POST /vault/interns/{id}/secrets/copy {names} (1 to 100, unique) copies secrets of the workspace with value and hosts over those of the same name, one answer each. A name that is not there is 404, one whose hosts are null 409, and nothing is copied.',
    chosen:
      "In the order asked; a copy is a copy; missing is judged before unbound; one that would overfill the vault is 409 and copies nothing; an intern's own key is 404.",
    where: 'Contract 1, Vault',
  },
  'VAULT-8': {
    level: 'P',
    sentence: 'Writes are 503 while vault writes are disabled for the caller; reads go on.',
    chosen:
      'Reason vault_writes_disabled, retryable, with Retry-After; the setting vault_writes of the control interface; faults of vault-list, vault-store, vault-delete and vault-copy hit both scopes.',
    where: 'Contract 1, Vault',
  },
  'VAULT-9': {
    level: 'C',
    sentence:
      "A script learns whether the intern's vault, or the one it borrows, would release a secret to a host: released, refused: host or refused: missing, exactly by host. Values are sealed in the store, its log, exports and snapshots.",
    where: 'Contract 1, Vault',
  },
} as const satisfies Rows;
