import { hash } from 'node:crypto';
import { Refusal } from '../contract/errors.js';
import type { CreateBody, Intern } from '../contract/intern.js';
import { blankIntern } from '../contract/intern-row.js';
import type { IdempotencyRow, InternRow } from '../contract/state.js';
import { OWN_KEY_PREFIX } from '../credentials/redaction.js';
import type { Caller } from './caller.js';
import type { Interns, InternsDeps } from './interns.js';
import type { Provisioning } from './provisioning.js';

export interface CreateRequest {
  readonly caller: Caller;
  readonly body: CreateBody;
  /** The `Idempotency-Key` header; without it the key is derived from the body. */
  readonly key: string | undefined;
  /** Whether an injected fault makes this call fail at a step; asked once the step is reached. */
  readonly failsAt?: (step: 'vault' | 'provisioner') => boolean;
}

export interface CreateResult {
  /** False when a finished create was replayed. */
  readonly created: boolean;
  readonly intern: Intern;
}

/** JSON with its keys sorted: equal texts for equal JSON values. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

/** The id under which a create is kept for its retries, and the digest of its body (CREATE-4). */
function idempotencyOf({ caller, body, key }: CreateRequest): { id: string; digest: string } {
  const digest = hash('sha256', canonicalJson(body), 'hex');
  return { id: `${caller.id}\n${key === undefined ? `body:${digest}` : `key:${key}`}`, digest };
}

/** Whether a create only repeats the answer of a finished one. */
export function isReplay(entries: { get(id: string): IdempotencyRow | undefined }, request: CreateRequest): boolean {
  const { id, digest } = idempotencyOf(request);
  const known = entries.get(id);
  return known?.body_hash === digest && known.answer !== null;
}

/**
 * Creates interns so that a retry resumes (CREATE-1 to CREATE-4). A create is a record, then a vault, then, if
 * requested, the provisioner. The intern's row lists the steps that a failure left undone, and the retry with the same
 * key and body resumes them. Nothing waits in between, so that racing retries see each other's work.
 *
 * @returns a function that throws 409 (`idempotency_key_reused`, `name_conflict`, `vault_unavailable`, and
 * `intern_busy`
 *   if the intern of an unfinished create is being torn down) and 502
 *   (`upstream_unavailable`)
 */
export function createCreate(interns: Interns, provisioning: Provisioning, deps: InternsDeps) {
  const { clock, random, store } = deps;
  const entries = store.collection('idempotency');
  const meta = store.collection('meta');

  const nextSeq = (): number => {
    const last = meta.get('seq')?.value;
    const seq = typeof last === 'number' ? last + 1 : 1;
    meta.put({ id: 'seq', value: seq });
    return seq;
  };

  const attachable = (workspaceId: string, vaultId: string): boolean => {
    for (const row of store.collection('interns').values())
      if (row.record.vault_id === vaultId && row.record.workspace_id === workspaceId)
        return row.record.status !== 'destroying';
    return false;
  };

  const begin = ({ caller, body }: CreateRequest): InternRow => {
    if (interns.nameTaken(caller.id, caller.workspaceId, body.name)) throw new Refusal('name_conflict');
    if (body.vault_id !== undefined && !attachable(caller.workspaceId, body.vault_id))
      throw new Refusal('vault_unavailable');
    const id = random.uuid();
    const blank = blankIntern(id, new Date(clock.now()).toISOString());
    return interns.put({
      ...blank,
      seq: nextSeq(),
      record: {
        ...blank.record,
        name: body.name,
        description: body.description ?? null,
        instructions: body.instructions ?? null,
        workspace_id: caller.workspaceId,
        attached_vault_id: body.vault_id ?? null,
      },
      creator: caller.id,
      api_key: random.token(OWN_KEY_PREFIX),
      unfinished: body.provision ? ['vault', 'provisioner'] : ['vault'],
    });
  };

  /** Fails a step if a fault or the script says so. The intern keeps the steps that were done. */
  const attempt = (row: InternRow, step: 'vault' | 'provisioner', failsAt: CreateRequest['failsAt']): InternRow => {
    const byScript = deps.plan(row)[step] === 'fails_once' && !row.failed_once.includes(step);
    const noted = byScript ? interns.put(row, undefined, { failed_once: [...row.failed_once, step] }) : row;
    if (byScript || failsAt?.(step))
      throw new Refusal('upstream_unavailable', { detail: `the ${step} failed; a retry completes intern ${row.id}` });
    return noted;
  };

  /**
   * Does the remaining steps, and returns the record as the answer shows it. Nobody has seen a `fresh` intern yet, so
   * changing it here is not an update.
   */
  const finish = (start: InternRow, failsAt: CreateRequest['failsAt'], fresh: boolean): Intern => {
    let row = start;
    let shown = row.record;
    const unchanged = fresh ? { updated_at: row.record.created_at } : {};
    for (let step = row.unfinished[0]; step; step = row.unfinished[0]) {
      row = attempt(row, step, failsAt);
      const rest = row.unfinished.slice(1);
      if (step === 'vault') {
        row = interns.put(row, { vault_id: random.uuid(), ...unchanged }, { unfinished: rest });
        shown = row.record;
      } else {
        row = interns.put(row, undefined, { unfinished: rest });
        // It may have been provisioned by hand since.
        const { record } = row.record.status === 'stopped' ? provisioning.provision(row) : row;
        shown = { ...record, ...unchanged };
      }
    }
    return shown;
  };

  return (request: CreateRequest): CreateResult => {
    const { id, digest } = idempotencyOf(request);
    const known = entries.get(id);
    if (known && known.body_hash !== digest) throw new Refusal('idempotency_key_reused');
    if (known?.answer) return { created: false, intern: known.answer };
    const unfinished = known && interns.get(known.intern_id);
    // A retry must not finish an intern that is being torn down. It makes a new one once that is gone.
    if (unfinished?.record.status === 'destroying')
      throw new Refusal('intern_busy', { detail: `intern ${unfinished.id} of this create is being deleted` });
    const row = unfinished ?? begin(request);
    const entry: IdempotencyRow = {
      id,
      intern_id: row.id,
      body_hash: digest,
      derived: request.key === undefined,
      answer: null,
    };
    if (!unfinished) entries.put(entry);
    const intern = finish(row, request.failsAt, !unfinished);
    entries.put({ ...entry, answer: intern });
    return { created: true, intern };
  };
}
