import * as http from 'node:http';
import * as https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { RawExchange } from './exchange.js';
import { SCENARIO_HEADER } from './format.js';
import { VERSION_SEGMENT } from './operations.js';

/** What becomes of what passes. */
export interface Observer {
  /** A request came. Throws where it cannot be recorded; it is then refused, and nothing is passed on. */
  begin(scenario: string | null): void;
  /** An exchange ended. `raw.n` counts requests in the order in which they came. */
  end(raw: RawExchange): void;
  /** The deployment could not be asked. */
  failed(method: string, path: string, problem: string): void;
}

export interface ProxyOptions {
  /** The deployment: its base URL, which ends in `/api/v1`. */
  readonly target: URL;
  readonly host: string;
  readonly port: number;
  /** ms, from a source that only goes forward. */
  readonly now: () => number;
  readonly observer: Observer;
}

export interface RecordingProxy {
  /** Where the deployment's interface is found here: the same path, on this machine. */
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** Headers of one connection (RFC 9110 7.6.1), which the next has its own of. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
  'expect',
]);

/** Raw headers without those of the connection, and without `dropped`; as name, value, name, value. */
function passedOn(raw: readonly string[], dropped: readonly string[] = []): string[] {
  const pairs = Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index] ?? '', raw[2 * index + 1] ?? '']);
  const named = pairs
    .filter(([name = '']) => name.toLowerCase() === 'connection')
    .flatMap(([, value = '']) => value.split(',').map((name) => name.trim().toLowerCase()));
  const gone = new Set([...HOP_BY_HOP, ...named, ...dropped]);
  return pairs.filter(([name = '']) => !gone.has(name.toLowerCase())).flat();
}

const joined = (headers: http.IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')]],
    ),
  );

/** The path from the version segment on; a deployment's prefix before it is its own. */
function fromVersion(path: string): string {
  const at = path.indexOf(`${VERSION_SEGMENT}/`);
  return at > 0 ? path.slice(at) : path;
}

/** ms, exact enough to tell what came first. */
const toMicroseconds = (ms: number) => Math.round(ms * 1_000) / 1_000;

/** What a connection that failed says, and for TLS what helps. */
function problemOf(error: NodeJS.ErrnoException): string {
  const certificate = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(error.code ?? '');
  const advice = certificate ? '; for a certificate of your own authority set NODE_EXTRA_CA_CERTS' : '';
  return `${error.message || error.code || 'the connection failed'}${advice}`;
}

function refuse(response: http.ServerResponse, status: number, message: string, reason: string): void {
  if (response.headersSent) return void response.destroy();
  const body = JSON.stringify({ error: { code: status, message, metadata: { reason, retryable: false } } });
  response.writeHead(status, {
    'content-type': 'application/json',
    'x-emulator-detail': message.replace(/[^\x20-\x7e]/g, '?'),
  });
  response.end(body);
}

/** The parts of a request that this connection adds or leaves out. */
function outgoing(options: ProxyOptions, request: http.IncomingMessage): string[] {
  const headers = passedOn(request.rawHeaders, ['host', 'accept-encoding', SCENARIO_HEADER]);
  headers.push('Host', options.target.host, 'Accept-Encoding', 'identity');
  const { te, 'transfer-encoding': coding, expect } = request.headers;
  if (coding !== undefined) headers.push('Transfer-Encoding', 'chunked');
  if (te?.includes('trailers')) headers.push('TE', 'trailers');
  if (expect !== undefined) headers.push('Expect', expect);
  return headers;
}

/**
 * A proxy of one deployment that changes nothing: what comes is passed on as it comes, in both directions, and whoever
 * leaves is seen to leave on the other side. The deployment is asked for identity; its TLS is verified.
 *
 * @throws Error with Node's `code` when the port can't be had
 */
export async function startProxy(options: ProxyOptions): Promise<RecordingProxy> {
  const { target, now, observer } = options;
  const secure = target.protocol === 'https:';
  const agent = new (secure ? https : http).Agent({ keepAlive: true });
  const began = now();
  let count = 0;

  const pass = (request: http.IncomingMessage, response: http.ServerResponse) => {
    const n = ++count;
    const came = now();
    const { method = 'GET', url = '/' } = request;
    const scenario = request.headers[SCENARIO_HEADER]?.toString() ?? null;
    try {
      observer.begin(scenario);
    } catch (error) {
      return refuse(response, 409, (error as Error).message, 'not_recordable');
    }
    const sent: Buffer[] = [];
    const writes: { at: number; bytes: Buffer }[] = [];
    let answer: http.IncomingMessage | undefined;
    let over = false;
    const end = (ended: RawExchange['ended']) => {
      if (over) return;
      over = true;
      observer.end({
        n,
        scenario,
        at: toMicroseconds(came - began),
        method,
        path: fromVersion(url),
        requestHeaders: joined(request.headers),
        requestBody: Buffer.concat(sent),
        status: answer?.statusCode ?? null,
        headers: joined(answer?.headers ?? {}),
        writes,
        ended,
      });
    };

    const upstream = (secure ? https : http).request({
      protocol: target.protocol,
      hostname: target.hostname.replace(/^\[|\]$/g, ''),
      port: target.port || (secure ? 443 : 80),
      method,
      path: url,
      headers: outgoing(options, request) as unknown as http.OutgoingHttpHeaders,
      setHost: false,
      agent,
    });
    upstream.setNoDelay(true);
    let connected = false;
    upstream.on('socket', (socket) => {
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        connected = true;
      });
    });
    upstream.on('continue', () => response.writeContinue());
    upstream.on('information', ({ statusCode, headers }) => {
      if (statusCode === 103 && headers.link) response.writeEarlyHints({ link: headers.link });
    });
    upstream.on('error', (error) => {
      if (over) return;
      // An answer that came before the body was read to its end (413) stands, whatever becomes of the rest.
      if (answer) return;
      // A connection of its own that breaks off is the deployment's answer. One that was kept may just have been closed.
      if (connected && !upstream.reusedSocket) {
        end('broken');
        return void response.destroy();
      }
      over = true;
      const problem = problemOf(error);
      observer.failed(method, url, problem);
      refuse(response, 502, `The deployment cannot be reached: ${problem}`, 'upstream_unavailable');
    });
    upstream.on('response', (incoming) => {
      answer = incoming;
      response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, passedOn(incoming.rawHeaders));
      response.flushHeaders();
      incoming.on('data', (bytes: Buffer) => {
        writes.push({ at: toMicroseconds(now() - came), bytes });
        if (!response.write(bytes)) {
          incoming.pause();
          response.once('drain', () => incoming.resume());
        }
      });
      incoming.on('end', () => {
        if (Object.keys(incoming.trailers).length > 0) response.addTrailers(joined(incoming.trailers));
        response.end(() => end('complete'));
      });
      incoming.on('aborted', () => {
        end('broken');
        response.destroy();
      });
      incoming.on('error', () => {});
    });
    request.on('data', (bytes: Buffer) => {
      sent.push(bytes);
      if (!upstream.write(bytes)) {
        request.pause();
        upstream.once('drain', () => request.resume());
      }
    });
    request.on('end', () => {
      if (Object.keys(request.trailers).length > 0) upstream.addTrailers(joined(request.trailers));
      upstream.end();
    });
    request.on('error', () => {});
    response.on('error', () => {});
    response.on('close', () => {
      if (response.writableFinished) return;
      if (answer) end('client');
      over = true;
      upstream.destroy();
    });
  };

  const server = http.createServer({ requireHostHeader: false, keepAliveTimeout: 60_000 }, pass);
  server.on('checkContinue', pass);
  server.on('connection', (socket) => socket.setNoDelay(true));
  // A question may wait for its answer for minutes, and a body may come slowly: that is the deployment's to judge.
  server.requestTimeout = 0;
  server.headersTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  const name = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    baseUrl: `http://${name}:${port}${target.pathname.replace(/\/$/, '')}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      agent.destroy();
    },
  };
}
