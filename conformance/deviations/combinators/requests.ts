import type { Emulator } from '../../../emulator/emulator.js';
import type { Mutant } from '../mutant.js';
import {
  bodyOf,
  type Exchange,
  exchangeOf,
  isObject,
  isOf,
  type Json,
  jsonOf,
  type Of,
  withRequest,
} from './exchange.js';
import { type Reply, responseOf } from './replies.js';

/** Changes requests of the interface before the emulator sees them. */
export const rewriteRequest = (
  change: (request: Request, exchange: Exchange) => Request | Promise<Request>,
): Mutant => ({
  around: (next) => async (request) => {
    const exchange = exchangeOf(request);
    return next(exchange.area === 'control' ? request : await change(request, exchange));
  },
});

/** Changes calls of the control interface before the emulator sees them. */
export const rewriteControlRequest = (change: (request: Request, path: string) => Request): Mutant => ({
  around: (next) => async (request) => {
    const { area, path } = exchangeOf(request);
    return next(area === 'control' ? change(request, path) : request);
  },
});

/** Changes the JSON body of an operation. Undefined sends none; a body that is not JSON stays. */
export const rewriteBody = (of: Of, change: (value: unknown, exchange: Exchange) => unknown): Mutant =>
  rewriteRequest(async (request, exchange) => {
    if (!isOf(of, exchange)) return request;
    const text = request.body ? await request.clone().text() : '';
    const value = jsonOf(text);
    if (value === undefined && text.trim() !== '') return request;
    const changed = JSON.stringify(change(value, exchange));
    return changed === JSON.stringify(value) ? request : withRequest(request, { body: changed });
  });

/** Changes the body of an operation where it is a JSON object. */
export const rewriteFields = (of: Of, change: (body: Json, exchange: Exchange) => unknown): Mutant =>
  rewriteBody(of, (value, exchange) => (isObject(value) ? change(value, exchange) : value));

/** Changes the query of an operation. */
export const rewriteQuery = (of: Of, change: (query: URLSearchParams) => void): Mutant =>
  rewriteRequest((request, exchange) => {
    if (!isOf(of, exchange)) return request;
    const url = new URL(request.url);
    change(url.searchParams);
    return url.href === request.url ? request : withRequest(request, { url: url.href });
  });

/** Cuts the limit of a list to this, in the place of a refusal. */
export const cutsLimit = (of: Of, most: number): Mutant =>
  rewriteQuery(of, (query) => {
    if (Number(query.get('limit')) > most) query.set('limit', String(most));
  });

/** Gives a parameter of the query another default. */
export const byDefault = (of: Of, name: string, value: string): Mutant =>
  rewriteQuery(of, (query) => {
    if (!query.has(name)) query.set(name, value);
  });

/** Changes one header of requests; undefined leaves it out. */
export const rewriteHeader = (
  name: string,
  change: (value: string | null, exchange: Exchange) => string | null | undefined,
): Mutant =>
  rewriteRequest((request, exchange) => {
    const given = request.headers.get(name);
    const changed = change(given, exchange) ?? null;
    if (changed === given) return request;
    const headers = new Headers(request.headers);
    if (changed === null) headers.delete(name);
    else headers.set(name, changed);
    return withRequest(request, { headers });
  });

/** Answers requests in the emulator's place; undefined leaves them to it. */
export const answerInstead = (
  answer: (exchange: Exchange, emulator: Emulator) => Reply | undefined | Promise<Reply | undefined>,
): Mutant => ({
  around: (next, emulator) => async (request) => {
    const exchange = exchangeOf(request);
    const reply = exchange.area === 'control' ? undefined : await answer(exchange, emulator);
    return reply ? responseOf(reply) : next(request);
  },
});

/** Refuses bodies of an operation, given as JSON, that the emulator would take. */
export const refuseBody = (of: Of, refuses: (body: unknown) => boolean, refusal: Reply): Mutant =>
  answerInstead(async (exchange) =>
    isOf(of, exchange) && refuses(await bodyOf(exchange.request)) ? refusal : undefined,
  );

/** What a refused request is sent as once more; undefined leaves the refusal. */
export const tryAgain = (
  of: Of,
  change: (
    status: number,
    error: { reason?: unknown; message?: unknown },
    request: Request,
  ) => Request | undefined | Promise<Request | undefined>,
): Mutant => ({
  around: (next) => async (request) => {
    if (!isOf(of, exchangeOf(request))) return next(request);
    const copy = request.clone();
    const response = await next(request);
    if (response.status < 400) return response;
    const { error } = (await response.clone().json()) as {
      error: { message?: unknown; metadata?: { reason?: unknown } };
    };
    const again = await change(response.status, { message: error.message, reason: error.metadata?.reason }, copy);
    return again ? next(again) : response;
  },
});

const isReply = (body: Json): boolean => {
  const last: unknown = Array.isArray(body.messages) ? body.messages.at(-1) : undefined;
  return isObject(last) && last.role === 'tool';
};

/** Changes the body of prompts: chat requests that answer no question. */
export const rewritePrompts = (change: (body: Json) => unknown): Mutant =>
  rewriteFields('chat', (body) => (isReply(body) ? body : change(body)));

/** Changes the body of chat requests that answer a question. */
export const rewriteAnswers = (change: (body: Json) => unknown): Mutant =>
  rewriteFields('chat', (body) => (isReply(body) ? change(body) : body));
