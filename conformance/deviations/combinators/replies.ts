import type { Mutant } from '../mutant.js';
import { type Exchange, exchangeOf, isObject, isOf, type Json, jsonOf, type Of } from './exchange.js';

/** A response in plain values. Of an event stream the body is the stream. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | ReadableStream<Uint8Array> | null;
}

/** One whose body is there. */
export interface TextReply extends Reply {
  readonly headers: Record<string, string>;
  readonly body: string;
}

async function replyOf(response: Response): Promise<Reply> {
  const headers = Object.fromEntries(response.headers);
  const isStream = headers['content-type']?.startsWith('text/event-stream') === true;
  return { status: response.status, headers, body: isStream || !response.body ? response.body : await response.text() };
}

export const responseOf = ({ status, headers, body }: Reply): Response => new Response(body, { status, headers });

const JSON_TYPE = { 'content-type': 'application/json' };

export const jsonReply = (status: number, body: unknown, headers: Record<string, string> = {}): TextReply => ({
  status,
  headers: { ...JSON_TYPE, ...headers },
  body: JSON.stringify(body),
});

/** An error in the usual envelope. */
export const errorReply = (status: number, message: string, reason?: string, retryable = false): TextReply =>
  jsonReply(status, {
    error: { code: status, message, ...(reason === undefined ? {} : { metadata: { reason, retryable } }) },
  });

const isJson = (reply: Reply): reply is TextReply =>
  typeof reply.body === 'string' && reply.headers['content-type']?.startsWith('application/json') === true;

/** Changes whatever the interface answers. */
export const rewriteReply = (change: (reply: Reply, exchange: Exchange) => Reply | Promise<Reply>): Mutant => ({
  around: (next) => async (request) => {
    const exchange = exchangeOf(request);
    if (exchange.area === 'control') return next(request);
    const response = await next(request);
    return responseOf(await change(await replyOf(response), exchange));
  },
});

/** Changes the successful answers of an operation. */
export const rewriteSuccess = (of: Of, change: (reply: Reply, exchange: Exchange) => Reply): Mutant =>
  rewriteReply((reply, exchange) => (reply.status < 400 && isOf(of, exchange) ? change(reply, exchange) : reply));

/** Changes the JSON of the successful answers of an operation. */
export const rewriteJson = (of: Of, change: (body: Json, exchange: Exchange) => unknown): Mutant =>
  rewriteSuccess(of, (reply, exchange) => {
    const body = isJson(reply) ? jsonOf(reply.body) : undefined;
    return isObject(body) ? { ...reply, body: JSON.stringify(change(body, exchange)) } : reply;
  });

/** Changes every intern record that is answered, in the list too. */
export const rewriteRecords = (change: (record: Json) => Json): Mutant =>
  rewriteJson(['list', 'create', 'get', 'update'], (body) =>
    Array.isArray(body.data) ? { ...body, data: (body.data as Json[]).map(change) } : change(body),
  );

/** Changes one status of the successful answers of an operation. */
export const rewriteStatus = (of: Of, from: number, to: number): Mutant =>
  rewriteSuccess(of, (reply) => (reply.status === from ? { ...reply, status: to } : reply));

/** Leaves a header out of the answers that `when` holds for. */
export const withoutHeader = (name: string, when: (reply: Reply, exchange: Exchange) => boolean): Mutant =>
  rewriteReply((reply, exchange) => {
    if (!when(reply, exchange)) return reply;
    const { [name]: _, ...headers } = reply.headers;
    return { ...reply, headers };
  });

export interface ErrorBody {
  code: unknown;
  message: unknown;
  metadata?: { reason: unknown; retryable: unknown };
  [field: string]: unknown;
}

/** What is known of an error answer. */
export interface ErrorSeen extends Exchange {
  readonly status: number;
  readonly reason: unknown;
  readonly error: ErrorBody;
}

/** What replaces parts of an error answer. `body` is the whole of it; a status alone changes the code too. */
export interface ErrorChange {
  readonly status?: number;
  readonly error?: unknown;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** Changes error answers; undefined leaves one as it is. */
export const rewriteErrors = (change: (seen: ErrorSeen) => ErrorChange | undefined): Mutant =>
  rewriteReply((reply, exchange) => {
    const body = reply.status >= 400 && isJson(reply) ? jsonOf(reply.body) : undefined;
    if (!isObject(body) || !isObject(body.error)) return reply;
    const error = body.error as ErrorBody;
    const changed = change({ ...exchange, status: reply.status, reason: error.metadata?.reason, error });
    if (changed === undefined) return reply;
    const coded = changed.status === undefined ? error : { ...error, code: changed.status };
    return {
      status: changed.status ?? reply.status,
      body: JSON.stringify('body' in changed ? changed.body : { error: changed.error ?? coded }),
      headers: changed.headers ?? reply.headers,
    };
  });

/** Gives errors of one reason another status. */
export const errorStatus = (reason: string, from: number, to: number): Mutant =>
  rewriteErrors((seen) => (seen.reason === reason && seen.status === from ? { status: to } : undefined));

/** Gives errors of one reason other metadata, or none. */
export const errorMetadata = (
  reason: string,
  status: number,
  metadata: { reason?: string; retryable?: boolean } | undefined,
): Mutant =>
  rewriteErrors((seen) => {
    if (seen.reason !== reason || seen.status !== status) return undefined;
    const { metadata: was, ...rest } = seen.error;
    return { error: metadata === undefined ? rest : { ...rest, metadata: { ...was, ...metadata } } };
  });

/** Gives errors of one status of an operation another message. */
export const errorMessage = (of: Of, status: number, message: string): Mutant =>
  rewriteErrors((seen) =>
    seen.status === status && isOf(of, seen) ? { error: { ...seen.error, message } } : undefined,
  );

/** Changes the JSON that a call of the control interface answers. */
export const rewriteControl = (
  method: string,
  path: string | RegExp,
  change: (body: Json, exchange: Exchange) => Json,
): Mutant => ({
  around: (next) => async (request) => {
    const exchange = exchangeOf(request);
    const response = await next(request);
    const isIt =
      exchange.area === 'control' &&
      request.method === method &&
      (typeof path === 'string' ? exchange.path === path : path.test(exchange.path));
    if (!isIt) return response;
    const { status } = response;
    return Response.json(change((await response.json()) as Json, exchange), { status });
  },
});
