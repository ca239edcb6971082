import type { Emulator } from '../../../emulator/emulator.js';
import { type Handler, type Mutant, together } from '../mutant.js';
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

/** Middleware around the emulator, given what the request means. */
export const exchanges = (
  does: (exchange: Exchange, next: Handler, emulator: Emulator) => Response | Promise<Response>,
): Mutant => ({
  around: (next, emulator) => async (request) => does(exchangeOf(request), next, emulator),
});

/** Changes whatever the interface answers. */
export const rewriteReply = (change: (reply: Reply, exchange: Exchange) => Reply | Promise<Reply>): Mutant =>
  exchanges(async (exchange, next) => {
    const response = await next(exchange.request);
    return exchange.area === 'control' ? response : responseOf(await change(await replyOf(response), exchange));
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

/** Makes a mutant of the interns that were suspended and not provisioned since. */
export const knowingSuspended = (make: (suspended: ReadonlySet<string>) => Mutant) => (): Mutant => {
  const suspended = new Set<string>();
  const noting = rewriteSuccess(['suspend', 'provision'], (reply, { operation, internId = '' }) => {
    if (operation === 'suspend') suspended.add(internId);
    else suspended.delete(internId);
    return reply;
  });
  return together(noting, make(suspended));
};

/** Changes one status of the successful answers of an operation. */
export const rewriteStatus = (of: Of, from: number, to: number): Mutant =>
  rewriteSuccess(of, (reply) => (reply.status === from ? { ...reply, status: to } : reply));

export interface ErrorBody {
  code: unknown;
  message: unknown;
  metadata?: { reason: unknown; retryable: unknown };
  [field: string]: unknown;
}

const errorOf = (reply: Reply): ErrorBody | undefined => {
  const body = reply.status >= 400 && isJson(reply) ? jsonOf(reply.body) : undefined;
  return isObject(body) && isObject(body.error) ? (body.error as ErrorBody) : undefined;
};

/** The answers that are meant: those that fit every given field. */
export interface Which {
  readonly of?: Of;
  readonly area?: Exchange['area'];
  readonly status?: number | readonly number[];
  /** Of an error. */
  readonly reason?: string;
  /** Stands in the body. */
  readonly says?: string;
}

const isMeant = ({ of, area, status, reason, says }: Which, reply: Reply, exchange: Exchange): boolean =>
  (of === undefined || isOf(of, exchange)) &&
  (area === undefined || area === exchange.area) &&
  (status === undefined || [status].flat().includes(reply.status)) &&
  (reason === undefined || errorOf(reply)?.metadata?.reason === reason) &&
  (says === undefined || String(reply.body).includes(says));

/** Answers otherwise. */
export const answers = (which: Which, other: Reply | ((reply: Reply, exchange: Exchange) => Reply)): Mutant =>
  rewriteReply((reply, exchange) => {
    if (!isMeant(which, reply, exchange)) return reply;
    return typeof other === 'function' ? other(reply, exchange) : other;
  });

/** Leaves a header out. */
export const withoutHeader = (name: string, which: Which): Mutant =>
  answers(which, ({ headers: { [name]: _, ...headers }, ...reply }) => ({ ...reply, headers }));

/** A reply under another media type, and with another body. */
export const typed = (reply: Reply, type: string, body = reply.body): Reply => ({
  ...reply,
  body,
  headers: { ...reply.headers, 'content-type': type },
});

/** The changed parts of an error. A status changes the code too; metadata that is undefined is left out. */
export interface ErrorChange {
  readonly status?: number;
  readonly code?: unknown;
  readonly message?: string;
  readonly reason?: string;
  readonly retryable?: boolean;
  readonly metadata?: object | undefined;
}

/** Changes parts of errors. */
export const errors = (which: Which, change: ErrorChange | ((error: ErrorBody, exchange: Exchange) => ErrorChange)) =>
  answers(which, (reply, exchange) => {
    const error = errorOf(reply);
    if (error === undefined) return reply;
    const changed = typeof change === 'function' ? change(error, exchange) : change;
    const { status = reply.status, reason, retryable, ...rest } = changed;
    const metadata = { ...error.metadata, ...(reason && { reason }), ...('retryable' in changed && { retryable }) };
    const coded = {
      ...error,
      ...(status !== reply.status && { code: status }),
      ...(Object.keys(metadata).length > 0 && { metadata }),
    };
    return { ...reply, status, body: JSON.stringify({ error: { ...coded, ...rest } }) };
  });

/** Changes the JSON that a call of the control interface answers. */
export const rewriteControl = (
  method: string,
  path: string | RegExp,
  change: (body: Json, exchange: Exchange) => Json,
): Mutant =>
  exchanges(async (exchange, next) => {
    const response = await next(exchange.request);
    if (!isControl(exchange, method, path)) return response;
    const { status } = response;
    return Response.json(change((await response.json()) as Json, exchange), { status });
  });

/** Whether a request is this call of the control interface. */
export const isControl = ({ area, path, request }: Exchange, method: string, of: string | RegExp): boolean =>
  area === 'control' && request.method === method && (typeof of === 'string' ? path === of : of.test(path));
