import { ERRORS, type ErrorKey, envelope, errorEnvelope } from '../../../emulator/contract/errors.js';
import { isRecord, type Json, type JsonPath, jsonOf } from '../../../emulator/wire/json.js';
import { type Handler, type Mutation, together } from '../mutant.js';
import { createMemory, exchangeOf, isOf, type MutantExchange, type NewValue, type Of, put } from './exchange.js';

/** A response in plain values. Of an event stream the body is the stream. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | ReadableStream<Uint8Array> | null;
}

export async function replyOf(response: Response): Promise<Reply> {
  const headers = Object.fromEntries(response.headers);
  const isStream = headers['content-type']?.startsWith('text/event-stream') === true;
  return { status: response.status, headers, body: isStream || !response.body ? response.body : await response.text() };
}

export const responseOf = ({ status, headers, body }: Reply): Response => new Response(body, { status, headers });

export const jsonReply = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** No content. */
export const NOTHING: Reply = { status: 204, headers: {}, body: null };

/** An error in the usual envelope. */
export const errorReply = (status: number, message: string, reason?: string, retryable = false): Reply =>
  jsonReply(status, errorEnvelope(status, message, reason, retryable));

/** A refusal of the emulator's table. */
export const refused = (key: ErrorKey, headers?: Readonly<Record<string, string>>): Reply =>
  jsonReply(ERRORS[key].status, envelope(key), headers);

const isJson = (reply: Reply): reply is Reply & { readonly body: string } =>
  typeof reply.body === 'string' && reply.headers['content-type']?.startsWith('application/json') === true;

/** Middleware around the emulator, given what the request means. */
export const exchanges = (
  does: (exchange: MutantExchange, next: Handler) => Response | Promise<Response>,
): Mutation => ({
  around: (next, emulator) => {
    const memory = createMemory();
    return async (request) => does(exchangeOf(request, emulator, memory), next);
  },
});

/** Changes whatever the interface answers. */
export const replies = (change: (reply: Reply, exchange: MutantExchange) => Reply | Promise<Reply>): Mutation =>
  exchanges(async (exchange, next) => {
    const response = await next(exchange.request);
    return exchange.area === 'control' ? response : responseOf(await change(await replyOf(response), exchange));
  });

export interface ErrorBody {
  code: unknown;
  message: unknown;
  metadata?: { reason: unknown; retryable: unknown };
  [field: string]: unknown;
}

/** The error of a refusal, in its envelope. */
export const errorOf = (reply: Reply): ErrorBody | undefined => {
  const body = reply.status >= 400 && isJson(reply) ? jsonOf(reply.body) : undefined;
  return isRecord(body) && isRecord(body.error) ? (body.error as ErrorBody) : undefined;
};

/** Selects answers: those that fit every given field. */
export interface Which {
  readonly of?: Of;
  readonly status?: number | readonly number[];
  /** Of an error. */
  readonly reason?: string;
  /** Stands in the body. */
  readonly says?: string;
}

export const isMeant = ({ of, status, reason, says }: Which, reply: Reply, exchange: MutantExchange): boolean =>
  (of === undefined || isOf(of, exchange)) &&
  (status === undefined || [status].flat().includes(reply.status)) &&
  (reason === undefined || errorOf(reply)?.metadata?.reason === reason) &&
  (says === undefined || String(reply.body).includes(says));

/** Replaces an answer, or parts of it. */
export const answers = (
  which: Which,
  other: Partial<Reply> | ((reply: Reply, exchange: MutantExchange) => Reply),
): Mutation =>
  replies((reply, exchange) => {
    if (!isMeant(which, reply, exchange)) return reply;
    return typeof other === 'function' ? other(reply, exchange) : { ...reply, ...other };
  });

/** Changes the JSON of the successful answers of an operation. */
export const body = (of: Of, change: (body: Json, exchange: MutantExchange) => unknown): Mutation =>
  answers({ of }, (reply, exchange) => {
    const json = reply.status < 400 && isJson(reply) ? jsonOf(reply.body) : undefined;
    return isRecord(json) ? { ...reply, body: JSON.stringify(change(json, exchange)) } : reply;
  });

/** Changes what stands in some places of the successful answers of an operation. */
export const field = <T = string>(of: Of, places: JsonPath | readonly JsonPath[], change: NewValue<T>): Mutation =>
  body(of, (json, exchange) => put(json, places, change, exchange));

const RECORDS = ['list', 'create', 'get', 'update'] as const;

/** Changes every intern record that is answered, in the list too. */
export const records = (change: (record: Json) => Json): Mutation =>
  body(RECORDS, (json) =>
    Array.isArray(json.data) ? { ...json, data: (json.data as Json[]).map(change) } : change(json),
  );

/** Changes one field of every record. */
export const inRecords = <T = string>(name: string, change: NewValue<T>): Mutation =>
  body(RECORDS, (json, exchange) => put(json, Array.isArray(json.data) ? `data.[].${name}` : name, change, exchange));

/** Changes one status of the successful answers of an operation. */
export const status = (of: Of, from: number, to: number): Mutation => answers({ of, status: from }, { status: to });

/** Leaves a header out. */
export const withoutHeader = (name: string, which: Which): Mutation =>
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
export const errors = (
  which: Which,
  change: ErrorChange | ((error: ErrorBody, exchange: MutantExchange) => ErrorChange),
) =>
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

/** Whether a request is this call of the control interface. */
export const isControl = ({ area, path, request }: MutantExchange, method: string, of: string | RegExp): boolean =>
  area === 'control' && request.method === method && (typeof of === 'string' ? path === of : of.test(path));

/** Changes what stands in a place of the answer of a call of the control interface. */
export const inControl = <T = string>(
  method: string,
  path: string | RegExp,
  places: JsonPath | readonly JsonPath[],
  change: NewValue<T>,
): Mutation =>
  exchanges(async (exchange, next) => {
    const response = await next(exchange.request);
    if (!isControl(exchange, method, path)) return response;
    const { status } = response;
    return Response.json(put((await response.json()) as Json, places, change, exchange), { status });
  });

/** Makes a mutant that knows which interns were suspended, and not provisioned since. */
export const knowingSuspended = (make: (isSuspended: (id: unknown) => boolean) => Mutation) => (): Mutation => {
  const suspended = new Set<unknown>();
  const noting = answers({ of: ['suspend', 'provision'], status: [200, 202] }, (reply, { operation, internId }) => {
    if (operation === 'suspend') suspended.add(internId);
    else suspended.delete(internId);
    return reply;
  });
  return together(
    noting,
    make((id) => suspended.has(id)),
  );
};
