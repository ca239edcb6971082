import type { Clock } from './clock/clock.js';
import type { Random } from './clock/random.js';
import type { Seed } from './contract/seed.js';
import { COLLECTIONS, type InternRow, STATE_VERSION, type State } from './contract/state.js';
import { DAEMON_TOKEN_PREFIX, OWN_KEY_PREFIX } from './domain/redaction.js';

/** What stands in place of a credential in an export made without them. */
export const HIDDEN = '[redacted]';

/** The rows of a seed's interns, oldest first. */
export function seedRows(seed: Seed, clock: Clock, random: Random): InternRow[] {
  const at = new Date(clock.now()).toISOString();
  return seed.interns.map((intern, index) => {
    const running = intern.status === 'running';
    const workspace = seed.members.find((member) => member.id === intern.creator)?.workspace_id ?? '';
    const { model, instructions } = intern;
    return {
      id: intern.id,
      seq: index + 1,
      record: {
        id: intern.id,
        name: intern.name,
        description: intern.description,
        instructions,
        model,
        status: intern.status,
        last_failure_message: null,
        progress: null,
        hostname: running ? `${intern.name}-${intern.id.slice(0, 8)}.interns.localhost` : null,
        workspace_id: workspace,
        vault_id: intern.vault_id,
        attached_vault_id: null,
        created_at: at,
        updated_at: at,
      },
      creator: intern.creator,
      api_key: intern.api_key,
      script: null,
      booted: running ? { model, instructions } : null,
      disk_id: running ? random.uuid() : null,
      daemon_token: running ? random.token(DAEMON_TOKEN_PREFIX) : null,
      loss_acknowledged: false,
      unfinished: [],
      failed_once: [],
    };
  });
}

/** A whole state with a seed's interns and the given single values. */
export function seededState(seed: Seed, clock: Clock, random: Random, meta: State['meta']): State {
  const empty = Object.fromEntries(Object.keys(COLLECTIONS).map((name) => [name, []])) as unknown as State;
  const interns = seedRows(seed, clock, random);
  return {
    ...empty,
    format: 'intern-emulator',
    version: STATE_VERSION,
    interns,
    meta: [...meta.filter((row) => row.id !== 'seq'), { id: 'seq', value: interns.length }],
  };
}

/** An export without what gives access: own keys, daemon tokens, the signing key (AUTH-9). */
export const hideCredentials = (state: State): State => ({
  ...state,
  meta: state.meta.filter((row) => row.id !== 'signing_key'),
  interns: state.interns.map((row) => ({
    ...row,
    api_key: HIDDEN,
    daemon_token: row.daemon_token === null ? null : HIDDEN,
  })),
});

/**
 * Makes an imported state usable: hidden credentials become those the same intern has now, or new ones; the single
 * values that belong to this emulator stay.
 */
export function completeImport(imported: State, present: State, random: Random): State {
  const known = new Map(present.interns.map((row) => [row.id, row]));
  const own = new Set(['openings', 'seeded']);
  const meta = new Map(imported.meta.filter((row) => !own.has(row.id)).map((row) => [row.id, row]));
  for (const row of present.meta) if (own.has(row.id) || row.id === 'signing_key') meta.set(row.id, row);
  const seq = Math.max(0, ...imported.interns.map((row) => row.seq));
  const counted = meta.get('seq')?.value;
  meta.set('seq', { id: 'seq', value: Math.max(seq, typeof counted === 'number' ? counted : 0) });
  return {
    ...imported,
    meta: [...meta.values()],
    interns: imported.interns.map((row) => ({
      ...row,
      api_key: row.api_key === HIDDEN ? (known.get(row.id)?.api_key ?? random.token(OWN_KEY_PREFIX)) : row.api_key,
      daemon_token:
        row.daemon_token === HIDDEN
          ? (known.get(row.id)?.daemon_token ?? random.token(DAEMON_TOKEN_PREFIX))
          : row.daemon_token,
    })),
  };
}
