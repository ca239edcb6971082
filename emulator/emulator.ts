import type { ClockControl } from './clock/clock.js';
import { hostEvery, hostNow } from './clock/host.js';
import { compose } from './composition.js';
import { wrongOption } from './contract/option-kinds.js';
import { givenRequestId } from './contract/request-id.js';
import type { Target } from './contract/target.js';
import { VERSION } from './contract/version.js';
import { observedClock } from './control/clock.js';
import { createControl } from './control/control.js';
import { guardLogin } from './control/guard.js';
import { defaultFactories, type Factories, sharedFactories } from './factories.js';
import { admitPage, withCors } from './http/cors.js';
import type { NodeBindings } from './http/exchange.js';
import { pathOf } from './http/request-log.js';
import { type AnyResponse, asResponse } from './http/response.js';
import { BASE } from './http/route.js';
import { isFetchedByPages, LOGIN_PATH } from './oidc/terms.js';
import { KINDS } from './options/kinds.js';
import { type EmulatorOptions, OptionError } from './options/options.js';
import type { ReceivedRequest } from './requests/received-request.js';
import { createRootMount, type Mount, type RootMount } from './serving/addresses.js';
import {
  type InProcessClient,
  type InProcessExchange,
  type InProcessFetch,
  inProcessExchange,
  inProcessFetch,
} from './serving/in-process-fetch.js';
import type { Bindings } from './serving/listen.js';
import { createListening, type ListenAt, type ListenRequest } from './serving/listening.js';
import { createPage } from './serving/page.js';
import { type DaemonTokens, plainTokens } from './spaces/daemon-tokens.js';
import { createSpaces, type Served, type Spaces } from './spaces/spaces.js';
import { hideCredentials } from './state/export.js';
import { createLifetime, type Lifetime } from './state/lifetime.js';
import { createStateControl } from './state/state-control.js';

/** The whole interface in one object. Any number of them run side by side and share nothing. */
export interface Emulator {
  /** The interface and the control interface, without a socket. Takes what the global `fetch` takes, and paths too. */
  readonly fetch: InProcessFetch;
  /** The emulated daemons, without a socket. */
  readonly daemon: { readonly fetch: InProcessFetch };
  /**
   * Binds both listeners: `{ port, host, daemonPort, … }`, with port 0 for a free one. Returns their addresses.
   *
   * @throws Error with Node's `code` and the `listener` (`interface` or `daemons`) if a port is not available;
   * OptionError if the control interface would be open
   */
  listen(request?: ListenRequest): Promise<ListenAt>;
  /** Addresses, credentials and ids, for a client or the conformance kit. */
  readonly target: Target;
  /** `now()` is the time in ms. `advance(ms)` lets it pass at once, on a virtual clock. */
  readonly clock: ClockControl;
  /** Back to the seed. The clock stays where it is. */
  reset(): Promise<void>;
  /** Ends every run, drains and closes the listeners, writes and closes the store. Nothing is left running. */
  close(): Promise<void>;
}

/**
 * An emulator as the conformance kit drives it.
 *
 * @internal
 */
export interface AssembledEmulator extends Emulator {
  /** `fetch` at less cost, of the interface and the control interface; without recordings and spaces. */
  readonly exchange: InProcessExchange;
}

/**
 * Makes an emulator. Two of them share nothing, and nothing needs a socket.
 *
 * @example
 * ```ts
 * import { createEmulator } from 'intern-emulator';
 *
 * const emulator = createEmulator({ clock: 'virtual' });
 * const { base_url, credentials } = emulator.target;
 * const headers = { authorization: `Bearer ${credentials.api_key}` };
 * const answer = await emulator.fetch(`${base_url}/interns`, { headers });
 * console.log(await answer.json());
 * await emulator.close();
 * ```
 *
 * @throws OptionError for an option that cannot be used, StoreError for a store that cannot be opened
 */
export const createEmulator = (options: EmulatorOptions = {}): Emulator => assemble(options);

/**
 * {@link createEmulator} with factories of the caller's choice in place of the default ones.
 *
 * @internal
 */
export function assemble(options: EmulatorOptions, factories: Factories = defaultFactories): AssembledEmulator {
  const wrong = wrongOption(options, KINDS);
  if (wrong !== undefined) throw new OptionError(wrong);
  if (options.oidcAudience !== undefined && options.oidcIssuer === undefined)
    throw new OptionError('an OIDC audience applies to tokens of an outside issuer only: give the issuer too');
  const mount = createRootMount(options.publicUrl, options.publicDaemonUrl);
  const lifetime = createLifetime();
  return orDispose(lifetime, () => {
    const parts = compose(options, { lifetime, mount, factories, tokens: plainTokens, createEmulator });
    const shared = sharedFactories(factories, parts, options.profile);
    const spaces = createSpaces({
      mount,
      random: parts.randomOf('spaces'),
      host: { now: hostNow, every: hostEvery },
      idle: options.spaceIdle ?? 600_000,
      most: options.maxSpaces ?? 1_000,
      regional: parts.regional,
      cors: parts.cors,
      // Another emulator, behind a prefix, in memory, emulating.
      make: ({ settings, ...wanted }, at, tokens) =>
        mountEmulator(
          { ...withoutStore(options), ...wanted, settings: { ...options.settings, ...settings } },
          at,
          shared,
          tokens,
        ),
    });
    lifetime.root.defer(spaces.close);
    return own(
      options,
      lifetime,
      mount,
      parts,
      connect(options, lifetime, mount, parts, factories, parts.replay ? undefined : spaces),
      spaces,
    );
  });
}

/** An emulator below another's prefix: it answers requests, and listens nowhere. */
function mountEmulator(options: EmulatorOptions, mount: Mount, factories: Factories, tokens: DaemonTokens): Served {
  const lifetime = createLifetime();
  return orDispose(lifetime, () => {
    const parts = compose(options, { lifetime, mount, factories, tokens, createEmulator });
    return connect(options, lifetime, mount, parts, factories, undefined);
  });
}

function orDispose<T>(lifetime: Lifetime, make: () => T): T {
  try {
    return make();
  } catch (error) {
    // Everything opened so far is released. A failure of that adds nothing to why the emulator could not be made.
    lifetime.root.dispose(error).catch(() => {});
    throw error;
  }
}

const withoutStore = ({ data: _, replay: __, ...options }: EmulatorOptions): EmulatorOptions => options;

type Parts = ReturnType<typeof compose>;

type Connected = Served & Pick<Emulator, 'clock' | 'reset'>;

/** Starts the parts, and mounts what they show. */
function connect(
  options: EmulatorOptions,
  lifetime: Lifetime,
  mount: Mount,
  parts: Parts,
  factories: Factories,
  spaces: Spaces | undefined,
): Connected {
  const { app, cors, events, faults, interns, journal, limiter, log, login } = parts;
  const { disturber, random, requestIds, runs, scripts, settings, store, target } = parts;
  const { daemon } = parts.proofs;
  const clock = observedClock(parts.clock, () => events.changed('clock', 'clock'));
  const state = createStateControl(parts, clock, lifetime);
  state.begin();

  const guarded = { token: options.controlToken, publicHost: mount.publicHost, beyondLoopback: mount.beyondLoopback };
  const control = createControl(guarded, async () => {
    // A load takes time of the host: a virtual clock that somebody advances would pass it by minutes.
    const release = clock.hold();
    const { agentRows, controlRows, createRouter, createSigningLab, labRows, openApiRow, signingLab } = await factories
      .loadControlled()
      .finally(release);
    const rows = controlRows({
      ...guarded,
      version: VERSION,
      clock,
      scope: lifetime.state,
      faults,
      journal,
      target: () => target,
      profile: parts.profile,
      settings,
      setTurnsPerMinute(turns) {
        parts.setSettings({ ...settings(), turns_per_minute: turns });
        limiter.clear();
      },
      changeSettings: (change) => parts.setSettings({ ...settings(), ...change }),
      interns: () => [...store.collection('interns').values()].sort((a, b) => b.seq - a.seq),
      setScript(row, name) {
        interns.put(row, undefined, { script: name });
      },
      commit: () => store.commit(),
      runs,
      reveals: () => [...store.collection('reveals').values()].reverse(),
      scripts,
      matches: parts.matches,
      reset: state.reset,
      exportState: (credentials) =>
        credentials ? store.snapshot() : hideCredentials(store.snapshot(), parts.accounts.redact),
      importState: state.import,
      events,
      async recordingOf(entries) {
        const { recordingOf } = await import('./recording/from-journal.js');
        const named = ['api_key', 'foreign_api_key', 'peer_api_key', 'outsider_api_key'] as const;
        const callers = named.flatMap((name) => {
          const caller = parts.accounts.resolve(target.credentials[name] ?? '');
          return caller === undefined ? [] : [[caller.id, name]];
        });
        return recordingOf(entries, Object.fromEntries(callers));
      },
      async requirementOf(id) {
        const found = (await import('./agents/requirement.js')).requirementOf(id);
        if (found === undefined) return null;
        const { level, sentence, quote, where } = found;
        return { id: found.id, level, sentence, quote, where };
      },
      readers: parts.readers,
      transcripts: parts.transcripts,
      snapshots: state.snapshots,
      spaces,
      extra: [
        ...signingLab(createSigningLab(parts.proofs.lab)),
        ...labRows(parts.lab, {
          checks: options.checks,
          mayRun: options.agentsMayRun === true,
          scope: lifetime.root,
        }),
        ...agentRows({
          serve: inProcessFetch(
            (request, client) => answer(request, client),
            () => target.base_url,
            lifetime.root,
          ),
          base: () => `${new URL(target.base_url).origin}${BASE}`,
          token: options.controlToken,
          checks: options.checks,
          mayRun: options.agentsMayRun === true,
          listens: () => mount.since() !== undefined,
          scope: lifetime.root,
        }),
        openApiRow(() => ({
          routes: parts.routes,
          profile: parts.profile,
          version: VERSION,
          baseUrl: target.base_url,
          issuer: options.oidcIssuer ?? new URL(mount.prefix + LOGIN_PATH, target.base_url).href,
        })),
      ],
      log,
    });
    return createRouter(rows, log, lifetime.state);
  });

  const page = createPage(mount.beyondLoopback, mount.prefix);
  /** The answer of the page and the control interface; undefined for requests to the interface. */
  const beside = (request: ReceivedRequest, bindings: NodeBindings) => {
    const path = pathOf(request.url);
    const ours = path.startsWith('/_emulator/') || path === '/_emulator';
    if (!ours && path !== '/') return undefined;
    return page(request, path) ?? (ours ? control(request, () => bindings.streams?.()) : undefined);
  };
  const answer = (request: ReceivedRequest, bindings: NodeBindings = {}): AnyResponse | Promise<AnyResponse> => {
    const shown = beside(request, bindings);
    if (shown !== undefined) return shown;
    if (!disturber.active()) return serveApp(request, bindings);
    return disturber.interface(request, bindings, serveAll);
  };

  // Replayed answers know nothing of the page that asks.
  const serveApp = parts.replay
    ? withCors(cors, requestIds.next, async (request: ReceivedRequest, bindings?: NodeBindings) =>
        app.answer(request, bindings),
      )
    : app.answer;
  const serveAll = async (request: ReceivedRequest, bindings: NodeBindings) =>
    asResponse(await serveApp(request, bindings));

  let closing: Promise<void> | undefined;
  const close = () => {
    runs.close();
    events.close();
    return lifetime.end('The emulator was closed');
  };

  return {
    answer,
    daemon: withCors(cors, requestIds.next, async (request: Request, bindings?: Bindings) => {
      const serve = (received: ReceivedRequest) => daemon.fetch(received, bindings?.incoming);
      return disturber.active() ? disturber.daemon(request, bindings, serve) : serve(request);
    }),
    intercept(request, response) {
      if (!login.handles(request.url ?? '')) return false;
      response.setHeader('x-request-id', givenRequestId(request.headers['x-request-id']) ?? random.uuid());
      if (isFetchedByPages(request.url ?? '') && admitPage(cors, request, response)) return true;
      login.nodeHandler(request, response, guardLogin(request, options.controlToken, mount.beyondLoopback()));
      return true;
    },
    target,
    clock,
    reset: state.reset,
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** An emulator with addresses of its own: it can listen, and its spaces are below it. */
function own(
  options: EmulatorOptions,
  { root }: Lifetime,
  mount: RootMount,
  { accounts, log, random, regional }: Parts,
  served: ReturnType<typeof connect>,
  spaces: Spaces,
): AssembledEmulator {
  const { target } = served;
  const serveInProcess = (request: Request, client: InProcessClient) =>
    (pathOf(request.url).startsWith('/spaces/') ? spaces.answer(request, client) : undefined) ??
    served.answer(request, client);
  const serveDaemon = (request: Request, bindings?: Bindings) =>
    (spaces.daemonOf(request) ?? served).daemon(request, bindings);

  const baseUrl = () => mount.local().base_url;

  return {
    fetch: inProcessFetch(serveInProcess, baseUrl, root),
    exchange: inProcessExchange(served.answer, root),
    daemon: { fetch: inProcessFetch((request) => serveDaemon(request), baseUrl, root) },
    listen: createListening({
      options,
      root,
      mount,
      target,
      now: served.clock.now,
      regional,
      redact: accounts.redact,
      requestId: random.uuid,
      log,
      main: {
        answer: served.answer,
        intercept: (request, response) => served.intercept?.(request, response) ?? false,
        mounted: spaces.mounted,
      },
      daemons: serveDaemon,
    }),
    target,
    clock: served.clock,
    reset: served.reset,
    close: served.close,
  };
}
