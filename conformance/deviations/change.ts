import type { Settings } from '../../emulator/contract/settings.js';
import type { Transition } from '../../emulator/domain/lifecycle.js';
import type { Resource } from '../../emulator/http/pipeline.js';
import type { PlainResponse } from '../../emulator/http/response.js';
import type { Call, Operation, RequestParts, Route } from '../../emulator/http/route.js';
import type { Alterations } from './alterations.js';

/** The small ways of exchanging a part that most deviations are made of. */

type Json = Record<string, unknown>;

export type Of = Operation | readonly Operation[] | ((row: Route) => boolean);

const isOf = (of: Of, row: Route): boolean =>
  typeof of === 'function' ? of(row) : typeof of === 'string' ? row.operation === of : of.includes(row.operation);

/** Goes on with a value at once where it is there, and later where it is promised. */
export const after = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(next) : next(value);

/** Exchanges rows of the route table. */
export const rows = (of: Of, change: (row: Route) => Route): Alterations => ({
  routes: (table) => table.map((row) => (isOf(of, row) ? change(row) : row)),
});

/** Changes what an accepted call is answered. Refusals are thrown past it. */
export const acts = (
  of: Of,
  change: (answer: PlainResponse, call: Call<unknown>) => PlainResponse | Promise<PlainResponse>,
): Alterations =>
  rows(of, (row) => ({ ...row, handle: (call) => after(row.handle(call), (answer) => change(answer, call)) }));

/** Does something before an accepted call is acted on, or answers it. */
export const before = (
  of: Of,
  first: (call: Call<unknown>) => PlainResponse | undefined | Promise<PlainResponse | undefined>,
): Alterations =>
  rows(of, (row) => ({ ...row, handle: (call) => after(first(call), (given) => given ?? row.handle(call)) }));

/** Changes what a route makes of a request: its input, or its refusal. */
export const parses = (of: Of, change: (parse: Route['parse'], parts: RequestParts) => unknown): Alterations =>
  rows(of, (row) => ({ ...row, parse: (parts) => change(row.parse, parts) }));

/** Changes the JSON that a route is given for a body. */
export const reads = (of: Of, change: (value: unknown) => unknown): Alterations =>
  parses(of, (parse, parts) =>
    parse({ bytes: parts.bytes, query: parts.query, headers: parts.headers, json: () => change(parts.json()) }),
  );

/** Changes the query that a route is given. */
export const queries = (of: Of, change: (query: URLSearchParams) => void): Alterations =>
  parses(of, (parse, parts) => {
    const query = new URLSearchParams(parts.query);
    change(query);
    return parse({ bytes: parts.bytes, query, headers: parts.headers, json: () => parts.json() });
  });

const bodyOf = (answer: PlainResponse): Json | undefined => {
  if (typeof answer.body !== 'string' || !answer.headers['content-type']?.startsWith('application/json'))
    return undefined;
  return JSON.parse(answer.body) as Json;
};

const withBody = (answer: PlainResponse, body: unknown): PlainResponse => ({ ...answer, body: JSON.stringify(body) });

/** Changes the JSON of the successful answers of an operation. */
export const bodies = (of: Of, change: (body: Json, call: Call<unknown>) => unknown): Alterations =>
  acts(of, (answer, call) => {
    const body = bodyOf(answer);
    return body === undefined ? answer : withBody(answer, change(body, call));
  });

/** Changes every intern record that is answered, in the list too. */
export const records = (change: (record: Json) => Json): Alterations =>
  bodies(['list', 'create', 'get', 'update'], (body) =>
    Array.isArray(body.data) ? { ...body, data: (body.data as Json[]).map(change) } : change(body),
  );

/** Changes the status of successful answers of an operation. */
export const statuses = (of: Of, from: number, to: number): Alterations =>
  acts(of, (answer) => (answer.status === from ? { ...answer, status: to } : answer));

/** Changes whatever is answered, refusals too. */
export const served = (
  change: (answer: PlainResponse, request: Request, resource: Resource) => PlainResponse,
): Alterations => ({
  pipeline: (serve) => (request, resource, framed) =>
    after(serve(request, resource, framed), (answer) => change(answer, request, resource)),
});

/** Changes a request before anything is judged. */
export const requests = (change: (request: Request, resource: Resource) => Request): Alterations => ({
  pipeline: (serve) => (request, resource, framed) => serve(change(request, resource), resource, framed),
});

/** Answers requests before anything is judged; undefined leaves them to the usual order. */
export const preempts = (
  answer: (request: Request, resource: Resource) => PlainResponse | undefined | Promise<PlainResponse | undefined>,
): Alterations => ({
  pipeline: (serve) => (request, resource, framed) =>
    after(answer(request, resource), (given) => given ?? serve(request, resource, framed)),
});

export interface ErrorBody {
  code: unknown;
  message: unknown;
  metadata?: { reason: unknown; retryable: unknown };
  [field: string]: unknown;
}

/** What is known of an error answer. */
export interface ErrorSeen {
  readonly status: number;
  readonly reason: unknown;
  readonly error: ErrorBody;
  readonly request: Request;
  readonly resource: Resource;
}

/** Changes error answers. What the change returns replaces status, error or headers; undefined leaves it. */
export const errors = (
  change: (
    seen: ErrorSeen,
  ) => { status?: number; error?: unknown; body?: unknown; headers?: Record<string, string> } | undefined,
): Alterations =>
  served((answer, request, resource) => {
    if (answer.status < 400) return answer;
    const body = bodyOf(answer);
    if (body === undefined) return answer;
    const error = body.error as ErrorBody;
    const changed = change({ status: answer.status, reason: error.metadata?.reason, error, request, resource });
    if (changed === undefined) return answer;
    const status = changed.status ?? answer.status;
    const coded = changed.status === undefined ? error : { ...error, code: changed.status };
    return {
      status,
      body: JSON.stringify('body' in changed ? changed.body : { error: changed.error ?? coded }),
      headers: changed.headers ?? answer.headers,
    };
  });

/** Gives errors of one reason another status. */
export const restatus = (reason: string, from: number, to: number): Alterations =>
  errors((seen) => (seen.reason === reason && seen.status === from ? { status: to } : undefined));

/** Gives errors of one reason other metadata. */
export const remeta = (
  reason: string,
  status: number,
  metadata: { reason?: string; retryable?: boolean } | undefined,
): Alterations =>
  errors((seen) => {
    if (seen.reason !== reason || seen.status !== status) return undefined;
    const { metadata: was, ...rest } = seen.error;
    return { error: metadata === undefined ? rest : { ...rest, metadata: { ...was, ...metadata } } };
  });

/** The operation that a resource and a method are. */
export const operationOf = (resource: Resource, method: string): Operation | undefined =>
  resource.routes.find((row) => row.method === method)?.operation;

/** An error in its usual form, for answers that are given before anything is judged. */
export const errorAnswer = (status: number, message: string, reason?: string, retryable = false): PlainResponse => ({
  status,
  body: JSON.stringify({
    error: { code: status, message, ...(reason === undefined ? {} : { metadata: { reason, retryable } }) },
  }),
  headers: { 'content-type': 'application/json' },
});

export const numbers = (change: Partial<Settings>): Alterations => ({ settings: (usual) => ({ ...usual, ...change }) });

/** Edits the lifecycle's table. */
export const transitions = (change: (row: Transition) => Transition | undefined): Alterations => ({
  transitions: (table) => table.flatMap((row) => change(row) ?? []),
});

/**
 * Changes one function of a part in place, so that the part's own calls of it are changed too. Every emulator has parts
 * of its own.
 */
export function inside<P extends object, K extends keyof P>(part: P, name: K, change: (usual: P[K]) => P[K]): P {
  part[name] = change(part[name]);
  return part;
}
