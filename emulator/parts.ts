import { createClock } from './clock/clock.js';
import { createRandom, type Random } from './clock/random.js';
import type { Profile } from './contract/profile.js';
import type { Settings } from './contract/settings.js';
import type { InternRow } from './contract/state.js';
import { seededTarget, type Target } from './control/target.js';
import { createProofs } from './daemon/proofs.js';
import { createAccounts } from './domain/accounts.js';
import type { Caller } from './domain/caller.js';
import { createCreate } from './domain/create.js';
import { createInterns, type InternsDeps } from './domain/interns.js';
import { TRANSITIONS } from './domain/lifecycle.js';
import { createLimiter } from './domain/limiter.js';
import { createProvisioning } from './domain/provisioning.js';
import { createRuns, RUN_MAKERS, type RunMakers } from './domain/runs.js';
import { createApp } from './http/app.js';
import { chatRoute } from './http/chat.js';
import { daemonAliasRoute, daemonRoute } from './http/daemon.js';
import { createFaults } from './http/faults.js';
import { internRoutes } from './http/interns.js';
import { invokeRoute } from './http/invoke.js';
import { createJournal } from './http/journal.js';
import { createPipeline, type PipelineDeps } from './http/pipeline.js';
import type { Route } from './http/route.js';
import { scimRoute } from './http/scim.js';
import { signAliasRoute, signRoute } from './http/sign.js';
import { createLogin } from './oidc/login.js';
import { LOGIN_PATH, type LoginToken } from './oidc/terms.js';
import { type EmulatorOptions, loadProfile, loadSeed, loadSettings } from './options.js';
import { placed, regionalJudge } from './place.js';
import { createScriptRegistry } from './scripts/registry.js';
import { loadSigningKey } from './signing/keys.js';
import { createBody } from './sse/body.js';
import { createEncoder } from './sse/chunks.js';
import { openFileStore } from './store/file.js';
import { createMemoryStore } from './store/memory.js';
import type { Store } from './store/store.js';

/** The parts that can be exchanged while an emulator is put together, under the names it knows them by. */
export interface Alterable {
  /** What is served; the target still names the original. */
  profile: Profile;
  seed: ReturnType<typeof loadSeed>;
  settings: Settings;
  transitions: InternsDeps['transitions'];
  clock: ReturnType<typeof createClock>;
  store: Store;
  accounts: ReturnType<typeof createAccounts>;
  scripts: ReturnType<typeof createScriptRegistry>;
  interns: ReturnType<typeof createInterns>;
  provisioning: ReturnType<typeof createProvisioning>;
  create: ReturnType<typeof createCreate>;
  limiter: ReturnType<typeof createLimiter>;
  runMakers: RunMakers;
  runs: ReturnType<typeof createRuns>;
  proofs: ReturnType<typeof createProofs>;
  faults: ReturnType<typeof createFaults>;
  journal: ReturnType<typeof createJournal>;
  encoder: typeof createEncoder;
  body: typeof createBody;
  routes: readonly Route[];
  pipelineDeps: PipelineDeps;
  pipeline: ReturnType<typeof createPipeline>;
}

/** Changes to parts, each given the part as it should be. How the kit's deviations are made; nothing else uses it. */
export type Alterations = { readonly [K in keyof Alterable]?: (part: Alterable[K]) => Alterable[K] };

/** Counts the openings of a store: the answer is 1 for a new one. */
function countOpening(store: Store): number {
  const meta = store.collection('meta');
  const last = meta.get('openings')?.value;
  const openings = typeof last === 'number' ? last + 1 : 1;
  meta.put({ id: 'openings', value: openings });
  return openings;
}

const callerOfLogin = (found: LoginToken | undefined): Caller | undefined =>
  found && {
    id: found.member.id,
    kind: 'oauth',
    workspaceId: found.member.workspace_id,
    programme: found.member.programme,
    subject: found.member.oauth_subject,
    grant: found.grant,
  };

/**
 * Makes the parts of an emulator and connects them. What is started, stopped and shown of them is `emulator.ts`.
 *
 * @throws OptionError for an option that can't be used, StoreError for a store that can't be opened
 */
export function createParts(options: EmulatorOptions, alterations: Alterations = {}) {
  const alter = <K extends keyof Alterable>(name: K, part: Alterable[K]): Alterable[K] =>
    alterations[name]?.(part) ?? part;

  const named: Profile = loadProfile(options.profile);
  const profile = alter('profile', named);
  const seed = alter('seed', loadSeed(options.seedFile));
  const initialSettings = alter('settings', loadSettings(options.settings));
  let current = initialSettings;
  const settings = () => current;
  const log = options.log ?? (() => {});
  const clock = alter('clock', createClock(options.clock ?? 'real'));
  const store = alter(
    'store',
    options.data === undefined ? createMemoryStore() : openFileStore(options.data, { hold: () => clock.hold() }),
  );
  // Each opening of a store takes its own stream: a restarted emulator repeats no id and no nonce.
  const stream = String(countOpening(store));
  const root = createRandom(options.seed);
  const randomOf = (name: string): Random => createRandom(root.seed, `${stream} ${name}`);
  const random = randomOf('ids');

  const accounts = alter('accounts', createAccounts(seed, randomOf('digests').bytes(32)));
  const scripts = alter(
    'scripts',
    createScriptRegistry({
      behaviours: options.scripts ?? [],
      files: options.scriptFiles ?? [],
      rows: store.collection('scripts'),
      log,
    }),
  );
  const plan = (row: InternRow) => scripts.resolveLifecycle(row);
  const internsDeps: InternsDeps = {
    clock,
    random,
    store,
    accounts,
    transitions: alter('transitions', TRANSITIONS),
    plan,
    endRuns: (id, cause) => runs.endAll(id, cause),
    forgetRuns: (id) => runs.forget(id),
    log,
  };
  const interns = alter('interns', createInterns(internsDeps));
  const provisioning = alter('provisioning', createProvisioning(interns, internsDeps));
  const create = alter('create', createCreate(interns, provisioning, internsDeps));
  const limiter = alter('limiter', createLimiter({ clock, settings }));
  const runs = alter(
    'runs',
    createRuns({
      clock,
      random: randomOf('runs'),
      settings,
      store,
      scripts,
      intern: (id) => interns.get(id),
      log,
      make: alter('runMakers', RUN_MAKERS),
    }),
  );

  const meta = store.collection('meta');
  const stored = meta.get('signing_key')?.value;
  const signingKey = loadSigningKey({
    ...(options.signingKey === undefined ? {} : { given: options.signingKey }),
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    ...(typeof stored === 'string' ? { stored } : {}),
  });
  if (signingKey.source === 'generated') meta.put({ id: 'signing_key', value: signingKey.pem });
  const proofs = alter(
    'proofs',
    createProofs({
      clock,
      random: randomOf('proofs'),
      profile,
      signingKey,
      interns: store.collection('interns'),
      subjects: () => seed.members.map((member) => member.oauth_subject),
      settings,
      daemonOrigin: () => target.daemon_origin,
      requireV2: options.requireV2,
      // An earlier process may have accepted what was made before this one began.
      remembersFrom: stream === '1' ? undefined : Math.floor(clock.now() / 1_000),
      lifecyclePlan: plan,
      log,
    }),
  );

  const login = createLogin({
    clock,
    random: randomOf('login'),
    members: seed.members,
    issuer: () => new URL(LOGIN_PATH, target.base_url).href,
    outsideIssuer: options.oidcIssuer,
    log,
  });
  const resolve = (token: string) => {
    const seeded = accounts.resolve(token);
    if (seeded) return seeded;
    const callerOf = (found: LoginToken | undefined) => {
      // From here on it is a credential like the seeded ones: never to be shown, wherever it is quoted (AUTH-9).
      if (found) accounts.addSecret(token);
      return callerOfLogin(found);
    };
    const found = login.resolveToken(token);
    return found instanceof Promise ? found.then(callerOf) : callerOf(found);
  };

  const faults = alter('faults', createFaults());
  const journal = alter('journal', createJournal(clock, accounts.redact));
  const signDeps = { clock, random: randomOf('nonces'), signer: proofs.signer, limiter, profile };
  const daemonDeps = { clock, random, store, daemonOrigin: () => target.daemon_origin, lifecyclePlan: plan, log };
  const routes = alter('routes', [
    ...internRoutes({ interns, provisioning, store, create }),
    chatRoute({
      clock,
      random: randomOf('chat'),
      runs,
      limiter,
      profile,
      settings,
      createBody: alter('body', createBody),
      createEncoder: alter('encoder', createEncoder),
      observe({ watch }) {
        return { onWrite: watch.onWrite, onClose: (how, _at, ended) => watch.onClose(how, ended) };
      },
    }),
    invokeRoute({ runs, limiter }),
    daemonRoute(daemonDeps),
    daemonAliasRoute(daemonDeps),
    signRoute(signDeps),
    signAliasRoute(signDeps),
    scimRoute(seed.scim_group_mappings),
  ]);
  const regional = regionalJudge(options.regionalHosts ?? ['eu.']);
  const pipeline = createPipeline(
    alter('pipelineDeps', {
      clock,
      random: randomOf('requests'),
      settings,
      interns,
      faults,
      journal,
      resolve,
      regional,
      redact: accounts.redact,
      log,
    }),
  );
  const app = createApp(routes, alter('pipeline', pipeline));

  const target: Target = {
    ...placed('127.0.0.1', DEFAULT_PORT, DEFAULT_PORT + 1),
    profile: named.name,
    clock: options.clock ?? 'real',
    public_keys: [signingKey.jwk],
    ...seededTarget(seed),
  };

  return {
    seed,
    initialSettings,
    settings,
    setSettings(next: Settings) {
      current = next;
    },
    log,
    clock,
    store,
    random,
    accounts,
    scripts,
    interns,
    provisioning,
    limiter,
    runs,
    proofs,
    login,
    faults,
    journal,
    routes,
    app,
    target,
  };
}

/** Where an emulator listens unless it is told otherwise; the daemons listen on the next port. */
export const DEFAULT_PORT = 4683;
