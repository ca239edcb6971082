import type { Fetch } from '../probe/client.js';
import { UsageError } from '../run/usage.js';
import { LOOPBACK, networkFetch } from './network.js';

/** Variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What of `NO_PROXY` brings loopback addresses under the proxy, in the words of Chromium. */
const ALSO_LOOPBACK = '<-loopback>';

/** The lower-case spelling counts where there are two, as with curl. */
const read = (env: Environment, name: string) => env[name.toLowerCase()] ?? env[name];

/**
 * `fetch` through the proxies that `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` name (KIT-6), the machine's own where none is
 * named. Loopback addresses are reached without a proxy unless `NO_PROXY` contains `<-loopback>`.
 *
 * @throws UsageError for an address that is none
 */
export function environmentFetch(env: Environment): Fetch {
  const httpProxy = read(env, 'HTTP_PROXY');
  const httpsProxy = read(env, 'HTTPS_PROXY');
  const noProxy = read(env, 'NO_PROXY') ?? '';
  if (!httpProxy && !httpsProxy) return networkFetch;
  for (const [name, address] of Object.entries({ HTTP_PROXY: httpProxy, HTTPS_PROXY: httpsProxy })) {
    // What it says may hold a password.
    if (address && !/^https?:\/\/[^/]/i.test(address))
      throw new UsageError(`${name} is no address of a proxy, such as http://proxy.test:3128`);
  }
  const direct = noProxy.includes(ALSO_LOOPBACK) ? undefined : LOOPBACK;
  let agent: Promise<unknown> | undefined;
  const load = async () => {
    const { EnvHttpProxyAgent } = await import('undici');
    // An empty text keeps the agent from reading the variables of the process instead.
    return new EnvHttpProxyAgent({ httpProxy: httpProxy ?? '', httpsProxy: httpsProxy ?? '', noProxy });
  };
  return async (request) => {
    const { host, hostname } = new URL(request.url);
    if (direct?.test(hostname)) return networkFetch(request);
    // Over a network the URL says it already, and what is asked for under its own name can go through the proxy.
    if (request.headers.get('host') === host) request.headers.delete('host');
    if (request.headers.has('host')) return networkFetch(request);
    agent ??= load();
    return fetch(request, { dispatcher: await agent } as RequestInit);
  };
}
