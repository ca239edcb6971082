import type { Target } from '../contract/target.js';
import { BASE } from '../http/route.js';
import { OptionError } from '../options/options.js';

/** The default port of an emulator; the daemons listen on the next one. */
export const DEFAULT_PORT = 4683;

export type Addresses = Pick<Target, 'base_url' | 'control_url' | 'daemon_origin' | 'ca_file'>;

/** The addresses of a target that listens on `host`; one that listens everywhere is reached by loopback from here. */
export function addressesOf(host: string, port: number, daemonPort: number, caFile?: string): Addresses {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  const scheme = caFile === undefined ? 'http' : 'https';
  const origin = `${scheme}://${name}:${port}`;
  return {
    base_url: origin + BASE,
    control_url: `${origin}/_emulator`,
    daemon_origin: `${scheme}://${name}:${daemonPort}`,
    ...(caFile === undefined ? {} : { ca_file: caFile }),
  };
}

/** The public addresses of a target behind a proxy or in a container, if they differ from where it listens (WEB-3). */
export interface PublicAddresses {
  /** Up to and with `/api/v1`. */
  readonly baseUrl: string | undefined;
  readonly daemonOrigin: string | undefined;
  /** The host of `baseUrl`, with its port. */
  readonly host: string | undefined;
}

function parsed(name: string, given: string): URL {
  const refuse = () =>
    new OptionError(
      `${name}: expected an http or https URL such as https://emulator.test; found ${JSON.stringify(given)}`,
    );
  if (!URL.canParse(given)) throw refuse();
  const url = new URL(given);
  if (!/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) throw refuse();
  return url;
}

/**
 * The public addresses of an emulator. The URL may come with or without `/api/v1`.
 *
 * @throws OptionError for anything but the URL of an interface, or of daemons
 */
export function publicAddresses(url: string | undefined, daemonUrl: string | undefined): PublicAddresses {
  const base = url === undefined ? undefined : parsed('public URL', url);
  const daemons = daemonUrl === undefined ? undefined : parsed('public daemon URL', daemonUrl);
  if (daemons && daemons.pathname !== '/')
    throw new OptionError(`public daemon URL: expected an origin without a path; found ${JSON.stringify(daemonUrl)}`);
  const path = base?.pathname.replace(/\/+$/, '');
  return {
    baseUrl: base && base.origin + (path?.endsWith(BASE) ? path : path + BASE),
    daemonOrigin: daemons?.origin,
    host: base?.host,
  };
}

/** The place of an emulator: its prefix and its addresses. */
export interface Mount {
  /** The beginning of its paths, before `/api/v1` and `/_emulator`: nothing, or `/spaces/{name}`. */
  readonly prefix: string;
  /** The addresses that its target shows. */
  addresses(): Addresses;
  /** Whether a listener can be reached from other machines. */
  beyondLoopback(): boolean;
  /** Since when it listens, in ms of the machine's time: another process at the same address has another value. */
  since(): number | undefined;
  /** The host of the public URL, if there is one. */
  readonly publicHost: string | undefined;
}

/** The mount of an emulator that listens by itself. */
export interface RootMount extends Mount {
  /** The addresses on this machine, whatever the public ones are. */
  local(): Addresses;
  listening(at: Addresses, beyondLoopback: boolean, since: number): void;
}

/** @throws OptionError as {@link publicAddresses} */
export function createRootMount(publicUrl: string | undefined, publicDaemonUrl: string | undefined): RootMount {
  const shown = publicAddresses(publicUrl, publicDaemonUrl);
  let local = addressesOf('127.0.0.1', DEFAULT_PORT, DEFAULT_PORT + 1);
  let beyond = false;
  let listeningSince: number | undefined;
  return {
    prefix: '',
    publicHost: shown.host,
    local: () => local,
    addresses: () => ({
      ...local,
      base_url: shown.baseUrl ?? local.base_url,
      daemon_origin: shown.daemonOrigin ?? local.daemon_origin,
    }),
    beyondLoopback: () => beyond,
    since: () => listeningSince,
    listening(at, isBeyond, since) {
      listeningSince ??= since;
      local = at;
      beyond ||= isBeyond;
    },
  };
}

/** A mount below a prefix of another; the daemons are at the same origin. */
export const mountBelow = (host: Mount, prefix: string): Mount => ({
  prefix: host.prefix + prefix,
  publicHost: host.publicHost,
  addresses() {
    const { base_url, control_url, ...others } = host.addresses();
    return {
      ...others,
      base_url: base_url.slice(0, -BASE.length) + prefix + BASE,
      control_url: control_url.replace(/\/_emulator$/, `${prefix}/_emulator`),
    };
  },
  beyondLoopback: () => host.beyondLoopback(),
  since: host.since,
});
