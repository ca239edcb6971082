import type { Socket } from 'node:net';
import { hostNow } from '../clock/host-wait.js';
import { type CaseExchange, type ClientCase, isScripted, type Scripted } from '../contract/client-case.js';
import type { LabRun } from '../contract/lab-run.js';
import { type Places, play } from './play.js';
import { type MakeSigningEmulator, type RealSigning, realSigning } from './real.js';
import { type KeptRequest, type Run, shown } from './run.js';
import { type Received, type Servers, startServers } from './servers.js';

/** How many runs are remembered. */
const MOST_RUNS = 1_000;

export interface LabOptions {
  /** Ids of runs and tokens: characters that may be in a URL. */
  id(): string;
  /** Makes an emulator for the real side of `signing`. */
  readonly emulator: MakeSigningEmulator;
  /** Receives each run at its start and with each request. */
  changed?(run: LabRun): void;
}

export interface RunRequest {
  readonly case: ClientCase;
  readonly cuts?: readonly number[] | undefined;
  /** The share of repeated writes that are made, default 1. */
  readonly scale?: number;
  /** Events due after each write, if the client reports each as it comes: then the lab waits for them. */
  readonly due?: readonly number[] | undefined;
  /** How many times the usual second it waits for them, default 1. */
  readonly patience?: number;
}

/** What a client receives for its run. `signing` has the last three. */
export interface StartedRun {
  readonly run: string;
  readonly url: string;
  readonly base_url: string;
  readonly key: string;
  readonly sign_url?: string;
  readonly daemon_origin?: string;
  readonly daemon_token?: string;
}

/** Serves the client cases byte for byte on sockets of its own, and keeps what the clients did (LAB-8). */
export interface Lab {
  /** Starts a run. The sockets are opened with the first. */
  start(request: RunRequest): Promise<StartedRun>;
  /** The client has reported an event of a prompt case. */
  reported(run: string): void;
  /** What the client did, credentials redacted. */
  read(run: string): LabRun | undefined;
  /** The same with headers as received, for the code that evaluates them. */
  raw(run: string): LabRun | undefined;
  list(): LabRun[];
  /** Ends what a run still has in progress. */
  finish(run: string): Promise<void>;
  close(): Promise<void>;
}

interface Kept extends Run {
  readonly key: string;
  readonly token: string | undefined;
  real: RealSigning | undefined;
  readonly sockets: Set<Socket>;
}

const sideOf = (exchange: CaseExchange): 'sign' | 'daemon' => exchange.at ?? 'daemon';

export function createLab(options: LabOptions): Lab {
  const runs = new Map<string, Kept>();
  let servers: Promise<Servers> | undefined;

  /** The exchange that answers this request: the n-th of its side, the last repeats. */
  const exchangeOf = (run: Kept, request: KeptRequest): CaseExchange => {
    const { exchanges } = run.theCase;
    const mine = run.theCase.layer === 'signing' ? exchanges.filter((one) => sideOf(one) === request.at) : exchanges;
    const before = run.requests.filter((other) => other.at === request.at && other.n < request.n).length;
    const found = mine[Math.min(before, mine.length - 1)];
    return found ?? { at: request.at === 'sign' ? 'sign' : 'daemon', real: true };
  };

  const findRun = ({ run, token }: Received): Kept | undefined => {
    if (run !== undefined) return runs.get(run);
    const open = [...runs.values()].filter((one) => one.theCase.layer === 'signing' && !one.over.signal.aborted);
    return open.find((one) => one.token === token) ?? (open.length === 1 ? open[0] : undefined);
  };

  const askReal = (run: Kept, request: KeptRequest, received: Received): Promise<Response> => {
    if (run.real === undefined) throw new RangeError(`${run.theCase.id} has no real side`);
    const headers = new Headers();
    for (const [name, value] of request.headers)
      if (!/^(host|connection|content-length|transfer-encoding|expect|te|upgrade|keep-alive)$/i.test(name))
        headers.append(name, value);
    const init = { method: request.method, headers, ...(received.body.length === 0 ? {} : { body: received.body }) };
    return request.at === 'sign' ? run.real.sign(init) : run.real.daemon(request.path, init);
  };

  const scripted = async (run: Kept, request: KeptRequest, received: Received): Promise<Scripted> => {
    const exchange = exchangeOf(run, request);
    if (exchange.advance !== undefined) await run.real?.advance(exchange.advance);
    if (isScripted(exchange)) {
      if (exchange.spends === true) await (await askReal(run, request, received)).arrayBuffer();
      return exchange;
    }
    const response = await askReal(run, request, received);
    const bytes = Buffer.from(await response.arrayBuffer());
    return {
      status: response.status,
      headers: Object.fromEntries(
        [...response.headers].filter(([name]) => !/^(content-length|transfer-encoding|connection|date)$/.test(name)),
      ),
      framing: 'length',
      connection: 'keep-alive',
      steps: bytes.length === 0 ? [] : [{ write_base64: bytes.toString('base64') }],
    };
  };

  const handle = async (received: Received) => {
    const { socket, incoming } = received;
    // It came on a connection that the lab had closed: a closed server sees nothing of it.
    if (socket.writableEnded) {
      socket.destroy();
      return;
    }
    const run = findRun(received);
    if (run === undefined || run.over.signal.aborted) {
      socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
      return;
    }
    const request = record(run, received);
    options.changed?.(shown(run));
    const before = socket.bytesWritten;
    const closed = (by: 'client' | 'reset') => {
      request.closed ??= { at: hostNow(), by };
    };
    const onEnd = () => closed('client');
    const onError = () => closed('reset');
    socket.once('end', onEnd).once('error', onError);
    const onClose = () => {
      request.taken = socket.bytesWritten - before;
      if (request.answered === undefined && !run.over.signal.aborted) closed('client');
    };
    socket.once('close', onClose);
    run.sockets.add(socket);
    const { base, other } = (await started()).origins;
    const inside = `${other}/lab/${run.run}`;
    const places: Places = { base: run.theCase.layer === 'signing' ? base : run.base_url, other: inside };
    try {
      const exchange = await scripted(run, request, received);
      await play(
        socket,
        exchange,
        run,
        request,
        places,
        /\bgzip\b/.test(String(incoming.headers['accept-encoding'] ?? '')),
      );
    } finally {
      request.taken = socket.bytesWritten - before;
      if (request.answered !== undefined && !socket.destroyed) {
        run.sockets.delete(socket);
        socket.removeListener('end', onEnd).removeListener('error', onError).removeListener('close', onClose);
      }
      options.changed?.(shown(run));
    }
  };

  const record = (run: Kept, { origin, path, incoming, body, arrived }: Received): KeptRequest => {
    const raw = incoming.rawHeaders;
    const headers = Array.from(
      { length: raw.length / 2 },
      (_, at) => [raw[2 * at] ?? '', raw[2 * at + 1] ?? ''] as const,
    );
    const signing = run.theCase.layer === 'signing';
    const request: KeptRequest = {
      n: run.requests.length + 1,
      origin,
      at: signing ? (path.split('?')[0] === '/sign' ? 'sign' : 'daemon') : 'client',
      method: incoming.method ?? '',
      path,
      headers,
      body: body.subarray(0, 65_536).toString(),
      arrived,
      taken: 0,
      writes: [],
    };
    run.requests.push(request);
    return request;
  };

  const started = () => {
    servers ??= startServers(handle);
    return servers;
  };

  const finish = async (run: Kept) => {
    run.over.abort();
    for (const socket of run.sockets) socket.destroy();
    run.sockets.clear();
    const { real } = run;
    run.real = undefined;
    await real?.close();
  };

  return {
    async start({ case: theCase, cuts, scale = 1, due, patience = 1 }) {
      const { base } = (await started()).origins;
      const id = options.id();
      const baseUrl = `${base}/lab/${id}`;
      const url = `${baseUrl}/chat/completions`;
      const signing = theCase.layer === 'signing';
      const now = hostNow();
      const real = signing ? await realSigning(options.emulator, now, theCase.clock ?? 0) : undefined;
      const run: Kept = {
        run: id,
        case: theCase.id,
        url,
        base_url: baseUrl,
        started: now,
        requests: [],
        prompt: [],
        theCase,
        cuts,
        scale,
        due,
        patience,
        out: 0,
        reported() {},
        over: new AbortController(),
        key: real?.key ?? `lab-key-${options.id()}`,
        token: signing ? `lab-token-${options.id()}` : undefined,
        real,
        sockets: new Set(),
      };
      runs.set(id, run);
      for (const [old, one] of runs) {
        if (runs.size <= MOST_RUNS) break;
        await finish(one);
        runs.delete(old);
      }
      options.changed?.(shown(run));
      return {
        run: id,
        url,
        base_url: baseUrl,
        key: run.key,
        ...(run.token === undefined
          ? {}
          : { sign_url: `${baseUrl}/sign`, daemon_origin: base, daemon_token: run.token }),
      };
    },
    reported(id) {
      const run = runs.get(id);
      if (run === undefined) return;
      run.out++;
      run.reported();
    },
    read: (id) => {
      const run = runs.get(id);
      return run && shown(run);
    },
    raw: (id) => runs.get(id),
    list: () => [...runs.values()].reverse().map(shown),
    async finish(id) {
      const run = runs.get(id);
      if (run !== undefined) await finish(run);
    },
    async close() {
      await Promise.all([...runs.values()].map(finish));
      await (await servers)?.close();
    },
  };
}
