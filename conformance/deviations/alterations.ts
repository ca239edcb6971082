import type { Profile } from '../../emulator/contract/profile.js';
import type { Seed } from '../../emulator/contract/seed.js';
import type { Settings } from '../../emulator/contract/settings.js';
import type { InternsDeps } from '../../emulator/domain/interns.js';
import { RUN_MAKERS, type RunMakers } from '../../emulator/domain/runs.js';
import { defaultFactories, type Factories } from '../../emulator/factories.js';
import type { PipelineDeps } from '../../emulator/http/pipeline.js';
import type { Route } from '../../emulator/http/route.js';
import type { RoutesDeps } from '../../emulator/http/routes.js';

type Made<K extends keyof Factories> = ReturnType<Factories[K]>;

/** The parts of an emulator that a deviation may exchange. */
export interface Alterable {
  profile: Profile;
  seed: Seed;
  settings: Settings;
  transitions: InternsDeps['transitions'];
  clock: Made<'createClock'>;
  store: Made<'openStore'>;
  accounts: Made<'createAccounts'>;
  scripts: Made<'createScriptRegistry'>;
  interns: Made<'createInterns'>;
  provisioning: Made<'createProvisioning'>;
  create: Made<'createCreate'>;
  limiter: Made<'createLimiter'>;
  runMakers: RunMakers;
  runs: Made<'createRuns'>;
  proofs: Made<'createProofs'>;
  faults: Made<'createFaults'>;
  journal: Made<'createJournal'>;
  encoder: RoutesDeps['chat']['createEncoder'];
  body: RoutesDeps['chat']['createBody'];
  routes: readonly Route[];
  pipelineDeps: PipelineDeps;
  pipeline: Made<'createPipeline'>;
}

/** Changes to parts, each given the part as it should be. */
export type Alterations = { readonly [K in keyof Alterable]?: (part: Alterable[K]) => Alterable[K] };

/** The default factories, wrapped so that what they make is changed. */
export function alteredFactories(changes: Alterations): Factories {
  const usual = defaultFactories;
  const alter = <K extends keyof Alterable>(name: K, part: Alterable[K]): Alterable[K] => changes[name]?.(part) ?? part;
  let transitions: InternsDeps['transitions'] | undefined;
  const domain = (deps: InternsDeps): InternsDeps => {
    transitions ??= alter('transitions', deps.transitions);
    return { ...deps, transitions };
  };
  return {
    ...usual,
    loadProfile: (...given) => alter('profile', usual.loadProfile(...given)),
    loadSeed: (...given) => alter('seed', usual.loadSeed(...given)),
    loadSettings: (...given) => alter('settings', usual.loadSettings(...given)),
    createClock: (...given) => alter('clock', usual.createClock(...given)),
    openStore: (...given) => alter('store', usual.openStore(...given)),
    createAccounts: (...given) => alter('accounts', usual.createAccounts(...given)),
    createScriptRegistry: (...given) => alter('scripts', usual.createScriptRegistry(...given)),
    createInterns: (deps) => alter('interns', usual.createInterns(domain(deps))),
    createProvisioning: (interns, deps) => alter('provisioning', usual.createProvisioning(interns, domain(deps))),
    createCreate: (interns, provisioning, deps) =>
      alter('create', usual.createCreate(interns, provisioning, domain(deps))),
    createLimiter: (...given) => alter('limiter', usual.createLimiter(...given)),
    createRuns: (deps) => alter('runs', usual.createRuns({ ...deps, make: alter('runMakers', RUN_MAKERS) })),
    createProofs: (...given) => alter('proofs', usual.createProofs(...given)),
    createFaults: (...given) => alter('faults', usual.createFaults(...given)),
    createJournal: (...given) => alter('journal', usual.createJournal(...given)),
    createRoutes: (deps) =>
      alter(
        'routes',
        usual.createRoutes({
          ...deps,
          chat: {
            ...deps.chat,
            createBody: alter('body', deps.chat.createBody),
            createEncoder: alter('encoder', deps.chat.createEncoder),
          },
        }),
      ),
    createPipeline: (deps) => alter('pipeline', usual.createPipeline(alter('pipelineDeps', deps))),
  };
}
