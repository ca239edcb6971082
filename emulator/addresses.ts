import type { Target } from './control/target.js';
import { BASE } from './http/route.js';
import { OptionError } from './options.js';

/** Whether an address to listen on is reachable from this machine only. */
export const isLoopback = (address: string): boolean =>
  address === 'localhost' || address === '::1' || /^127(\.\d{1,3}){3}$/.test(address);

/** The addresses of a target that listens on `host`; one that listens everywhere is reached by loopback from here. */
export function addressesOf(
  host: string,
  port: number,
  daemonPort: number,
): Pick<Target, 'base_url' | 'control_url' | 'daemon_origin'> {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  const origin = `http://${name}:${port}`;
  return { base_url: origin + BASE, control_url: `${origin}/_emulator`, daemon_origin: `http://${name}:${daemonPort}` };
}

/** What a target says of itself behind a proxy or in a container, where that is not where it listens (WEB-3). */
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
 * @throws OptionError for what is no URL of an interface, or of daemons
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
