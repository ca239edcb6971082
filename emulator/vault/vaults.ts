import type { Clock } from '../clock/clock.js';
import { Refusal } from '../contract/errors.js';
import type { Settings } from '../contract/settings.js';
import {
  MAX_SECRETS,
  normalizeHost,
  type ReleaseVerdict,
  type SecretRow,
  type StoreSecretBody,
  secretId,
} from '../contract/vault.js';
import type { Store } from '../store/store.js';
import type { Sealing } from './sealing.js';

/** The owner of secrets: the vault of a workspace (its id), or of an intern (its `vault_id`). */
export type VaultId = string;

export interface VaultsDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly store: Pick<Store, 'collection'>;
  readonly sealing: Sealing;
  readonly settings: () => Pick<Settings, 'vault_writes'>;
  /** Called with the values that the store holds, so that none is shown. */
  readonly known: (value: string) => void;
}

const byName = (a: SecretRow, b: SecretRow) => (a.name < b.name ? -1 : 1);

export function createVaults({ clock, store, sealing, settings, known }: VaultsDeps) {
  const rows = store.collection('secrets');
  const names = new Map<VaultId, Set<string>>();

  const index = ({ vault, name }: SecretRow) => {
    const held = names.get(vault);
    if (held) held.add(name);
    else names.set(vault, new Set([name]));
  };
  const writable = () => {
    if (settings().vault_writes === 'off')
      throw new Refusal('vault_writes_disabled', {
        detail: 'vault writes are off: PUT /_emulator/settings {"vault_writes": "on"} turns them on',
        headers: { 'retry-after': '1' },
      });
  };
  /** Refuses more new names than a vault has capacity for. */
  const roomFor = (vault: VaultId, wanted: readonly string[]) => {
    const held = names.get(vault);
    const more = wanted.filter((name) => !held?.has(name)).length;
    if (more > 0 && (held?.size ?? 0) + more > MAX_SECRETS)
      throw new Refusal('vault_full', { detail: `a vault holds at most ${MAX_SECRETS} secrets` });
  };
  const make = (
    vault: VaultId,
    name: string,
    secret: { value?: string | undefined; hosts: readonly string[] | null },
  ): SecretRow => {
    const id = secretId(vault, name);
    const { value, hosts } = secret;
    return {
      id,
      vault,
      name,
      hosts: hosts && [...hosts],
      fingerprint: value === undefined ? null : sealing.fingerprint(vault, value),
      created_at: rows.get(id)?.created_at ?? new Date(clock.now()).toISOString(),
      sealed: value === undefined ? null : sealing.seal(id, value),
    };
  };
  const write = (vault: VaultId, name: string, secret: StoreSecretBody) => {
    const row = make(vault, name, secret);
    rows.put(row);
    index(row);
    return row;
  };
  const remove = (vault: VaultId, name: string) => {
    rows.delete(secretId(vault, name));
    const held = names.get(vault);
    held?.delete(name);
    if (held?.size === 0) names.delete(vault);
  };
  const find = (vault: VaultId, name: string) => rows.get(secretId(vault, name));
  const get = (vault: VaultId, name: string, ...path: readonly (string | number)[]): SecretRow => {
    const row = find(vault, name);
    if (row) return row;
    const message = `there is no secret ${name} in this vault`;
    throw new Refusal('secret_not_found', { wrong: message, fields: path.length ? [{ path, message }] : [] });
  };

  return {
    /** By name. */
    list: (vault: VaultId): SecretRow[] =>
      [...(names.get(vault) ?? [])].flatMap((name) => find(vault, name) ?? []).sort(byName),
    /** Throws the 404 of a secret that the vault does not hold; `path` says where a body named it. */
    get,
    /** Creates or replaces. Throws 503 `vault_writes_disabled`, 409 `vault_full`. */
    put(vault: VaultId, name: string, secret: StoreSecretBody): SecretRow {
      writable();
      roomFor(vault, [name]);
      return write(vault, name, secret);
    },
    /** Throws 503 `vault_writes_disabled`. */
    delete(vault: VaultId, name: string): void {
      writable();
      remove(vault, name);
    },
    /** All of the names or none. Throws 503 `vault_writes_disabled`, 409 `secret_unbound` and `vault_full`. */
    copy(from: VaultId, to: VaultId, wanted: readonly string[]): SecretRow[] {
      const sources = wanted.map((name) => get(from, name));
      writable();
      // Everything is validated before anything is written.
      const opened = sources.map(({ id, name, hosts, sealed }) => {
        if (hosts === null || sealed === null)
          throw new Refusal('secret_unbound', { detail: `${name} has no hosts: store it again with hosts` });
        const value = sealing.open(id, sealed);
        if (value === undefined) throw new Error(`the secret ${name} does not open`);
        return { name, value, hosts };
      });
      roomFor(to, wanted);
      return opened.map(({ name, value, hosts }) => write(to, name, { value, hosts }));
    },
    /** Whether the first of the vaults that holds the secret would release it to a host, exactly. */
    release(vaults: readonly VaultId[], name: string, to: string): ReleaseVerdict {
      const row = vaults.map((vault) => find(vault, name)).find((found) => found !== undefined);
      if (!row) return 'refused: missing';
      const host = normalizeHost(to);
      return host !== undefined && row.hosts?.includes(host) ? 'released' : 'refused: host';
    },
    /** The row of a secret, with hosts or without: for the secrets of a seed. */
    row: make,
    /** The place of the first of the rows that the key does not open; undefined if it opens all. */
    unsealable(some: readonly SecretRow[]): number | undefined {
      const found = some.findIndex(({ id, sealed }) => sealed !== null && sealing.open(id, sealed) === undefined);
      return found < 0 ? undefined : found;
    },
    /** Deletes a vault with all it holds (DELETE-1). */
    drop(vault: VaultId): void {
      for (const name of [...(names.get(vault) ?? [])]) remove(vault, name);
    },
    /** Rebuilds the index after the rows of the store were replaced. */
    reindex(): void {
      names.clear();
      for (const row of rows.values()) {
        index(row);
        const value = row.sealed === null ? undefined : sealing.open(row.id, row.sealed);
        if (value !== undefined) known(value);
      }
    },
  };
}

/**
 * The secrets of an emulator, without HTTP and without waiting (VAULT-1 to VAULT-9). Values go in, and never come out.
 * A caller that acknowledges a change first waits for the store's commit.
 */
export type Vaults = ReturnType<typeof createVaults>;
