import type { ClockControl } from '../clock/clock.js';
import type { Random } from '../clock/random.js';
import type { Seed } from '../contract/seed.js';
import type { Settings } from '../contract/settings.js';
import type { State } from '../contract/state.js';
import { ControlError } from '../control/error.js';
import type { Events } from '../control/events.js';
import type { SnapshotsPart } from '../control/snapshots.js';
import type { Nonces } from '../daemon/nonces.js';
import type { Disturber } from '../disturbances/disturber.js';
import type { Accounts } from '../domain/accounts.js';
import type { Directory } from '../domain/directory.js';
import type { Interns } from '../domain/interns.js';
import type { Limiter } from '../domain/limiter.js';
import type { Provisioning } from '../domain/provisioning.js';
import type { EndedRuns } from '../domain/run-index.js';
import type { Runs } from '../domain/runs.js';
import type { Transcripts } from '../domain/transcripts.js';
import type { Faults } from '../http/faults.js';
import type { Journal } from '../http/journal.js';
import type { RequestIds } from '../http/request-ids.js';
import type { Login } from '../oidc/login.js';
import type { Replay } from '../recording/replay/replay.js';
import type { DaemonTokens } from '../spaces/daemon-tokens.js';
import type { Store } from '../store/store.js';
import type { Vaults } from '../vault/vaults.js';
import { completeImport } from './export.js';
import type { Lifetime } from './lifetime.js';
import type { Randomness } from './randomness.js';
import { seededState, seedRows, withDirectory } from './seed.js';
import { createSnapshots, type Snapshot } from './snapshots.js';

/** A part that holds a state of its own, and must follow when the state as a whole is replaced. */
export interface StateParts {
  readonly store: Store;
  readonly seed: Seed;
  readonly random: Random;
  readonly sources: Randomness['sources'];
  readonly settings: () => Settings;
  readonly setSettings: (next: Settings) => void;
  readonly initialSettings: Settings;
  readonly adoptToken: DaemonTokens['adopt'];
  readonly accounts: Pick<Accounts, 'clearOwnKeys'>;
  readonly interns: Pick<Interns, 'put' | 'reindex'>;
  readonly vaults: Pick<Vaults, 'reindex' | 'row' | 'unsealable'>;
  readonly directory: Pick<Directory, 'resume'>;
  readonly provisioning: Pick<Provisioning, 'resume'>;
  readonly runs: Pick<Runs, 'reset' | 'ended'>;
  readonly limiter: Pick<Limiter, 'counted' | 'restore' | 'clear'>;
  readonly login: Pick<Login, 'reset'>;
  readonly proofs: { readonly daemon: { readonly nonces: Pick<Nonces, 'replaced'> } };
  readonly requestIds: Pick<RequestIds, 'state' | 'restore'>;
  readonly faults: Pick<Faults, 'list' | 'restore' | 'reset'>;
  readonly disturber: Pick<Disturber, 'reset'>;
  readonly replay: Pick<Replay, 'reset'> | undefined;
  readonly journal: Pick<Journal, 'clear'>;
  readonly transcripts: Pick<Transcripts, 'clear'>;
  readonly events: Pick<Events, 'reset'>;
}

export function createStateControl(parts: StateParts, clock: ClockControl, lifetime: Lifetime) {
  const { events, interns, random, seed, store, vaults } = parts;
  const meta = store.collection('meta');

  /** Resumes what the rows have in progress, and what else ends with their state. */
  const resume = () => {
    const scope = lifetime.state();
    scope.defer(() => clock.interrupt(scope.signal.reason));
    interns.reindex();
    vaults.reindex();
    parts.provisioning.resume();
    parts.directory.resume();
  };
  const complete = (state: State) => withDirectory(state, seed, vaults.row);

  /**
   * Exchanges the rows, and all that belongs to them, in one turn, so that nobody sees half of it. Work of the old
   * state is cut short, and writes nothing into the new one. This awaits its end, and that the new state is durable.
   */
  const replace = async (state: State, why: string, runs?: EndedRuns) => {
    parts.runs.reset(runs);
    const ended = lifetime.renewState(why);
    const written = store.replace(state);
    // If it could not be written, the rows are the old ones.
    parts.accounts.clearOwnKeys();
    parts.proofs.daemon.nonces.replaced();
    resume();
    await Promise.all([written, ended]);
  };

  const keptMeta = () => [...meta.values()].filter((row) => row.id === 'openings' || row.id === 'nonces_since');

  const keep = (): Snapshot => ({
    kept: {
      clock: { now: clock.now(), frozen: clock.mode === 'frozen' },
      state: store.snapshot(),
      settings: parts.settings(),
      turns: parts.limiter.counted(),
      faults: parts.faults.list(),
      random: Object.fromEntries([...parts.sources].map(([name, source]) => [name, source.state()])),
      requests: parts.requestIds.state(),
    },
    runs: parts.runs.ended(),
  });

  /** Everything in one turn, as with a reset. Of the present state, only the count of openings of the store stays. */
  const restore = async ({ kept, runs }: Snapshot) => {
    const openings = meta.get('openings');
    const state = {
      ...kept.state,
      meta: kept.state.meta.map((row) => (row.id === 'openings' ? (openings ?? row) : row)),
    };
    // Before the rows: their work resumes on the clock of the snapshot.
    clock.restore(kept.clock);
    for (const [name, source] of parts.sources) {
      const at = kept.random[name];
      if (at) source.restore(at);
    }
    parts.requestIds.restore(kept.requests);
    parts.setSettings(kept.settings);
    parts.limiter.restore(kept.turns);
    parts.faults.restore(kept.faults);
    parts.replay?.reset();
    const replaced = replace(complete(state), 'The emulator went back to a snapshot', runs);
    parts.journal.clear();
    parts.transcripts.clear();
    events.reset();
    await replaced;
  };
  const snapshotsDeps = { keep, restore, files: store.snapshotFiles, sealedOtherwise: vaults.unsealable };
  let snapshots: SnapshotsPart | undefined;

  return {
    get snapshots() {
      snapshots ??= createSnapshots(snapshotsDeps);
      return snapshots;
    },

    /** Loads the state of the store; a new store is seeded first. */
    begin(): void {
      if (!meta.has('seeded')) {
        for (const row of seedRows(seed, clock, random)) interns.put(row);
        meta.put({ id: 'seq', value: seed.interns.length });
        meta.put({ id: 'seeded', value: true });
      }
      if (!meta.has('directory')) {
        const { secrets, scim_mappings } = complete(store.snapshot());
        for (const row of secrets) store.collection('secrets').put(row);
        for (const row of scim_mappings) store.collection('scim_mappings').put(row);
        meta.put({ id: 'directory', value: true });
      }
      resume();
      // The store reports a failure; the next commit brings the change along.
      store.commit({ keep: true }).catch(() => {});
      snapshots = createSnapshots(snapshotsDeps);
    },

    /** Back to the seed. The clock stays where it is. */
    async reset(): Promise<void> {
      parts.setSettings(parts.initialSettings);
      parts.limiter.clear();
      parts.login.reset();
      parts.faults.reset();
      parts.disturber.reset();
      parts.replay?.reset();
      const state = {
        ...seededState(seed, clock, random, [...keptMeta(), { id: 'seeded', value: true }], vaults.row),
        // A used nonce stays used.
        nonces: [...store.collection('nonces').values()],
      };
      const replaced = replace(state, 'The emulator was reset');
      // In the same turn: notes from the next turn on belong to the new state.
      parts.journal.clear();
      parts.transcripts.clear();
      events.reset();
      await replaced;
    },

    /** Replaces the present state by an exported one. */
    async import(state: State): Promise<void> {
      const sealed = vaults.unsealable(state.secrets);
      if (sealed !== undefined)
        throw new ControlError(
          400,
          `secrets[${sealed}].sealed: the key of this emulator does not open it: secrets go no further than their store`,
        );
      const completed = complete(completeImport(state, store.snapshot(), random, parts.adoptToken));
      const replaced = replace(completed, 'The state of the emulator was replaced');
      events.reset();
      await replaced;
    },
  };
}
