import { hostNow } from '../clock/host.js';
import type { Scope } from '../clock/scope.js';
import { type Kind, SWITCH, TEXT, WHOLE, wrongOption } from '../contract/option-kinds.js';
import type { Target } from '../contract/target.js';
import { isHealthCheck } from '../control/guard.js';
import type { Redaction } from '../credentials/redaction.js';
import { createHostRules, isLoopback } from '../http/hosts.js';
import { refuseHost } from '../http/protocol.js';
import { type EmulatorOptions, loadAllowedHosts, OptionError } from '../options/options.js';
import { addressesOf, DEFAULT_PORT, type RootMount } from './addresses.js';
import { type Listener, type ListenOptions, listen } from './listen.js';
import { refusedRecord } from './log.js';

/** The addresses of an emulator that listens. */
export interface ListenAt {
  /** Scheme, host and port. */
  readonly url: string;
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly daemonOrigin: string;
  /** With `tls`: the file of the authority that clients must trust, PEM. It is gone when the emulator is closed. */
  readonly caFile?: string;
}

export interface ListenRequest {
  /** Default `127.0.0.1`. Another address needs `controlToken`. */
  readonly host?: string;
  /** Default 4683; 0 picks one for each listener. */
  readonly port?: number;
  /** The port of the daemons. Default: the next port, or a free one if that is taken; 0 picks one. */
  readonly daemonPort?: number;
  /** Serves HTTPS, with a certificate of an authority made for this start. */
  readonly tls?: boolean;
  /** See `ListenOptions.replaceGlobals`: only where the process is the emulator's own. */
  readonly replaceGlobals?: boolean;
}

const KINDS: Record<keyof ListenRequest, Kind> = {
  host: TEXT,
  port: WHOLE,
  daemonPort: WHOLE,
  tls: SWITCH,
  replaceGlobals: SWITCH,
};

/** @internal */
export interface ListeningDeps {
  readonly options: EmulatorOptions;
  /** The listeners are closed with it. */
  readonly root: Scope;
  readonly mount: RootMount;
  readonly target: Target;
  readonly now: () => number;
  readonly regional: (host: string) => boolean;
  readonly redact: Redaction['redact'];
  readonly requestId: () => string;
  readonly log: (record: Record<string, unknown>) => void;
  /** The functions behind the listener of the interface, and the one behind that of the daemons. */
  readonly main: Pick<ListenOptions, 'answer' | 'intercept' | 'mounted'>;
  readonly daemons: ListenOptions['answer'];
}

/**
 * Opens the two listeners of an emulator: the interface, and its daemons.
 *
 * @internal
 */
export function createListening(deps: ListeningDeps): (request?: ListenRequest) => Promise<ListenAt> {
  const { options, root, mount, target, log, requestId } = deps;
  const listeners: Listener[] = [];
  root.defer(() => Promise.all(listeners.map((listener) => listener.close())));
  const bind = async (request: ListenOptions): Promise<Listener> => {
    const listener = await listen(request);
    listeners.push(listener);
    // Closed meanwhile: it came too late to be closed with the others.
    if (root.disposed) await listener.close();
    root.throwIfDisposed();
    return listener;
  };
  return async (request = {}) => {
    const wrong = wrongOption(request, KINDS);
    if (wrong !== undefined) throw new OptionError(`listen: ${wrong}`);
    const { host = '127.0.0.1', port = DEFAULT_PORT, daemonPort, tls = false, replaceGlobals = false } = request;
    const beyond = !isLoopback(host);
    if (options.controlToken === undefined && beyond)
      throw new OptionError(
        `listening on ${host} opens the control interface: give it a control token (--control-token, INTERN_EMULATOR_CONTROL_TOKEN)`,
      );
    const { publicHost } = mount;
    const named = [...loadAllowedHosts(options.allowHosts), ...(publicHost ? [publicHost] : [])];
    const validateHost = createHostRules({ regional: deps.regional, allowed: beyond ? undefined : named });
    // A health check may come by any name, or by none.
    const anyName = createHostRules({ regional: () => false, allowed: undefined });
    const anyHost = (name: string | undefined) => (name === undefined ? 'served' : anyName(name));
    const secured = tls ? (await import('./tls.js')).secure([host, ...named], root) : undefined;
    const main = await bind({
      ...deps.main,
      host,
      port,
      tls: secured,
      replaceGlobals,
      requestId,
      log,
      refuse(request, seen) {
        const validate = isHealthCheck(request.method, request.url) ? anyHost : validateHost;
        const refusal = refuseHost(validate, request, seen);
        if (refusal) options.onRequest?.(refusedRecord(request, refusal, deps.now(), deps.redact));
        return refusal;
      },
    });
    if (beyond) mount.listening(mount.local(), true, hostNow());
    try {
      const bindDaemons = (at: number) =>
        bind({ host, port: at, tls: secured, replaceGlobals, requestId, log, answer: deps.daemons });
      const second = await bindDaemons(daemonPort ?? (port === 0 ? 0 : port + 1)).catch((error: unknown) => {
        // Nobody asked for the next port: any will do.
        if (daemonPort !== undefined || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
        return bindDaemons(0);
      });
      if (port !== 0 && daemonPort === undefined && second.port !== port + 1)
        log({
          level: 'warn',
          event: 'daemon_port',
          message: `Port ${port + 1} is in use: the intern daemons listen on ${second.port}. Choose it with --daemon-port.`,
        });
      mount.listening(addressesOf(host, main.port, second.port, secured?.caFile), beyond, hostNow());
    } catch (error) {
      listeners.splice(listeners.indexOf(main), 1);
      await main.close();
      throw Object.assign(error as Error, { listener: 'daemons' });
    }
    return {
      url: new URL(mount.local().base_url).origin,
      baseUrl: target.base_url,
      controlUrl: target.control_url,
      daemonOrigin: target.daemon_origin,
      ...(secured && { caFile: secured.caFile }),
    };
  };
}
