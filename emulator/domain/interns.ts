import type { Clock } from '../clock/clock.js';
import type { Random } from '../clock/random.js';
import type { Scope } from '../clock/scope.js';
import { Refusal } from '../contract/errors.js';
import type { Intern, Status, UpdateBody } from '../contract/intern.js';
import type { InternRow } from '../contract/state.js';
import type { LifecyclePlan } from '../scripts/behaviour.js';
import type { Store } from '../store/store.js';
import type { Accounts } from './accounts.js';
import type { Caller } from './caller.js';
import { type LifecycleEvent, TRANSITIONS, transition } from './lifecycle.js';

export interface InternsDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  readonly accounts: Accounts;
  /** The scope of the present state: background work ends with it. */
  scope(): Scope;
  /** The plan that an intern's script has for its boot, teardown, vault and daemon. */
  plan(row: InternRow): LifecyclePlan;
  dropVault(vaultId: string): void;
  /** Ends the open runs of an intern; their streams end with `run_ended`. */
  endRuns(internId: string, cause: 'suspended' | 'deleted'): void;
  /** Deletes the remaining runs and sessions of a deleted intern. */
  forgetRuns(internId: string): void;
  log(record: Record<string, unknown>): void;
  /** A boot or teardown waits for the clock, in ms. */
  waits?(row: InternRow, ms: number): void;
  changed?(internId: string): void;
}

/** A row changed beyond its record. */
export type RowChange = Partial<Omit<InternRow, 'id' | 'seq' | 'record'>>;

/**
 * The interns of an emulator: reads and changes them, without HTTP and without waiting. A caller that acknowledges a
 * change first waits for the store's commit.
 */
export interface Interns {
  get(id: string): InternRow | undefined;
  /** The intern if the caller sees it; otherwise the 404 that an unknown id gets (AUTH-3, AUTH-4). */
  visible(caller: Caller, id: string): InternRow;
  /** The interns a caller sees, newest first. */
  list(caller: Caller): InternRow[];
  /**
   * Writes a changed row. `updated_at` moves by at least a millisecond when the record changes (UPDATE-1), unless the
   * change sets it.
   */
  put(row: InternRow, record?: Partial<Intern>, change?: RowChange): InternRow;
  /** Moves an intern along the transition table, or throws 409 `intern_busy`. */
  move(row: InternRow, event: LifecycleEvent, record?: Partial<Intern>, change?: RowChange): InternRow;
  update(row: InternRow, body: UpdateBody): InternRow;
  nameTaken(creator: string, workspaceId: string, name: string, except?: string): boolean;
  /** Removes an intern, its vault and its key (DELETE-1). */
  remove(row: InternRow): void;
  /** Rebuilds the indexes after the rows of the store were replaced. */
  reindex(): void;
}

const nameKey = (creator: string, workspaceId: string, name: string) => `${creator}\n${workspaceId}\n${name}`;

export function createInterns(deps: InternsDeps): Interns {
  const { clock, store, accounts } = deps;
  const rows = store.collection('interns');
  const names = new Map<string, string>();

  const keyOf = (row: InternRow) => nameKey(row.creator, row.record.workspace_id, row.record.name);
  const sees = (caller: Caller, row: InternRow) =>
    caller.kind === 'own_key' ? caller.internId === row.id : caller.workspaceId === row.record.workspace_id;

  const touch = (previous: string): string => new Date(Math.max(clock.now(), Date.parse(previous) + 1)).toISOString();

  const interns: Interns = {
    get: (id) => rows.get(id),
    visible(caller, id) {
      const row = rows.get(id.toLowerCase());
      if (!row || !sees(caller, row)) throw new Refusal('not_found');
      return row;
    },
    list(caller) {
      const seen: InternRow[] = [];
      for (const row of rows.values()) if (sees(caller, row)) seen.push(row);
      return seen.sort((a, b) => b.seq - a.seq);
    },
    put(row, record, change) {
      const previous = rows.get(row.id);
      const changed = record ? { ...row.record, updated_at: touch(row.record.updated_at), ...record } : row.record;
      const next: InternRow = { ...row, ...change, record: changed };
      if (previous && keyOf(previous) !== keyOf(next)) names.delete(keyOf(previous));
      names.set(keyOf(next), next.id);
      if (!previous) accounts.addOwnKey(next);
      rows.put(next);
      deps.changed?.(next.id);
      return next;
    },
    move(row, event, record, change) {
      const to = transition(row.record.status, event, TRANSITIONS);
      if (to === undefined)
        throw new Refusal('intern_busy', { detail: `${event} is not allowed while ${row.record.status}` });
      const status: Status = to === 'same' || to === 'gone' ? row.record.status : to;
      return interns.put(row, { ...record, status }, change);
    },
    update(row, body) {
      if (transition(row.record.status, 'update', TRANSITIONS) === undefined)
        throw new Refusal('intern_busy', { detail: `update is not allowed while ${row.record.status}` });
      const { name } = body;
      if (name !== undefined && interns.nameTaken(row.creator, row.record.workspace_id, name, row.id))
        throw new Refusal('name_conflict');
      const changes = Object.entries(body).filter(
        ([field, value]) => value !== undefined && row.record[field as keyof UpdateBody] !== value,
      );
      return changes.length === 0 ? row : interns.put(row, Object.fromEntries(changes));
    },
    nameTaken(creator, workspaceId, name, except) {
      const holder = names.get(nameKey(creator, workspaceId, name));
      return holder !== undefined && holder !== except;
    },
    remove(row) {
      rows.delete(row.id);
      if (row.record.vault_id !== null) deps.dropVault(row.record.vault_id);
      names.delete(keyOf(row));
      accounts.removeOwnKey(row);
      for (const entry of [...store.collection('idempotency').values()])
        if (entry.intern_id === row.id && (entry.derived || entry.answer === null))
          store.collection('idempotency').delete(entry.id);
      deps.forgetRuns(row.id);
      deps.changed?.(row.id);
      // A deleted vault is attached to nobody any more.
      for (const other of [...rows.values()])
        if (other.record.attached_vault_id !== null && other.record.attached_vault_id === row.record.vault_id)
          interns.put(other, { attached_vault_id: null });
    },
    reindex() {
      names.clear();
      for (const row of rows.values()) {
        names.set(keyOf(row), row.id);
        accounts.addOwnKey(row);
      }
    },
  };
  return interns;
}
