import { type ClockControl, createClock } from './clock/clock.js';
import { createRandom, type Random } from './clock/random.js';
import type { Profile } from './contract/profile.js';
import type { Settings } from './contract/settings.js';
import { createControl } from './control/control.js';
import { signingLab } from './control/signing.js';
import { seededTarget, type Target } from './control/target.js';
import { createProofs } from './daemon/proofs.js';
import { type Accounts, createAccounts } from './domain/accounts.js';
import type { Caller } from './domain/caller.js';
import { createCreate } from './domain/create.js';
import { createInterns, type InternsDeps } from './domain/interns.js';
import { createLimiter } from './domain/limiter.js';
import { createProcesses } from './domain/processes.js';
import { createRuns } from './domain/runs.js';
import { createApp, type NodeBindings } from './http/app.js';
import { chatRoute } from './http/chat.js';
import { daemonAliasRoute, daemonRoute } from './http/daemon.js';
import { createFaults } from './http/faults.js';
import { internRoutes } from './http/interns.js';
import { invokeRoute } from './http/invoke.js';
import { createJournal } from './http/journal.js';
import { scimRoute } from './http/scim.js';
import { signAliasRoute, signRoute } from './http/sign.js';
import { type Listener, listen } from './listen.js';
import { createLogin, LOGIN_PATH, type LoginToken } from './oidc/login.js';
import { type EmulatorOptions, loadProfile, loadSeed, loadSettings, OptionError } from './options.js';
import { inProcess, isLoopback, placed, regionalJudge } from './place.js';
import { createScriptRegistry } from './scripts/registry.js';
import { completeImport, hideCredentials, seededState } from './seeding.js';
import { loadSigningKey } from './signing/keys.js';
import { openFileStore } from './store/file.js';
import { createMemoryStore } from './store/memory.js';
import { VERSION } from './version.js';

/** Where an emulator listens. */
export interface ListenAt {
  /** Scheme, host and port. */
  readonly url: string;
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly daemonOrigin: string;
}

export interface ListenRequest {
  /** Default `127.0.0.1`. Another address needs `controlToken`. */
  readonly host?: string;
  /** Default 4683; 0 picks one for each listener. The daemons listen on the next. */
  readonly port?: number;
  /** See `ListenOptions.replaceGlobals`: only where the process is the emulator's own. */
  readonly replaceGlobals?: boolean;
}

/** The whole interface in one object; any number of them side by side, sharing nothing. */
export interface Emulator {
  /** The interface and the control interface, without a socket. Takes what the global `fetch` takes, and paths too. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** The fake daemons, without a socket. */
  readonly daemon: { fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> };
  /**
   * Binds both listeners.
   *
   * @throws Error with Node's `code` when a port can't be had; OptionError when the control interface would be open
   */
  listen(request?: ListenRequest): Promise<ListenAt>;
  /** What a client or the conformance kit needs to know. */
  readonly target: Target;
  readonly clock: ClockControl;
  /** Back to the seed. The clock stays where it is. */
  reset(): Promise<void>;
  /** Ends every run, drains and closes the listeners, writes and closes the store. Nothing is left running. */
  close(): Promise<void>;
}

export const DEFAULT_PORT = 4683;

/** The single values of a store that an opening leaves behind (`openings`), and the key that signs. */
function openMeta(store: ReturnType<typeof createMemoryStore>): number {
  const meta = store.collection('meta');
  const last = meta.get('openings')?.value;
  const openings = typeof last === 'number' ? last + 1 : 1;
  meta.put({ id: 'openings', value: openings });
  return openings;
}

const pathOf = (url: string): string => url.slice(url.indexOf('/', url.indexOf('://') + 3));

/**
 * Puts the parts of an emulator together. Nothing is shared between two of them, and nothing needs a socket.
 *
 * @throws OptionError for an option that can't be used, StoreError for a store that can't be opened
 */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const profile: Profile = loadProfile(options.profile);
  const seed = loadSeed(options.seedFile);
  const initial: Settings = loadSettings(options.settings);
  let settings = initial;
  const log = options.log ?? (() => {});
  const clock = createClock(options.clock ?? 'real');
  const store =
    options.data === undefined ? createMemoryStore() : openFileStore(options.data, { hold: () => clock.hold() });
  // Each opening of a store takes its own stream: a restarted emulator repeats no id and no nonce.
  const stream = String(openMeta(store));
  const root = createRandom(options.seed);
  const randomOf = (name: string): Random => createRandom(root.seed, `${stream} ${name}`);
  const random = randomOf('ids');

  const accounts: Accounts = createAccounts(seed, randomOf('digests').bytes(32));
  const scripts = createScriptRegistry({
    behaviours: options.scripts ?? [],
    files: options.scriptFiles ?? [],
    rows: store.collection('scripts'),
    log,
  });
  const internsDeps: InternsDeps = {
    clock,
    random,
    store,
    accounts,
    plan: (row) => scripts.resolveLifecycle(row),
    endRuns: (id, cause) => runs.endAll(id, cause),
    forgetRuns: (id) => runs.forget(id),
    log,
  };
  const interns = createInterns(internsDeps);
  const processes = createProcesses(interns, internsDeps);
  const limiter = createLimiter({ clock, settings: () => settings });
  const runs = createRuns({
    clock,
    random: randomOf('runs'),
    settings: () => settings,
    store,
    scripts,
    intern: (id) => interns.get(id),
    log,
  });

  const meta = store.collection('meta');
  const stored = meta.get('signing_key')?.value;
  const key = loadSigningKey({
    ...(options.signingKey === undefined ? {} : { given: options.signingKey }),
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    ...(typeof stored === 'string' ? { stored } : {}),
  });
  if (key.source === 'generated') meta.put({ id: 'signing_key', value: key.pem });
  const { signer, daemon, lab } = createProofs({
    clock,
    random: randomOf('proofs'),
    profile,
    signingKey: key,
    interns: store.collection('interns'),
    subjects: () => seed.members.map((member) => member.oauth_subject),
    settings: () => settings,
    daemonOrigin: () => target.daemon_origin,
    requireV2: options.requireV2,
    lifecyclePlan: (row) => scripts.resolveLifecycle(row),
    log,
  });

  const login = createLogin({
    clock,
    random: randomOf('login'),
    members: seed.members,
    issuer: () => new URL(LOGIN_PATH, target.base_url).href,
    outsideIssuer: options.oidcIssuer,
    log,
  });
  const loggedIn = (found: LoginToken | undefined): Caller | undefined =>
    found && {
      id: found.member.id,
      kind: 'oauth',
      workspaceId: found.member.workspace_id,
      programme: found.member.programme,
      subject: found.member.oauth_subject,
      grant: found.grant,
    };
  const resolve = (token: string) => {
    const seeded = accounts.resolve(token);
    if (seeded) return seeded;
    const found = login.resolveToken(token);
    return found instanceof Promise ? found.then(loggedIn) : loggedIn(found);
  };

  const faults = createFaults();
  const journal = createJournal(clock, accounts.redact);
  const regional = regionalJudge(options.regionalHosts ?? ['eu.']);

  const signDeps = { clock, random: randomOf('nonces'), signer, limiter, profile };
  const daemonDeps = {
    clock,
    random,
    store,
    daemonOrigin: () => target.daemon_origin,
    lifecyclePlan: (row: Parameters<typeof scripts.resolveLifecycle>[0]) => scripts.resolveLifecycle(row),
    log,
  };
  const app = createApp(
    [
      ...internRoutes({ interns, processes, store, create: createCreate(interns, processes, internsDeps) }),
      chatRoute({
        clock,
        random: randomOf('chat'),
        runs,
        limiter,
        profile,
        settings: () => settings,
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
    ],
    {
      clock,
      random: randomOf('requests'),
      settings: () => settings,
      interns,
      faults,
      journal,
      resolve,
      regional,
      log,
    },
  );

  const target: Target = {
    ...placed('127.0.0.1', DEFAULT_PORT, DEFAULT_PORT + 1),
    profile: profile.name,
    clock: options.clock ?? 'real',
    public_keys: [key.jwk],
    ...seededTarget(seed),
  };

  /** Stops what goes on by itself, exchanges the rows, and takes up what the new ones have going on. */
  const replaceState = async (state: ReturnType<typeof store.snapshot>) => {
    processes.stop();
    runs.reset();
    await store.replace(state);
    accounts.clearOwnKeys();
    interns.reindex();
    processes.resume();
  };
  const keptMeta = () => [...meta.values()].filter((row) => row.id === 'openings' || row.id === 'signing_key');

  const reset = async () => {
    settings = initial;
    limiter.clear();
    login.reset();
    faults.clear();
    await replaceState(seededState(seed, clock, random, [...keptMeta(), { id: 'seeded', value: true }]));
    journal.clear();
  };

  if (meta.has('seeded')) {
    interns.reindex();
    processes.resume();
  } else {
    for (const row of seededState(seed, clock, random, []).interns) interns.put(row);
    meta.put({ id: 'seq', value: seed.interns.length });
    meta.put({ id: 'seeded', value: true });
  }
  store.commit().catch((error: unknown) => log({ event: 'store_failed', error: String(error) }));

  const control = createControl({
    version: VERSION,
    clock,
    faults,
    journal,
    token: options.controlToken,
    target: () => target,
    settings: () => settings,
    setTurnsPerMinute(turns) {
      settings = { ...settings, turns_per_minute: turns };
      limiter.clear();
    },
    intern: (id) => interns.get(id),
    setScript(row, name) {
      interns.put(row, undefined, { script: name });
    },
    commit: () => store.commit(),
    runs: (id) => runs.list(id),
    reveals: () => [...store.collection('reveals').values()].reverse(),
    scripts,
    reset,
    exportState: (credentials) => (credentials ? store.snapshot() : hideCredentials(store.snapshot())),
    importState: (state) => replaceState(completeImport(state, store.snapshot(), random)),
    extra: signingLab(lab),
    log,
  });

  const serve = (request: Request, bindings: NodeBindings): Response | Promise<Response> => {
    const path = pathOf(request.url);
    return path.startsWith('/_emulator/') || path === '/_emulator' ? control(request) : app.fetch(request, bindings);
  };

  const listeners: Listener[] = [];
  let closing: Promise<void> | undefined;
  const close = async () => {
    processes.stop();
    runs.close();
    scripts.close();
    await Promise.all(listeners.map((listener) => listener.close()));
    await store.close();
    clock.close();
  };

  return {
    fetch: (input, init) => inProcess(serve, target, input, init),
    daemon: { fetch: (input, init) => inProcess((request) => daemon.fetch(request), target, input, init) },
    async listen({ host = '127.0.0.1', port = DEFAULT_PORT, replaceGlobals = false } = {}) {
      if (options.controlToken === undefined && !isLoopback(host))
        throw new OptionError(`listening on ${host} opens the control interface: give it a control token`);
      const main = await listen({
        host,
        port,
        replaceGlobals,
        fetch: serve,
        intercept(request, response) {
          if (!login.handles(request.url ?? '')) return false;
          login.nodeHandler(request, response);
          return true;
        },
      });
      listeners.push(main);
      try {
        const daemonPort = port === 0 ? 0 : port + 1;
        const second = await listen({
          host,
          port: daemonPort,
          replaceGlobals,
          fetch: (request) => daemon.fetch(request),
        });
        listeners.push(second);
        Object.assign(target, placed(host, main.port, second.port));
      } catch (error) {
        listeners.splice(listeners.indexOf(main), 1);
        await main.close();
        throw error;
      }
      return {
        url: new URL(target.base_url).origin,
        baseUrl: target.base_url,
        controlUrl: target.control_url,
        daemonOrigin: target.daemon_origin,
      };
    },
    target,
    clock,
    reset,
    close() {
      closing ??= close();
      return closing;
    },
  };
}
