import type { Clock } from '../clock/clock.js';
import type { Random } from '../clock/random.js';
import { blankIntern } from '../contract/intern-row.js';
import type { Seed } from '../contract/seed.js';
import { COLLECTIONS, type InternRow, STATE_VERSION, type State } from '../contract/state.js';
import { DAEMON_TOKEN_PREFIX } from '../domain/redaction.js';

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
      disk_id: running ? random.uuid() : null,
      daemon_token: running ? random.token(DAEMON_TOKEN_PREFIX) : null,
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
