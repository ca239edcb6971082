import { hostNow } from '../clock/host-wait.js';
import { type CaseExchange, type ClientCase, isScripted, type Scripted } from '../contract/client-case.js';
import type { LabRun, Sent } from '../contract/lab-run.js';
import { type Authority, createAuthority } from '../signing/authority.js';
import { type SecureServer, startSecureServer } from './h2.js';
import { type Places, play } from './play.js';
import { type MakeSigningEmulator, type RealSigning, realSigning } from './real.js';
import { type KeptRequest, type PlayedCase, shown } from './run.js';
import { exchangeOf, sentOf } from './sent.js';
import { headerOf, type Link, type Received, type Servers, startServers } from './servers.js';

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

/** The addresses and credentials that a client receives for its run. `signing` has the last three. */
export interface StartedRun {
  readonly run: string;
  readonly url: string;
  readonly base_url: string;
  readonly key: string;
  /** The authority that a client must trust, PEM: HTTP/2 alone. */
  readonly ca?: string;
  readonly sign_url?: string;
  readonly daemon_origin?: string;
  readonly daemon_token?: string;
}

interface Kept extends PlayedCase {
  readonly key: string;
  readonly token: string | undefined;
  real: RealSigning | undefined;
  readonly links: Set<Link>;
  /** The connections that brought requests, in order. */
  readonly connections: object[];
  readonly secure: SecureServer | undefined;
}

export function createLab(options: LabOptions) {
  const runs = new Map<string, Kept>();
  /** Every run as it is shown, those of kits too, the oldest first. */
  const known = new Map<string, { readonly theCase: ClientCase; shown(): LabRun }>();
  let servers: Promise<Servers> | undefined;
  let authority: Authority | undefined;

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
    // The token of the run stands for that of its intern. Any other stays what it is.
    if (received.token === run.token && request.at !== 'sign') headers.set('authorization', `Bearer ${run.real.token}`);
    const init = { method: request.method, headers, ...(received.body.length === 0 ? {} : { body: received.body }) };
    return request.at === 'sign' ? run.real.sign(init) : run.real.daemon(request.path, init);
  };

  const scripted = async (run: Kept, request: KeptRequest, received: Received): Promise<Scripted> => {
    const own: CaseExchange = { at: request.at === 'sign' ? 'sign' : 'daemon', real: true };
    const exchange = exchangeOf(run.theCase, request, run.requests) ?? own;
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
    const { link } = received;
    // It came on a connection that the lab had closed: a closed server sees nothing of it.
    if (link.over) return link.destroy();
    const run = findRun(received);
    if (run === undefined || run.over.signal.aborted) return link.refuse(404);
    const request = record(run, received);
    options.changed?.(shown(run));
    const before = link.taken;
    const closed = (by: 'client' | 'reset') => {
      request.closed ??= { at: hostNow(), by };
    };
    const unwatch = link.watch(closed, () => {
      request.taken = link.taken - before;
      if (request.answered === undefined && !run.over.signal.aborted) closed('client');
    });
    run.links.add(link);
    const { base, other } = (await started()).origins;
    const inside = `${other}/lab/${run.run}`;
    const places: Places = { base: run.theCase.layer === 'signing' ? base : run.base_url, other: inside };
    const codings = headerOf(received.headers, 'accept-encoding')
      .toLowerCase()
      .split(/[\s,;]+/);
    try {
      const exchange = await scripted(run, request, received);
      await play(link.wire(exchange), exchange, run, request, places, (coding) => codings.includes(coding));
    } finally {
      request.taken = link.taken - before;
      if (request.answered !== undefined) {
        run.links.delete(link);
        unwatch();
      }
      options.changed?.(shown(run));
    }
  };

  const record = (run: Kept, { origin, path, method, headers, body, arrived, link }: Received): KeptRequest => {
    if (!run.connections.includes(link.connection)) run.connections.push(link.connection);
    const signing = run.theCase.layer === 'signing';
    const request: KeptRequest = {
      n: run.requests.length + 1,
      origin,
      at: signing ? (path.split('?')[0] === '/sign' ? 'sign' : 'daemon') : 'client',
      connection: run.connections.indexOf(link.connection) + 1,
      method,
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

  /** HTTP/2 gets an origin for each run, so that its connections are the run's alone. */
  const secureFor = async ({ exchanges }: ClientCase): Promise<SecureServer | undefined> => {
    const mine = exchanges.filter(isScripted).filter(({ protocol }) => protocol === 'h2');
    if (mine.length === 0) return undefined;
    authority ??= createAuthority(hostNow());
    return startSecureServer(authority, handle, mine.find(({ window }) => window !== undefined)?.window);
  };

  const keep = async (id: string, one: { readonly theCase: ClientCase; shown(): LabRun }) => {
    known.set(id, one);
    for (const old of known.keys()) {
      if (known.size <= MOST_RUNS) break;
      known.delete(old);
      const run = runs.get(old);
      runs.delete(old);
      if (run !== undefined) await finish(run);
    }
  };

  const finish = async (run: Kept) => {
    run.over.abort();
    for (const link of run.links) link.destroy();
    run.links.clear();
    const { real } = run;
    run.real = undefined;
    await Promise.all([real?.close(), run.secure?.close()]);
  };

  return {
    /** Starts a run. The sockets are opened with the first. */
    async start({ case: theCase, cuts, scale = 1, due, patience = 1 }: RunRequest): Promise<StartedRun> {
      const { base } = (await started()).origins;
      const id = options.id();
      const secure = await secureFor(theCase);
      const baseUrl = `${secure?.origin ?? base}/lab/${id}`;
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
        links: new Set(),
        connections: [],
        secure,
      };
      runs.set(id, run);
      await keep(id, { theCase, shown: () => shown(run) });
      options.changed?.(shown(run));
      return {
        run: id,
        url,
        base_url: baseUrl,
        key: run.key,
        ...(secure === undefined ? {} : { ca: authority?.ca ?? '' }),
        ...(run.token === undefined
          ? {}
          : { sign_url: `${baseUrl}/sign`, daemon_origin: base, daemon_token: run.token }),
      };
    },
    /** The client has reported an event of a prompt case. */
    reported(id: string): void {
      const run = runs.get(id);
      if (run === undefined) return;
      run.out++;
      run.reported();
    },
    /** The requests of the client, credentials redacted. */
    read: (id: string): LabRun | undefined => known.get(id)?.shown(),
    /** The same with headers as received, for the code that evaluates them. */
    raw: (id: string): LabRun | undefined => runs.get(id),
    list: (): LabRun[] => [...known.values()].reverse().map((one) => one.shown()),
    /** The writes that answered each request of a run; undefined for an unknown one. */
    sent(id: string): Sent[] | undefined {
      const one = known.get(id);
      return one && sentOf(one.theCase, one.shown());
    },
    /** Keeps a run that a kit made and judged, as one of its own. */
    adopt(theCase: ClientCase, given: Omit<LabRun, 'run' | 'case'>): LabRun {
      const run = { ...given, run: options.id(), case: theCase.id };
      void keep(run.run, { theCase, shown: () => run });
      options.changed?.(run);
      return run;
    },
    /** Ends what a run still has in progress. */
    async finish(id: string): Promise<void> {
      const run = runs.get(id);
      if (run !== undefined) await finish(run);
    },
    async close(): Promise<void> {
      await Promise.all([...runs.values()].map(finish));
      await (await servers)?.close();
    },
  };
}

/** Serves the client cases byte for byte on sockets of its own, and keeps what the clients did (LAB-8). */
export type Lab = ReturnType<typeof createLab>;
