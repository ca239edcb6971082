import { type Answer, type OpenAnswer, openAnswer, said } from './answer.js';
import { Evidence, recordedBody, type ShownExchange } from './evidence.js';
import type { Redactor } from './redact.js';
import {
  type CredentialName,
  canBeClosed,
  type Incoming,
  type Outgoing,
  outgoingOf,
  type PlainFetch,
  requestOf,
  type Send,
  sender,
  urlOf,
  withHost,
} from './request.js';
import type { Host } from './time.js';
import { createInFlight, watchRequest } from './wait.js';

export type { Answer, OpenAnswer } from './answer.js';
export { whyNoAnswer } from './wait.js';

export type Fetch = (request: Request) => Response | Promise<Response>;

interface ClientOptions {
  readonly fetch: Fetch;
  /** Tried before `fetch`, for targets that can do without it. */
  readonly plainFetch?: PlainFetch | undefined;
  /** Up to and including /api/v1, without a slash at its end. */
  readonly baseUrl: string;
  readonly host: Host;
  readonly redactor: Redactor;
  credential(name: CredentialName): string;
  /** The target's names of headers that checks send by their published names. */
  readonly headerNames?: Readonly<Record<string, string>>;
  /** ms of real time until an answer must begin, and again until a body that is read whole must end. */
  readonly timeout: number;
  /** Whether a requested Host goes into the URL, too: a target without a network reads it there. */
  readonly hostInUrl?: boolean;
  readonly inProcess?: boolean;
  /** Replaces the URL of a request. */
  address?(url: string): string;
  /** Watches over a request. */
  passes?(send: Send, url: string, by: Sender | undefined): RequestHooks;
}

/** Called at the stages of one request. */
export interface RequestHooks {
  /** ms until the answer must begin; the client's `timeout` if undefined. */
  readonly patience: number | undefined;
  /** Called before the request is sent: rate, budget, the ledger of created interns. Throws to stop it. */
  enter(signal: AbortSignal | undefined): Promise<void>;
  /** The request is sent, as the `number`-th of the client. It repeats the `first`. `lost` or `begins` reports the outcome. */
  leaves(numbers: { readonly number: number; readonly first: number }): void;
  /** No answer began, after this many ms. */
  lost(after: number): void;
  /** The answer begins. Returns ms to wait before the request is repeated; undefined if the answer counts. */
  begins(answer: Pick<OpenAnswer, 'status' | 'headers' | 'headAfter'>): number | undefined;
  /** The answer was read whole. */
  ends(answer: Answer, record: Evidence): void;
  /** The answer was not read to its end. */
  left(): void;
}

/** The check that a scope sends for. `staged`: it makes the target fail on purpose. `walks`: it reports breaches of rules itself. */
export interface Sender {
  readonly id: string;
  readonly staged: boolean;
  readonly walks?: boolean;
  /** The lane that counts its requests and interns. */
  readonly lane?: Lane;
}

/** The record of one lane, whose checks run one after another beside other lanes. */
export interface Lane {
  /** Ids that the current check made or was handed; emptied by the runner. */
  readonly made: Set<string>;
  /** The number of requests of its checks. */
  sent: number;
}

/** Sends requests, and keeps their evidence. */
export interface Client {
  send(send: Send): Promise<Answer>;
  open(send: Send): Promise<OpenAnswer>;
  /** Starts a fresh record and returns the one so far. */
  takeEvidence(): Evidence[];
  /** Snapshots of what was recorded since the last {@link takeEvidence}. */
  exchanges(): ShownExchange[];
  /** Resolves when no request waits for the head of its answer. */
  idle(): Promise<void>;
  /** The number of requests of all scopes. */
  readonly sent: number;
  /** Closes every answer that is still open. */
  closeAll(): Promise<void>;
  /**
   * The same client with evidence of its own. Once `signal` aborts it sends nothing more, and requests in progress
   * reject with the reason of the signal.
   */
  scope(signal: AbortSignal, by?: Sender): Client;
}

export function createClient(options: ClientOptions): Client {
  const { host, redactor } = options;
  const started = host.now();
  const at = () => Math.round((host.now() - started) * 10) / 10;
  const count = { sent: 0 };
  const flying = new Set<Promise<unknown>>();
  const addressOf = (send: Send) => {
    const url = urlOf(send, options.baseUrl);
    return options.address?.(url) ?? url;
  };

  const scoped = (signal?: AbortSignal, by?: Sender): Client => {
    let evidence: Evidence[] = [];
    const open = new Set<OpenAnswer>();
    const inFlight = createInFlight(signal);
    const mustGoOn = () => {
      if (signal?.aborted) throw signal.reason;
    };

    /** Sends a request once. `again` is ms to wait before it is repeated. */
    const once = async (send: Send, repeated?: number) => {
      const url = addressOf(send);
      const hooks = options.passes?.(send, url, by);
      const address = send.host !== undefined && options.hostInUrl === true ? withHost(url, send.host) : url;
      const leaving = outgoingOf(send, address, options.credential, options.headerNames);
      const { method, headers, body } = leaving;
      mustGoOn();
      await hooks?.enter(signal);
      mustGoOn();
      const number = ++count.sent;
      hooks?.leaves({ number, first: repeated ?? number });
      const began = at();
      const record = new Evidence(
        number,
        began,
        () => ({
          method,
          url: redactor.text(url),
          headers: { ...redactor.headers(headers), ...sender(send, headers) },
          ...recordedBody(body, redactor),
        }),
        redactor,
      );
      evidence.push(record);
      // Without a network a signal would cost as much as the request.
      const abort = options.inProcess === true && !canBeClosed(url) ? undefined : new AbortController();
      const watch = watchRequest({
        host,
        redactor,
        inFlight,
        what: () => `${method} ${redactor.text(url)}`,
        limit: send.timeout ?? options.timeout,
        abort,
      });
      const held = (request: Request) => {
        watch.hold(request);
        return request;
      };
      let response: Incoming;
      try {
        const patience = send.timeout === undefined ? hooks?.patience : undefined;
        const outgoing: Outgoing = { ...leaving, signal: abort?.signal };
        const incoming = options.plainFetch?.(outgoing) ?? options.fetch(held(requestOf(outgoing)));
        response = await watch.within(incoming, 'came', patience);
      } catch (error) {
        const lost = watch.reasonOf(error);
        record.failed(said(lost));
        hooks?.lost(at() - began);
        throw lost;
      }
      const headAt = at();
      record.answered(headAt, response.status, response.headers);
      const answer = openAnswer(response, {
        host,
        redactor,
        watch,
        record,
        number,
        headAfter: headAt - began,
        at,
        over(ended, complete) {
          if (!complete) hooks?.left();
          open.delete(ended);
        },
        seen: (whole) => hooks?.ends(whole, record),
      });
      if (response.body) open.add(answer);
      return { answer, again: hooks?.begins(answer) };
    };

    const tried = async (first: Send): Promise<OpenAnswer> => {
      let send = first;
      let repeated: number | undefined;
      for (let tries = 0; ; tries++) {
        const { answer, again } = await once(send, repeated);
        repeated ??= answer.exchange;
        if (again === undefined || tries === 3) return answer;
        await answer.whole().catch(() => answer.close());
        await host.sleep(again, signal);
        const as = answer.status === 429 ? await send.other?.() : undefined;
        if (as !== undefined) send = { ...send, as };
        if (send.renew !== undefined) send = { ...send, json: send.renew() };
      }
    };
    const opened = (send: Send): Promise<OpenAnswer> => {
      const flight = tried(send);
      const settled = flight.then(
        () => {},
        () => {},
      );
      flying.add(settled);
      settled.then(() => flying.delete(settled));
      return flight;
    };

    return {
      open: opened,
      send: async (send) => (await opened(send)).whole(),
      takeEvidence() {
        const taken = evidence;
        evidence = [];
        return taken;
      },
      async idle() {
        while (flying.size > 0) await Promise.all(flying);
      },
      exchanges: () => evidence.map((entry) => entry.snapshot()),
      get sent() {
        return count.sent;
      },
      async closeAll() {
        await Promise.all([...open].map((answer) => answer.close()));
      },
      scope: scoped,
    };
  };
  return scoped();
}
