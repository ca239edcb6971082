import { createFairQueue } from '../clock/fair-queue.js';
import { hostEvery, hostWait } from '../clock/host.js';
import type { Settings } from '../contract/settings.js';
import { createTarget } from '../control/target.js';
import type { Factories } from '../factories.js';
import type { EmulatorOptions } from '../options/options.js';
import type { Mount } from '../serving/addresses.js';
import type { DaemonTokens } from '../spaces/daemon-tokens.js';
import { checkVaultKey, keptNonces, signingKeyOf, vaultKeyOf } from '../state/kept.js';
import type { Lifetime } from '../state/lifetime.js';
import { createRandomness } from '../state/randomness.js';
import { createSealing } from '../vault/sealing.js';

const stackOf = (error: unknown) => (error instanceof Error ? error.stack : String(error));

export interface GroundDeps {
  readonly lifetime: Lifetime;
  readonly mount: Mount;
  readonly factories: Factories;
  readonly tokens: DaemonTokens;
  readonly log: (record: Record<string, unknown>) => void;
  /** Called after the clock was advanced, or a write to the store was undone, for the parts above. */
  readonly changed: {
    clock(): void;
    undone: NonNullable<Parameters<Factories['openStore']>[1]['undone']>;
  };
}

export type Ground = ReturnType<typeof layGround>;

/** The ground of an emulator's parts: its configuration, time, state, randomness and address. */
export function layGround(options: EmulatorOptions, { lifetime, mount, factories, tokens, log, changed }: GroundDeps) {
  // Configuration. Only the settings change later.
  const profile = factories.loadProfile(options.profile);
  const seed = factories.loadSeed(options.seedFile);
  const initialSettings = factories.loadSettings(options.settings);
  let current = initialSettings;
  const settings = () => current;
  const setSettings = (next: Settings) => {
    current = next;
  };

  // Time, state, randomness.
  const clock = factories.createClock(options.clock, {
    onError: (error) => log({ level: 'error', event: 'timer_failed', error: stackOf(error) }),
    onAdvance: changed.clock,
  });
  lifetime.root.defer(clock.close);
  const heavyWork = createFairQueue(clock);
  // The observers' waits: time goes on without them.
  const catchingUp = createFairQueue({ hold: () => () => {} });
  const store = factories.openStore(options.data, {
    hold: () => clock.hold(),
    fsync: options.fsync ?? false,
    host: { every: hostEvery, wait: hostWait },
    undone: changed.undone,
    log,
  });
  lifetime.root.defer(() => store.close());
  const sealing = createSealing(vaultKeyOf(store, () => randomOf('vaults')));
  checkVaultKey(store, sealing);
  const { of: randomOf, sources } = createRandomness(options.seed, store);
  const random = tokens.of(randomOf('ids'));
  const signingKey = signingKeyOf(options, mount.prefix, store, factories.loadSigningKey);

  const target = createTarget(
    mount.addresses,
    () => [signingKey.jwk],
    {
      profile: profile.name,
      default_workspace: profile.default_workspace === true,
      clock: (options.clock ?? 'real') === 'real' ? 'real' : 'virtual',
    },
    seed,
  );
  const daemonOrigin = () => target.daemon_origin;

  return {
    profile,
    seed,
    initialSettings,
    settings,
    setSettings,
    clock,
    heavyWork,
    catchingUp,
    store,
    sealing,
    randomOf,
    sources,
    random,
    signingKey,
    keptNonces: keptNonces(options, clock, store),
    target,
    daemonOrigin,
  };
}
