import { systemHost } from '../../conformance/probe/time.js';
import type { AppContext } from './app.js';
import { type Chunk, dataOf, readChunk } from './stream.js';

/**
 * A small client that does everything right, and tests of an app that is made of it. A wrong app replaces the one part
 * in which it is wrong.
 */

export interface Call {
  readonly method: string;
  /** From the base on. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string;
}

/** An answer that is no success. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly reason: string | undefined,
    readonly retryable: boolean,
    /** ms */
    readonly retryAfter: number | undefined,
    text: string,
  ) {
    super(`${status} ${reason ?? ''}: ${text}`);
  }
}

export interface Reply {
  readonly text: string;
  readonly session: string | null;
  readonly question?: ToolCall;
}
export interface ToolCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}
export interface Intern {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}

/** ms without a byte, after which a client gives up. */
const IDLE = 1_500;
const ATTEMPTS = 4;

/** The parts of the client. Each gets the client, so that one that is replaced is met everywhere. */
const parts = {
  /** ms; undefined waits for ever. */
  idle: IDLE as number | undefined,
  attempts: ATTEMPTS,

  /** Sends a request until it is answered for good. */
  async send(client: AppClient, call: Call): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const last = attempt >= client.attempts;
      let response: Response;
      try {
        response = await client.exchange(client, call);
      } catch (error) {
        // A prompt may have been acted on. Only what changes nothing when it comes twice is sent again.
        if (last || !client.repeats(call)) throw error;
        await client.pause(20 * attempt);
        continue;
      }
      if (response.ok) return response;
      const refusal = await refusalOf(response);
      if (attempt > 1 && call.method === 'DELETE' && refusal.status === 404) return response;
      if (last || !client.retries(refusal)) throw refusal;
      await client.pause(client.waits(refusal, attempt));
    }
  },

  /** One request. Other answers than streams are read to the end, so that one that is cut counts as lost. */
  async exchange(client: AppClient, call: Call): Promise<Response> {
    const { target, fetch, signal } = client.context;
    const { method, path, body, headers, token = target.credentials.api_key } = call;
    const limit = new AbortController();
    const response = await client.within(
      fetch(target.base_url + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.any([signal, limit.signal]),
      }),
      () => limit.abort(),
    );
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
    const text = await client.within(response.text(), () => limit.abort());
    return new Response(text === '' ? null : text, { status: response.status, headers: response.headers });
  },

  /** Whether a request may be sent again after it got no answer. */
  repeats: ({ method, path, headers }: Call): boolean =>
    method === 'GET' || method === 'DELETE' || headers?.['idempotency-key'] !== undefined || path.endsWith('/sign'),
  retries: ({ retryable, status }: Refusal): boolean => retryable && status !== 401,
  /** ms before the next attempt. */
  waits: ({ retryAfter }: Refusal, attempt: number): number => retryAfter ?? 20 * attempt,

  /** The body of an answer; undefined if it has none. */
  async json(response: Response): Promise<unknown> {
    const text = await response.text();
    return text === '' ? undefined : JSON.parse(text);
  },

  data: dataOf,
  chunk: readChunk,
  /** The reaction to a stream that ends without `[DONE]`. */
  cut(): void {
    throw new Error('the stream ended before it was done');
  },
  /** The reaction to a finish reason. */
  finished(reason: string): void {
    if (reason !== 'stop' && reason !== 'tool_calls') throw new Error(`the run ended with ${reason}`);
  },

  /** Reads a stream to its end. */
  async read(client: AppClient, response: Response): Promise<Reply> {
    let text = '';
    let session: string | null = null;
    let question: ToolCall | undefined;
    let done = false;
    let finish: string | undefined;
    const see = (chunk: Chunk) => {
      session = chunk.session_id ?? session;
      for (const { delta, finish_reason } of chunk.choices) {
        text += delta?.content ?? '';
        question = delta?.tool_calls?.[0] ?? question;
        finish = finish_reason ?? finish;
      }
    };
    const pieces = response.body?.getReader();
    if (pieces === undefined) throw new Error('the answer has no stream');
    try {
      const bytes = { next: () => client.within(pieces.read(), () => void pieces.cancel().catch(() => {})) };
      for await (const data of client.data(bytes)) {
        done = data === '[DONE]';
        if (done) break;
        const chunk = client.chunk(data);
        if (chunk !== undefined) see(chunk);
      }
    } finally {
      // Before the end of the body this is no disconnect: `[DONE]` was read, or the stream is of no more use.
      await pieces.cancel().catch(() => {});
    }
    if (!done) client.cut();
    if (finish !== undefined) client.finished(finish);
    return { text, session, ...(question === undefined ? {} : { question }) };
  },

  /** Gives up after {@link parts.idle} ms. */
  async within<T>(client: AppClient, work: Promise<T>, giveUp: () => void): Promise<T> {
    if (client.idle === undefined) return work;
    let late = () => {};
    const limit = new Promise<never>((_, reject) => {
      late = systemHost.later(client.idle ?? IDLE, () => {
        reject(new Error('nothing came'));
        giveUp();
      });
    });
    try {
      return await Promise.race([work, limit]);
    } finally {
      late();
    }
  },
};

type Replaceable = typeof parts;
/** The parts in which an app differs. */
export type Parts = Partial<Replaceable>;

export interface AppClient extends Omit<Replaceable, 'within'> {
  readonly context: AppContext;
  pause(ms: number): Promise<void>;
  within<T>(work: Promise<T>, giveUp: () => void): Promise<T>;
}

export function createClient(context: AppContext, own: Parts = {}): AppClient {
  const all = { ...parts, ...own };
  const client: AppClient = {
    ...all,
    context,
    pause: (ms) => systemHost.sleep(ms, context.signal),
    within: (work, giveUp) => all.within(client, work, giveUp),
  };
  return client;
}

async function refusalOf(response: Response): Promise<Refusal> {
  const text = await response.text();
  const after = response.headers.get('retry-after');
  let error: { metadata?: { reason?: string; retryable?: boolean } } | undefined;
  try {
    error = JSON.parse(text).error;
  } catch {
    // A gateway's page.
  }
  const { reason, retryable = false } = error?.metadata ?? {};
  return new Refusal(response.status, reason, retryable, after === null ? undefined : Number(after) * 1_000, text);
}
