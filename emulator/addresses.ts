import type { Target } from './control/target.js';
import { BASE } from './http/route.js';

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
