import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { UsageError } from '../../emulator/contract/problem.js';
import type { Fetch } from '../probe/client.js';
import { ChunkedRequest } from '../probe/request.js';

/** Addresses that need no name look-up: requests to them under another Host go to the same place. */
export const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** The machine's `fetch` sets Host by the URL; this sends the requested one. */
function asHost(request: Request): Promise<Response> {
  const url = new URL(request.url);
  const send = url.protocol === 'https:' ? secure : plain;
  return new Promise((resolve, reject) => {
    const outgoing = send(
      url,
      { method: request.method, headers: Object.fromEntries(request.headers), signal: request.signal, agent: false },
      (incoming) => {
        const headers = new Headers();
        for (const [name, value] of Object.entries(incoming.headers)) {
          for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one);
        }
        const status = incoming.statusCode ?? 0;
        const empty = status === 204 || status === 304 || request.method === 'HEAD';
        if (empty) incoming.resume();
        resolve(
          new Response(empty ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>), { status, headers }),
        );
      },
    );
    outgoing.on('error', reject);
    request.arrayBuffer().then((bytes) => {
      const body = Buffer.from(bytes);
      // Node frames the body of a DELETE only on request: otherwise the server would see none.
      if (body.length > 0 && !outgoing.hasHeader('transfer-encoding'))
        outgoing.setHeader('content-length', body.length);
      outgoing.end(body);
    }, reject);
  });
}

/**
 * undici's `fetch` rather than the machine's: that of Node 20 leaves the connection of an answer with more than five
 * codings to nobody, and its end ended the process. `dispatcher` is the way through a proxy.
 */
export async function undiciFetch(request: Request, dispatcher?: Dispatcher): Promise<Response> {
  const { fetch } = await import('undici');
  const { method, headers, signal, redirect, body } = request;
  // A body that was whole is sent with its length.
  const sent =
    request instanceof ChunkedRequest ? { body, duplex: 'half' as const } : { body: await request.arrayBuffer() };
  const response = await fetch(request.url, {
    method,
    headers: [...headers],
    signal,
    redirect,
    ...(body === null ? {} : sent),
    ...(dispatcher === undefined ? {} : { dispatcher }),
  });
  return response as unknown as Response;
}

/** `fetch` over the network. The caller refuses redirects. */
export const networkFetch: Fetch = (request) => (request.headers.has('host') ? asHost(request) : undiciFetch(request));

/** Variables of a process. */
type Environment = Readonly<Record<string, string | undefined>>;

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
