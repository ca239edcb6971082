import { createClock } from './clock/clock.js';
import { createProofs } from './daemon/proofs.js';
import { createDisturber } from './disturbances/disturber.js';
import { createAccounts } from './domain/accounts.js';
import { createCreate } from './domain/create.js';
import { createDirectory } from './domain/directory.js';
import { createInterns } from './domain/interns.js';
import { createLimiter } from './domain/limiter.js';
import { createProvisioning } from './domain/provisioning.js';
import { createRuns } from './domain/runs.js';
import { createFaults } from './http/faults.js';
import { createPathFinder, type PathFinder } from './http/paths.js';
import { createPipeline } from './http/pipeline.js';
import { createRoutes } from './http/routes.js';
import { loadProfile, loadSeed, loadSettings } from './options/options.js';
import { createScriptRegistry } from './scripts/registry.js';
import { stockBehaviours } from './scripts/stock.js';
import { loadSigningKey } from './signing/keys.js';
import { openStore } from './store/open.js';
import { createVaults } from './vault/vaults.js';

/**
 * The makers of an emulator's parts. The `load…` factories are pure and their results are never changed. So equal
 * emulators in one process may share them, by a map whose `loadSeed` returns one parsed seed, and so on.
 */
export const defaultFactories = {
  loadProfile,
  loadSeed,
  loadSettings,
  loadSigningKey,
  loadStockScripts: stockBehaviours,
  createClock,
  openStore,
  createAccounts,
  createScriptRegistry,
  createInterns,
  createProvisioning,
  createCreate,
  createVaults,
  createDirectory,
  createLimiter,
  createRuns,
  createProofs,
  createFaults,
  createDisturber,
  createRoutes,
  createPathFinder,
  createPipeline,
  /** The calls of the control interface: many emulators are never controlled. */
  loadControlled: async () => ({ ...(await import('./agents/controlled.js')), ...(await import('./daemon/lab.js')) }),
};

/** A factory for each part, with the signature of the default one. */
export type Factories = typeof defaultFactories;

/**
 * Factories for emulators beside an existing one: they load nothing again, and share what is never changed. Each has a
 * key of its own.
 */
export function sharedFactories(
  factories: Factories,
  loaded: {
    readonly profile: ReturnType<typeof loadProfile>;
    readonly seed: ReturnType<typeof loadSeed>;
    readonly scripts: Pick<ReturnType<typeof createScriptRegistry>, 'filed'>;
  },
  given?: Parameters<typeof loadProfile>[0],
): Factories {
  let stock: ReturnType<typeof stockBehaviours> | undefined;
  const finders = new Map<string, PathFinder>();
  return {
    ...factories,
    loadProfile: (wanted) => (wanted === given ? loaded.profile : factories.loadProfile(wanted)),
    loadSeed: () => loaded.seed,
    loadStockScripts() {
      stock ??= factories.loadStockScripts();
      return stock;
    },
    createPathFinder(paths) {
      const key = paths.join('\n');
      const finder = finders.get(key) ?? factories.createPathFinder(paths);
      finders.set(key, finder);
      return finder;
    },
    createScriptRegistry: (deps) => factories.createScriptRegistry({ ...deps, files: [], filed: loaded.scripts.filed }),
  };
}
