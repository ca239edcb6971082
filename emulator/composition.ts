import { createFairQueue } from './clock/fair-queue.js';
import { hostDelay, hostEvery, hostWait } from './clock/host.js';
import { hostSleep } from './clock/host-wait.js';
import type { Settings } from './contract/settings.js';
import type { InternRow } from './contract/state.js';
import { createEvents, type Events } from './control/events.js';
import { createReaders } from './control/readers.js';
import { createSequence } from './control/sequence.js';
import { createTarget } from './control/target.js';
import { pastSince, watchTraffic } from './control/traffic.js';
import type { Disturber } from './disturbances/disturber.js';
import type { InternsDeps } from './domain/interns.js';
import type { Runs } from './domain/runs.js';
import { createTranscripts } from './domain/transcripts.js';
import type { Factories } from './factories.js';
import { createApp } from './http/app.js';
import { matchRegional } from './http/hosts.js';
import { createJournal, type Journal } from './http/journal.js';
import { createRequestIds } from './http/request-ids.js';
import { logRequests } from './http/request-log.js';
import type { LabOptions } from './lab/lab.js';
import { lazyLab } from './lab/lazy.js';
import { credentialResolver } from './oidc/credential-resolver.js';
import { createLogin } from './oidc/login.js';
import { LOGIN_PATH } from './oidc/terms.js';
import { type EmulatorOptions, loadChaos, loadCors, loadMatches, loadRegionalHosts } from './options/options.js';
import { withReplay, withReplayedInterns } from './recording/replay/serve.js';
import { createMatches, needScripts } from './scripts/matches.js';
import type { Mount } from './serving/addresses.js';
import { daemonRecord } from './serving/log.js';
import { createStandardErrorLog } from './serving/standard-error.js';
import { createWaitReporter, type Waiting } from './serving/waits.js';
import type { DaemonTokens } from './spaces/daemon-tokens.js';
import { checkVaultKey, keptNonces, signingKeyOf, vaultKeyOf } from './state/kept.js';
import type { Lifetime } from './state/lifetime.js';
import { createRandomness } from './state/randomness.js';
import { createSealing } from './vault/sealing.js';

const stackOf = (error: unknown) => (error instanceof Error ? error.stack : String(error));

/** How long a clock may stand still before what waits for it is reported, in ms of the host's time. */
const PATIENCE = 500;

/** What an emulator is put together with, beside its options. */
export interface CompositionDeps {
  readonly lifetime: Lifetime;
  readonly mount: Mount;
  readonly factories: Factories;
  readonly tokens: DaemonTokens;
  /** Makes another emulator, for the lab. */
  readonly createEmulator: LabOptions['emulator'];
}

/**
 * The composition root: options and factories in, connected parts out. Nothing of it runs by itself; `emulator.ts`
 * starts, stops and serves the parts.
 *
 * @throws OptionError for an option that cannot be used, StoreError for a store that cannot be opened
 */
export function compose(
  options: EmulatorOptions,
  { lifetime, mount, factories, tokens, createEmulator }: CompositionDeps,
) {
  const log = options.log ?? createStandardErrorLog();
  const { onRequest } = options;

  const sequence = createSequence();

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
    onAdvance: () => events.changed('clock', 'clock'),
  });
  lifetime.root.defer(clock.close);
  const heavyWork = createFairQueue(clock);
  // The observers' waits: time goes on without them.
  const catchingUp = createFairQueue({ hold: () => () => {} });
  const store = factories.openStore(options.data, {
    hold: () => clock.hold(),
    fsync: options.fsync ?? false,
    host: { every: hostEvery, wait: hostWait },
    undone(rows) {
      accounts.clearOwnKeys();
      interns.reindex();
      vaults.reindex();
      provisioning.resume(new Set(rows.flatMap(({ collection, id }) => (collection === 'interns' ? [id] : []))));
    },
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

  // The observers. What they show is made further down, so it is late-bound.
  const transcripts = createTranscripts(clock, sequence.next, (text) => accounts.redact(text));
  const seededTag = randomOf('events').uuid().slice(0, 8) + clock.now().toString(36);
  const events: Events = createEvents({
    sequence,
    tag: () => seededTag + (mount.since()?.toString(36) ?? ''),
    read: (type, id, within) => readers[type](id, within),
    past: {
      since: (seq, to) => pastSince(journal, transcripts, seq, to),
      forgotten: () => journal.forgotten(),
    },
    pause: hostDelay,
    turn: catchingUp.next,
  });

  // The callers.
  const accounts = factories.createAccounts(seed, randomOf('digests').bytes(32));
  const login = createLogin({
    clock,
    random: randomOf('login'),
    members: seed.members,
    prefix: mount.prefix,
    issuer: () => new URL(mount.prefix + LOGIN_PATH, target.base_url).href,
    outsideIssuer: options.oidcIssuer,
    outsideAudience: options.oidcAudience,
    log,
  });
  const resolve = credentialResolver(accounts, login);

  const nameOf = (internId: string) => interns.get(internId)?.record.name;
  const reportWait = createWaitReporter({
    standsStill: () => clock.mode === 'frozen' || options.clock === 'virtual',
    clock,
    log,
    patience: options.log ? undefined : () => hostSleep(PATIENCE, lifetime.root.signal),
  });
  const waitOfIntern = ({ id, record }: InternRow): Waiting => ({
    who: `intern ${record.name}`,
    about: record.status,
    still: () => interns.get(id)?.record.status === record.status,
  });
  const waitOfRun = (id: string): Waiting => {
    const run = runs.find(id);
    return {
      who: `run ${id}`,
      about: run && `script ${run.script} of intern ${nameOf(run.view.intern_id)}`,
      still: () => runs.find(id)?.view.status === 'running',
    };
  };

  // Interns and how they behave. Late-bound: interns and runs refer to each other.
  const matches = createMatches({
    rows: store.collection('meta'),
    initial: [...loadMatches(options.matches), ...seed.matches],
    changed: () => events.changed('match', 'matches'),
  });
  const scripts = factories.createScriptRegistry({
    stock: factories.loadStockScripts(),
    behaviours: options.scripts ?? [],
    files: options.scriptFiles ?? [],
    rows: store.collection('scripts'),
    matches,
    log,
    changed: (name) => events.changed('script', name),
  });
  lifetime.root.defer(scripts.close);
  needScripts(matches.list(), scripts.names());
  const vaults = factories.createVaults({
    clock,
    store,
    sealing,
    settings,
  });
  for (const { value } of seed.secrets) if (value !== undefined) accounts.addVaultSecret(value);
  const plan = (row: InternRow) => disturber.plan(row, scripts.resolveLifecycle(row));
  const internsDeps: InternsDeps = {
    clock,
    random,
    store,
    accounts,
    scope: lifetime.state,
    plan,
    dropVault: vaults.drop,
    endRuns: (id, cause) => runs.endAll(id, cause),
    forgetRuns: (id) => runs.forget(id),
    log,
    changed: (id) => events.changed('intern', id),
    waits: (row, ms) => reportWait(row.id, ms, () => waitOfIntern(row)),
  };
  const interns = factories.createInterns(internsDeps);
  const provisioning = factories.createProvisioning(interns, internsDeps);
  const create = factories.createCreate(interns, provisioning, internsDeps);
  const directory = factories.createDirectory({
    clock,
    random: randomOf('directory'),
    seed,
    store,
    settings,
    failureUsed: () => setSettings({ ...current, scim_sync: 'succeeds' }),
    scope: lifetime.state,
  });
  const limiter = factories.createLimiter({ clock, settings });
  const runs: Runs = factories.createRuns({
    clock,
    random: randomOf('runs'),
    settings,
    store,
    scripts,
    intern: (id) => interns.get(id),
    release(id, name, to) {
      const record = interns.get(id)?.record;
      const own = [record?.vault_id, record?.attached_vault_id].filter((vault) => vault != null);
      return vaults.release(own, name, to);
    },
    scope: lifetime.state,
    log,
    changed: (id, internId) => events.changed('run', id, internId),
    waits: (id, ms) => reportWait(id, ms, () => waitOfRun(id)),
    said: transcripts.note,
  });

  const requestIds = createRequestIds(randomOf('requests'));

  // Proofs, and the daemons that verify them. If recordings are replayed, daemons know their interns too.
  const replayed = options.replay && withReplayedInterns(store.collection('interns'), clock, randomOf('replay'));
  const proofs = factories.createProofs({
    clock,
    heavyWork,
    random: randomOf('proofs'),
    profile,
    signingKey,
    interns: replayed ?? store.collection('interns'),
    subjects: () => seed.members.map((member) => member.oauth_subject),
    settings,
    daemonOrigin,
    requireV2: options.requireV2,
    kept: keptNonces(options, clock, store),
    lifecyclePlan: plan,
    requestId: requestIds.next,
    log,
    ...(onRequest
      ? {
          onRequest: (request) =>
            onRequest(daemonRecord(request, clock.now(), accounts.redact), nameOf(request.internId ?? '')),
        }
      : {}),
  });

  // HTTP.
  const faults = factories.createFaults({
    changed: () => events.changed('fault', 'faults'),
    random: randomOf('faults'),
    initial: loadChaos(options.chaos),
  });
  const journal: Journal = createJournal(clock, accounts, sequence.next, mount.prefix);
  const { resolveTurn } = scripts;
  const routes = factories.createRoutes({
    interns: { interns, provisioning, store, profile, create },
    chat: { clock, random: randomOf('chat'), runs, limiter, profile, settings, resolveTurn },
    daemon: { clock, random, store, daemonOrigin, lifecyclePlan: plan, log },
    sign: { clock, random: randomOf('nonces'), signer: proofs.signer, limiter, profile },
    scim: { directory, store, prefix: mount.prefix },
    vault: { vaults, interns, store },
  });
  const cors = loadCors(options.cors, profile);
  const disturber: Disturber = factories.createDisturber({
    clock,
    random: randomOf('disturbances'),
    routes,
    faults,
    journal,
    runs,
    provisioning,
    settings,
    intern: interns.get,
    puts(id, script) {
      const row = interns.get(id);
      if (row) interns.put(row, undefined, { script });
    },
    requestId: requestIds.next,
    cors: cors.headers,
    log,
    load: options.disturbances,
  });
  const regional = matchRegional(loadRegionalHosts(options.regionalHosts));
  const pipeline = factories.createPipeline({
    clock,
    heavyWork,
    requestIds,
    settings,
    interns,
    scope: lifetime.state,
    faults,
    journal,
    resolve,
    regional,
    prefix: mount.prefix,
    redact: accounts.redact,
    cors,
    log,
    delayed: (id, ms, still) => reportWait(id, ms, () => ({ who: `request ${id}`, about: 'an injected delay', still })),
  });
  const emulated = createApp(routes, pipeline, { requestId: random.uuid, log });
  const { app, replay } = withReplay(
    emulated,
    options.replay &&
      replayed && {
        options: options.replay,
        interns: replayed,
        clock,
        random: randomOf('replayed'),
        profile,
        signer: proofs.signer,
        daemonOrigin,
        journal,
        requestId: random.uuid,
        log,
      },
  );

  const lab = lazyLab(async () => {
    const { loadLab } = await import('./lab/load.js');
    const loaded = loadLab({
      id: randomOf('lab').uuid,
      emulator: createEmulator,
      changed: ({ run }) => events.changed('lab', run),
    });
    lifetime.root.defer(() => loaded.close());
    return loaded;
  });
  const readers = createReaders({ clock, interns, runs, faults, scripts, matches, lab });
  watchTraffic(events, journal, transcripts);
  if (onRequest) logRequests({ journal, redact: accounts.redact, nameOf, write: onRequest });

  return {
    log,
    seed,
    initialSettings,
    settings,
    setSettings,
    clock,
    store,
    random,
    randomOf,
    sources,
    requestIds,
    adoptToken: tokens.adopt,
    profile,
    target,
    accounts,
    login,
    scripts,
    matches,
    interns,
    provisioning,
    vaults,
    directory,
    limiter,
    runs,
    proofs,
    faults,
    disturber,
    journal,
    transcripts,
    events,
    readers,
    lab,
    regional,
    routes,
    replay,
    cors,
    app,
    answer: emulated.answer,
  };
}
