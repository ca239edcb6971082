import type { Host } from '../framework/time.js';
import { bodyText, Evidence, type Exchange } from './exchange.js';
import { MAX_BODY } from './limit.js';
import { kindOf, NoAnswer } from './no-answer.js';
import { headersOf, sender, urlOf } from './outgoing.js';
import type { Redactor } from './redact.js';
import type { CredentialName, Send } from './request.js';

export { NoAnswer } from './no-answer.js';

export type Fetch = (request: Request) => Response | Promise<Response>;

/** A whole answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly text: string;
  /** The body as JSON; undefined where it is none. */
  readonly json: unknown;
  readonly exchange: number;
}

/** An answer whose body is still coming. */
export interface OpenAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly exchange: number;
  readonly evidence: Evidence;
  /** ms between the request and the head of the answer. */
  readonly headAfter: number;
  /** The bytes as they come; undefined at the end. Throws {@link NoAnswer} where the connection breaks. */
  read(): Promise<{ bytes: Uint8Array; at: number } | undefined>;
  /** Ends the connection from this side: cancels the body and takes the request back. */
  close(): Promise<void>;
  /** Only cancels the body, as a client does that has read all it wants. */
  cancel(): Promise<void>;
  /** Reads to the end. */
  whole(): Promise<Answer>;
}

export interface ClientOptions {
  readonly fetch: Fetch;
  /** Up to and including /api/v1, without a slash at its end. */
  readonly baseUrl: string;
  readonly host: Host;
  readonly redactor: Redactor;
  credential(name: CredentialName): string;
  /** ms of real time until the head of an answer, and again until the end of a body that is read whole. */
  readonly timeout: number;
  /** Whether a Host that a check asks for goes into the URL too: without a network that is where it is read. */
  readonly hostInUrl?: boolean;
  /** Whether the target is in this process. */
  readonly inProcess?: boolean;
  /** Before every request: rate, budget, the ledger of what is created. Throws to keep it from leaving. */
  before?(send: Send, url: string, signal: AbortSignal | undefined): Promise<void>;
  /** After every head. Answers ms to wait before the same request is sent again, or undefined. */
  after?(send: Send, url: string, status: number, headers: Headers): number | undefined;
  /** Every answer that was read whole. */
  seen?(send: Send, url: string, answer: Answer): void;
}

/** Sends and keeps the evidence of what it sent. */
export interface Client {
  send(send: Send): Promise<Answer>;
  open(send: Send): Promise<OpenAnswer>;
  /** Starts a fresh record and gives back the one so far. */
  takeEvidence(): Evidence[];
  /** Snapshots of what was recorded since the last {@link takeEvidence}. */
  exchanges(): Exchange[];
  /** Resolves when no request waits for the head of its answer. */
  idle(): Promise<void>;
  /** How many requests have left, of all scopes. */
  readonly sent: number;
  /** How many answers were not read to their end. */
  readonly cutShort: number;
  /** Closes every answer that is still open. */
  closeAll(): Promise<void>;
  /**
   * The same client with evidence of its own. Once `signal` aborts it sends nothing more, and what is under way rejects
   * with the reason of the signal.
   */
  scope(signal: AbortSignal): Client;
}

export function createClient(options: ClientOptions): Client {
  const { host, redactor } = options;
  const started = host.now();
  const at = () => Math.round((host.now() - started) * 10) / 10;
  const count = { sent: 0 };
  const flying = new Set<Promise<unknown>>();

  const scoped = (signal?: AbortSignal): Client => {
    let evidence: Evidence[] = [];
    let cutShort = 0;
    const open = new Set<OpenAnswer>();
    /** Rejects what is under way when the signal aborts. One listener for all: a listener per request costs more. */
    const cuts = new Set<(reason: unknown) => void>();
    signal?.addEventListener(
      'abort',
      () => {
        for (const cut of [...cuts]) cut(signal.reason);
      },
      { once: true },
    );
    const mustGoOn = () => {
      if (signal?.aborted) throw signal.reason;
    };

    const once = async (send: Send): Promise<OpenAnswer> => {
      const url = urlOf(send, options.baseUrl);
      const method = send.method ?? 'GET';
      const text = send.json === undefined ? undefined : JSON.stringify(send.json);
      const body = text ?? send.body;
      const headers = headersOf(send, options.credential);
      mustGoOn();
      await options.before?.(send, url, signal);
      mustGoOn();
      const number = ++count.sent;
      const began = at();
      const record = new Evidence(
        number,
        began,
        () => {
          const shown = Array.isArray(body)
            ? `${(body as Uint8Array[]).length} chunks`
            : bodyText(body as string | Uint8Array | undefined, redactor);
          return {
            method,
            url: redactor.text(url),
            headers: { ...redactor.headers(headers), ...sender(send, headers) },
            ...(shown === undefined ? {} : { body: shown }),
          };
        },
        redactor,
      );
      evidence.push(record);
      const what = `${method} ${url}`;

      // A signal costs as much as a request without a network; there, only streams have a connection to close.
      const abort = options.inProcess === true && !url.includes('/chat/') ? undefined : new AbortController();
      let timedOut = false;
      const limit = send.timeout ?? options.timeout;
      const onTime = async <T>(work: Promise<T> | T, doing: string): Promise<T> => {
        let stop = () => {};
        let end = (_: unknown) => {};
        const late = new Promise<never>((_, reject) => {
          end = (reason: unknown) => {
            reject(reason);
            abort?.abort(reason);
          };
          cuts.add(end);
          // What was called may have ended the run before it answered.
          if (signal?.aborted) end(signal.reason);
          stop = host.later(limit, () => {
            timedOut = true;
            end(new NoAnswer('timeout', what, `nothing ${doing} within ${limit} ms`));
          });
        });
        try {
          return await Promise.race([work, late]);
        } finally {
          stop();
          cuts.delete(end);
        }
      };
      const broken = (error: unknown) => {
        if (signal?.aborted) return signal.reason;
        if (error instanceof NoAnswer) return error;
        const { kind, detail } = timedOut
          ? { kind: 'timeout' as const, detail: `nothing within ${limit} ms` }
          : kindOf(error);
        return new NoAnswer(kind, what, redactor.text(detail));
      };
      const said = (lost: unknown) => String(lost instanceof NoAnswer ? lost.actual : lost);

      let response: Response;
      try {
        const streamed = Array.isArray(body) ? ReadableStream.from(body as Uint8Array[]) : (body as string | undefined);
        const init: RequestInit & { duplex?: 'half' } = {
          method,
          headers,
          redirect: 'manual',
          ...(abort === undefined ? {} : { signal: abort.signal }),
          ...(streamed === undefined ? {} : { body: streamed, duplex: 'half' as const }),
        };
        const address = new URL(url);
        if (send.host !== undefined && options.hostInUrl === true) address.host = send.host;
        response = await onTime(options.fetch(new Request(address, init)), 'came');
      } catch (error) {
        const lost = broken(error);
        record.failed(said(lost));
        throw lost;
      }
      const headAt = at();
      record.answered(headAt, response.status, response.headers);
      const reader = response.body?.getReader();
      let total = 0;
      let over = reader === undefined;
      if (over) record.close('end');

      const finish = (how: string) => {
        over = true;
        if (how !== 'end') cutShort++;
        record.close(how);
        open.delete(answer);
      };
      const give = async () => {
        abort?.abort(new Error('closed by the kit'));
        // A body that does not end would keep the cancel waiting as well.
        void reader?.cancel().catch(() => {});
        await host.turn();
      };
      const answer: OpenAnswer = {
        status: response.status,
        headers: response.headers,
        exchange: number,
        evidence: record,
        headAfter: headAt - began,
        async read() {
          if (over || reader === undefined) return undefined;
          try {
            const { done, value } = await reader.read();
            if (done) {
              if (!over) finish('end');
              return undefined;
            }
            const when = at();
            record.received(when, value);
            total += value.length;
            if (total > MAX_BODY) throw new NoAnswer('too long', what, `a body of more than ${MAX_BODY} bytes`);
            return { bytes: value, at: when };
          } catch (error) {
            const lost = broken(error);
            const ours = over;
            if (!ours) finish(said(lost));
            if (lost instanceof NoAnswer && lost.kind === 'too long') abort?.abort();
            if (ours) return undefined;
            throw lost;
          }
        },
        async cancel() {
          if (over) return;
          finish('cancelled');
          await reader?.cancel().catch(() => {});
        },
        async close() {
          if (over) return;
          finish('cancelled');
          // The request is taken back first: over a network that is what closes the connection.
          abort?.abort(new Error('closed by the kit'));
          await reader?.cancel().catch(() => {});
        },
        async whole() {
          const parts: Uint8Array[] = [];
          const all = async () => {
            for (let piece = await answer.read(); piece !== undefined; piece = await answer.read())
              parts.push(piece.bytes);
          };
          await onTime(all(), 'whole came').catch(async (error) => {
            if (!over) finish(said(error));
            await give();
            throw error;
          });
          const bytes = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
          const decoded = new TextDecoder().decode(bytes);
          let json: unknown;
          try {
            json = decoded === '' ? undefined : JSON.parse(decoded);
          } catch {
            json = undefined;
          }
          redactor.learnFrom(decoded);
          const { status, headers: answered } = answer;
          const read: Answer = { status, headers: answered, bytes, text: decoded, json, exchange: number };
          options.seen?.(send, url, read);
          return read;
        },
      };
      if (!over) open.add(answer);
      return answer;
    };

    const tried = async (send: Send): Promise<OpenAnswer> => {
      for (let tries = 0; ; tries++) {
        const answer = await once(send);
        const url = urlOf(send, options.baseUrl);
        const wait = tries < 3 ? options.after?.(send, url, answer.status, answer.headers) : undefined;
        if (wait === undefined) return answer;
        await answer.close();
        await host.sleep(wait, signal);
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
      get cutShort() {
        return cutShort;
      },
      async closeAll() {
        await Promise.all([...open].map((answer) => answer.close()));
      },
      scope: scoped,
    };
  };
  return scoped();
}
