import { hostDelay } from './clock/host.js';
import { hostSleep } from './clock/host-wait.js';
import { type Doors, openDoors } from './composition/doors.js';
import { type GroundDeps, layGround } from './composition/ground.js';
import type { InternRow } from './contract/state.js';
import { createEvents, type Events } from './control/events.js';
import { createReaders } from './control/readers.js';
import { createSequence } from './control/sequence.js';
import { pastSince, watchTraffic } from './control/traffic.js';
import type { InternsDeps } from './domain/interns.js';
import type { Runs } from './domain/runs.js';
import { createTranscripts } from './domain/transcripts.js';
import { judgeExchanges } from './http/judging.js';
import { logRequests, warnOfRefusals } from './http/request-log.js';
import type { LabOptions } from './lab/lab.js';
import { lazyLab } from './lab/lazy.js';
import { credentialResolver } from './oidc/credential-resolver.js';
import { createLogin } from './oidc/login.js';
import { LOGIN_PATH } from './oidc/terms.js';
import { type EmulatorOptions, loadMatches } from './options/options.js';
import { createMatches, needScripts } from './scripts/matches.js';
import { createStandardErrorLog } from './serving/standard-error.js';
import { createWaitReporter, type Waiting } from './serving/waits.js';

/** How long a clock may stand still before what waits for it is reported, in ms of the host's time. */
const PATIENCE = 500;

export interface CompositionDeps extends Pick<GroundDeps, 'lifetime' | 'mount' | 'factories' | 'tokens'> {
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
  const log = options.log ?? createStandardErrorLog(options.quiet === true ? ['error'] : ['warn', 'error']);
  const { onRequest } = options;

  const sequence = createSequence();

  const ground = layGround(options, {
    lifetime,
    mount,
    factories,
    tokens,
    log,
    changed: {
      clock: () => events.changed('clock', 'clock'),
      undone(rows) {
        accounts.clearOwnKeys();
        interns.reindex();
        vaults.reindex();
        provisioning.resume(new Set(rows.flatMap(({ collection, id }) => (collection === 'interns' ? [id] : []))));
      },
    },
  });
  const { seed, settings, setSettings, clock, catchingUp, store, sealing, randomOf, random, target } = ground;

  // The observers. Late-bound: the parts that they show are made further down.
  const transcripts = createTranscripts(clock, sequence.next, (text) => accounts.redact(text));
  const seededTag = randomOf('events').uuid().slice(0, 8) + clock.now().toString(36);
  const events: Events = createEvents({
    sequence,
    tag: () => seededTag + (mount.since()?.toString(36) ?? ''),
    read: (type, id, within) => readers[type](id, within),
    past: {
      since: (seq, to) => pastSince(doors.journal, transcripts, seq, to),
      forgotten: () => doors.journal.forgotten(),
    },
    pause: hostDelay,
    turn: catchingUp.next,
  });

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
    known: accounts.addVaultSecret,
  });
  for (const { value } of seed.secrets) if (value !== undefined) accounts.addVaultSecret(value);
  const plan = (row: InternRow) => doors.disturber.plan(row, scripts.resolveLifecycle(row));
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
    failureUsed: () => setSettings({ ...settings(), scim_sync: 'succeeds' }),
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
    release(id, name, to, vault) {
      const record = interns.get(id)?.record;
      const asked = vault ? [record?.workspace_id] : [record?.vault_id, record?.attached_vault_id];
      return vaults.release(
        asked.filter((each) => each != null),
        name,
        to,
      );
    },
    scope: lifetime.state,
    log,
    changed: (id, internId) => events.changed('run', id, internId),
    waits: (id, ms) => reportWait(id, ms, () => waitOfRun(id)),
    said: transcripts.note,
  });

  const doors: Doors = openDoors(options, {
    lifetime,
    mount,
    factories,
    log,
    ground,
    accounts,
    resolve,
    interns,
    provisioning,
    create,
    runs,
    limiter,
    directory,
    vaults,
    scripts,
    plan,
    events,
    next: sequence.next,
    nameOf,
    delayed: (id, ms, still) => reportWait(id, ms, () => ({ who: `request ${id}`, about: 'an injected delay', still })),
  });
  const { faults, journal } = doors;

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
  const readers = createReaders({ clock, interns, runs, faults, scripts, matches, lab, redact: accounts.redact });
  const { judge } = options;
  if (judge !== undefined) judgeExchanges(journal, () => judge(ground.profile, options.replay === undefined));
  watchTraffic(events, journal, transcripts);
  if (onRequest) logRequests({ journal, redact: accounts.redact, nameOf, write: onRequest });
  else if (!options.log && !options.quiet)
    warnOfRefusals(journal, accounts.redact, (message) => log({ level: 'warn', event: 'refused', message }));

  return {
    log,
    ...ground,
    ...doors,
    adoptToken: tokens.adopt,
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
    transcripts,
    events,
    readers,
    lab,
  };
}
