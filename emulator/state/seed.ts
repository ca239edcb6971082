import type { Clock } from '../clock/clock.js';
import type { Random } from '../clock/random.js';
import { blankIntern } from '../contract/intern-row.js';
import type { Seed } from '../contract/seed.js';
import { COLLECTIONS, type InternRow, STATE_VERSION, type State } from '../contract/state.js';
import type { SecretRow } from '../contract/vault.js';
import { DAEMON_TOKEN_PREFIX } from '../credentials/redaction.js';

/** The parts of an intern that it has while it runs. */
export const runningParts = (random: Random) => ({
  disk_id: random.uuid(),
  daemon_token: random.token(DAEMON_TOKEN_PREFIX),
});

/** The rows of a seed's interns, oldest first. */
export function seedRows(seed: Seed, clock: Clock, random: Random): InternRow[] {
  const at = new Date(clock.now()).toISOString();
  return seed.interns.map((intern, index) => {
    const running = intern.status === 'running';
    const workspace = seed.members.find((member) => member.id === intern.creator)?.workspace_id ?? '';
    const { model, instructions } = intern;
    const blank = blankIntern(intern.id, at);
    return {
      ...blank,
      seq: index + 1,
      record: {
        ...blank.record,
        name: intern.name,
        description: intern.description,
        instructions,
        model,
        status: intern.status,
        last_failure_message: intern.last_failure_message,
        hostname: running ? `${intern.name}-${intern.id.slice(0, 8)}.interns.localhost` : null,
        workspace_id: workspace,
        vault_id: intern.vault_id,
      },
      creator: intern.creator,
      api_key: intern.api_key,
      booted: running ? { model, instructions } : null,
      ...(running ? runningParts(random) : {}),
    };
  });
}

/** Makes the row of a secret. */
export type MakeSecret = (
  vault: string,
  name: string,
  secret: { readonly value?: string | undefined; readonly hosts: readonly string[] | null },
) => SecretRow;

/**
 * A state with the secrets and mappings of a seed, if it has none of its own yet. It completes a state of version 2,
 * which had none; everything else stays as it is.
 */
export function withDirectory(state: State, seed: Seed, makeSecret: MakeSecret): State {
  if (state.meta.some(({ id }) => id === 'directory')) return state;
  const vaults = new Map(state.interns.map((row) => [row.id, row.record.vault_id]));
  const secrets = seed.secrets.flatMap(({ workspace_id, intern_id, name, value, hosts }) => {
    const vault = workspace_id ?? vaults.get(intern_id ?? '');
    return vault ? [makeSecret(vault, name, { value, hosts })] : [];
  });
  const mappings = [seed, ...seed.other_organizations].flatMap((one) => one.scim_group_mappings);
  const both = <R extends { id: string }>(own: readonly R[], seeded: readonly R[]) => [
    ...new Map([...seeded, ...own].map((row) => [row.id, row])).values(),
  ];
  return {
    ...state,
    secrets: both(state.secrets, secrets),
    scim_mappings: both(state.scim_mappings, mappings),
    meta: [...state.meta, { id: 'directory', value: true }],
  };
}

/** A whole state with a seed's interns and the given single values. */
export function seededState(
  seed: Seed,
  clock: Clock,
  random: Random,
  meta: State['meta'],
  makeSecret: MakeSecret,
): State {
  const empty = Object.fromEntries(Object.keys(COLLECTIONS).map((name) => [name, []])) as unknown as State;
  const interns = seedRows(seed, clock, random);
  const state: State = {
    ...empty,
    format: 'intern-emulator',
    version: STATE_VERSION,
    interns,
    meta: [...meta.filter((row) => row.id !== 'seq'), { id: 'seq', value: interns.length }],
  };
  return withDirectory(state, seed, makeSecret);
}
