import type { Dispatcher } from 'undici';
import { UsageError } from '../framework/usage.js';
import type { Fetch } from '../probe/client.js';
import { LOOPBACK, networkFetch, undiciFetch } from './network.js';

/** Variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The entry of `NO_PROXY` that brings loopback addresses under the proxy, in the words of Chromium. */
const ALSO_LOOPBACK = '<-loopback>';

/** A proxy did not lead to the target. */
export class ProxyRefused extends Error {
  override readonly name = 'ProxyRefused';
}

/** A proxy as it may be reported: without user and password. */
interface Proxy {
  readonly variable: string;
  readonly address: URL;
}

const causesOf = (error: unknown): Error[] => (error instanceof Error ? [error, ...causesOf(error.cause)] : []);

/** The sentence on a failure of the proxy that the request went to; undefined if it may come from the target. */
function refusedBy({ variable, address }: Proxy, error: unknown): ProxyRefused | undefined {
  const proxy = `the proxy ${address.protocol}//${address.host} (${variable})`;
  for (const cause of causesOf(error)) {
    // undici reports the status in its text alone.
    const status = /^Proxy response \((\d+)\)/.exec(cause.message)?.[1];
    const wants = status === '407' ? `; it wants a user and a password in ${variable}` : '';
    if (status !== undefined) return new ProxyRefused(`${proxy} answers CONNECT with ${status}${wants}`);
    const { code, port, hostname } = cause as { code?: string; port?: number; hostname?: string };
    const its = Number(address.port || (address.protocol === 'https:' ? 443 : 80));
    if ((code === 'ENOTFOUND' && hostname === address.hostname) || (code === 'ECONNREFUSED' && port === its))
      return new ProxyRefused(`${proxy} cannot be reached: ${cause.message}`);
  }
  return undefined;
}

/** The lower-case spelling counts where there are two, as with curl. */
const read = (env: Environment, name: string) => env[name.toLowerCase()] ?? env[name];

/**
 * `fetch` through the proxies that `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` name (KIT-6), the machine's own if none
 * is named. Loopback addresses are reached without a proxy unless `NO_PROXY` contains `<-loopback>`.
 *
 * @throws UsageError for an invalid address
 */
export function environmentFetch(env: Environment): Fetch {
  const httpProxy = read(env, 'HTTP_PROXY');
  const httpsProxy = read(env, 'HTTPS_PROXY');
  const noProxy = read(env, 'NO_PROXY') ?? '';
  if (!httpProxy && !httpsProxy) return networkFetch;
  for (const [name, address] of Object.entries({ HTTP_PROXY: httpProxy, HTTPS_PROXY: httpsProxy })) {
    // Its text may hold a password.
    if (address && !/^https?:\/\/[^/]/i.test(address))
      throw new UsageError(`${name} is no address of a proxy, such as http://proxy.test:3128`);
  }
  const direct = noProxy.includes(ALSO_LOOPBACK) ? undefined : LOOPBACK;
  const of = (variable: string, address: string | undefined): Proxy | undefined =>
    address ? { variable, address: new URL(address) } : undefined;
  const http = of('HTTP_PROXY', httpProxy);
  const https = of('HTTPS_PROXY', httpsProxy) ?? http;
  let agent: Promise<Dispatcher> | undefined;
  const load = async (): Promise<Dispatcher> => {
    const { EnvHttpProxyAgent } = await import('undici');
    // An empty text keeps the agent from reading the variables of the process instead.
    return new EnvHttpProxyAgent({ httpProxy: httpProxy ?? '', httpsProxy: httpsProxy ?? '', noProxy });
  };
  return async (request) => {
    const { host, hostname, protocol } = new URL(request.url);
    if (direct?.test(hostname)) return networkFetch(request);
    // Over a network the URL already says it, and a request under its own name can go through the proxy.
    if (request.headers.get('host') === host) request.headers.delete('host');
    if (request.headers.has('host')) return networkFetch(request);
    agent ??= load();
    const proxy = protocol === 'https:' ? https : http;
    try {
      return await undiciFetch(request, await agent);
    } catch (error) {
      throw (proxy === undefined ? undefined : refusedBy(proxy, error)) ?? error;
    }
  };
}
