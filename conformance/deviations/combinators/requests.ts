import type { Emulator } from '../../../emulator/emulator.js';
import type { Mutant } from '../mutant.js';
import {
  bodyOf,
  type Exchange,
  isObject,
  isOf,
  type Json,
  jsonOf,
  type Of,
  withHeader,
  withRequest,
} from './exchange.js';
import { exchanges, type Reply, responseOf } from './replies.js';

type Credentials = Emulator['target']['credentials'];

/** Changes requests of the interface before the emulator sees them. */
export const rewriteRequest = (change: (request: Request, exchange: Exchange) => Request | Promise<Request>): Mutant =>
  exchanges(async (exchange, next) => {
    const { area, request } = exchange;
    return next(area === 'control' ? request : await change(request, exchange));
  });

/** Changes calls of the control interface before the emulator sees them. */
export const rewriteControlRequest = (change: (request: Request, path: string) => Request): Mutant =>
  exchanges(({ area, path, request }, next) => next(area === 'control' ? change(request, path) : request));

/** Sends requests with the API key of the target. */
export const withTheKey = (when: (exchange: Exchange, credentials: Credentials) => boolean): Mutant =>
  exchanges((exchange, next, { target }) => {
    const { credentials } = target;
    const { request } = exchange;
    const key = `Bearer ${credentials.api_key}`;
    return next(when(exchange, credentials) ? withHeader(request, 'authorization', key) : request);
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

/** Changes texts in the body of an operation. */
export const rewriteTexts = (of: Of, names: readonly string[], change: (text: string) => unknown): Mutant =>
  rewriteFields(of, (body) => {
    const isIt = ([name, value]: [string, unknown]) => names.includes(name) && typeof value === 'string';
    return Object.fromEntries(Object.entries(body).map((one) => (isIt(one) ? [one[0], change(String(one[1]))] : one)));
  });

/** Leaves fields out of the body of an operation. */
export const withoutFields = (of: Of, isOut: (name: string, value: unknown) => boolean): Mutant =>
  rewriteFields(of, (body) => Object.fromEntries(Object.entries(body).filter(([name, value]) => !isOut(name, value))));

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
    return changed === given ? request : withHeader(request, name, changed ?? undefined);
  });

/** Answers requests in the emulator's place; undefined leaves them to it. */
export const answerInstead = (
  answer: (exchange: Exchange, emulator: Emulator) => Reply | undefined | Promise<Reply | undefined>,
): Mutant =>
  exchanges(async (exchange, next, emulator) => {
    const reply = exchange.area === 'control' ? undefined : await answer(exchange, emulator);
    return reply ? responseOf(reply) : next(exchange.request);
  });

/** Answers some requests so, in the emulator's place. */
export const instead = (
  when: (exchange: Exchange, emulator: Emulator) => unknown,
  reply: Reply | ((exchange: Exchange) => Reply),
): Mutant =>
  answerInstead(async (exchange, emulator) => {
    if (!(await when(exchange, emulator))) return undefined;
    return typeof reply === 'function' ? reply(exchange) : reply;
  });

/** Refuses bodies of an operation, given as JSON, that the emulator would take. */
export const refuseBody = (of: Of, refuses: (body: unknown) => boolean, refusal: Reply): Mutant =>
  instead(async (exchange) => isOf(of, exchange) && refuses(await bodyOf(exchange.request)), refusal);

/** Has what was refused so be done all the same: it is sent once more without a body, and the refusal is answered. */
export const doneAllTheSame = (refused: (exchange: Exchange, response: Response) => boolean): Mutant =>
  exchanges(async (exchange, next) => {
    const { method, headers, url } = exchange.request;
    const response = await next(exchange.request);
    const authorization = headers.get('authorization') ?? '';
    if (refused(exchange, response)) await next(new Request(url, { method, headers: { authorization } }));
    return response;
  });

/** The second form of a refused request; undefined leaves the refusal. */
export const tryAgain = (
  of: Of,
  change: (
    status: number,
    error: { reason?: unknown; message?: unknown },
    request: Request,
  ) => Request | undefined | Promise<Request | undefined>,
): Mutant =>
  exchanges(async (exchange, next) => {
    const { request } = exchange;
    if (!isOf(of, exchange)) return next(request);
    const copy = request.clone();
    const response = await next(request);
    if (response.status < 400) return response;
    const { error } = (await response.clone().json()) as {
      error: { message?: unknown; metadata?: { reason?: unknown } };
    };
    const again = await change(response.status, { message: error.message, reason: error.metadata?.reason }, copy);
    return again ? next(again) : response;
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
