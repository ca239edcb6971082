import { isRecord, type Json, type JsonPath, jsonOf } from '../../../emulator/wire/json.js';
import { bodyOf, tokenOf, withRequest } from '../../../emulator/wire/request.js';
import type { Mutation } from '../mutant.js';
import { exchanges, isMeant, type Reply, replyOf, responseOf, type Which } from './answers.js';
import { type CredentialName, isOf, type MutantExchange, type NewValue, type Of, put } from './exchange.js';

/** Changes requests of the interface before the emulator sees them. */
export const asked = (
  of: Of,
  change: (request: Request, exchange: MutantExchange) => Request | Promise<Request>,
): Mutation =>
  exchanges(async (exchange, next) => {
    const { area, request } = exchange;
    const isIt = isOf(of, exchange) && (area !== 'control' || of === 'control');
    return next(isIt ? await change(request, exchange) : request);
  });

/** Every request of the interface. */
export const ANY: Of = () => true;

/** Sends requests with another credential of the target. */
export const as = (name: CredentialName, of: Of): Mutation =>
  asked(of, (request, { emulator }) =>
    withRequest(request, { headers: { authorization: `Bearer ${emulator.target.credentials[name]}` } }),
  );

/** Changes the JSON body of an operation. Undefined sends none; a body that is not JSON stays. */
export const bodies = (of: Of, change: (value: unknown, exchange: MutantExchange) => unknown): Mutation =>
  asked(of, async (request, exchange) => {
    const text = request.body ? await request.clone().text() : '';
    const value = jsonOf(text);
    if (value === undefined && text.trim() !== '') return request;
    const changed = JSON.stringify(change(value, exchange));
    return changed === JSON.stringify(value) ? request : withRequest(request, { body: changed });
  });

/** Changes the body of an operation where it is a JSON object. */
export const sent = (of: Of, change: (body: Json, exchange: MutantExchange) => unknown): Mutation =>
  bodies(of, (value, exchange) => (isRecord(value) ? change(value, exchange) : value));

/** Changes what stands in some places of the body of an operation. */
export const sends = <T = string>(of: Of, places: JsonPath | readonly JsonPath[], change: NewValue<T>): Mutation =>
  sent(of, (json, exchange) => put(json, places, change, exchange));

/** Changes texts in the body of an operation. */
export const texts = (of: Of, places: JsonPath | readonly JsonPath[], change: (text: string) => unknown): Mutation =>
  sends<unknown>(of, places, (value) => (typeof value === 'string' ? change(value) : value));

/** Leaves fields out of the body of an operation. */
export const withoutFields = (of: Of, isOut: (name: string, value: unknown) => boolean): Mutation =>
  sent(of, (json) => Object.fromEntries(Object.entries(json).filter(([name, value]) => !isOut(name, value))));

const isReply = (json: Json): boolean => {
  const last: unknown = Array.isArray(json.messages) ? json.messages.at(-1) : undefined;
  return isRecord(last) && last.role === 'tool';
};

/** Changes the body of prompts: chat requests that answer no question. */
export const sentPrompts = (change: (json: Json) => unknown): Mutation =>
  sent('chat', (json) => (isReply(json) ? json : change(json)));

/** Changes the body of chat requests that answer a question. */
export const sentAnswers = (change: (json: Json) => unknown): Mutation =>
  sent('chat', (json) => (isReply(json) ? change(json) : json));

/** Changes a parameter of the query of an operation; null leaves it out. */
export const query = (
  of: Of,
  name: string,
  change: (value: string | null, query: URLSearchParams) => string | number | null,
): Mutation =>
  asked(of, (request) => {
    const url = new URL(request.url);
    const given = url.searchParams.get(name);
    const changed = change(given, url.searchParams);
    if (changed === given) return request;
    if (changed === null) url.searchParams.delete(name);
    else url.searchParams.set(name, String(changed));
    return withRequest(request, { url: url.href });
  });

/** Cuts the limit of a list to this, in the place of a refusal. */
export const cutsLimit = (of: Of, most: number): Mutation =>
  query(of, 'limit', (limit) => (Number(limit) > most ? most : limit));

/** Changes one header of requests; nothing leaves it out. */
export const header = (
  of: Of,
  name: string,
  change: (value: string | null, exchange: MutantExchange) => string | null | undefined,
): Mutation =>
  asked(of, (request, exchange) => {
    const given = request.headers.get(name);
    const changed = change(given, exchange) ?? null;
    return changed === given ? request : withRequest(request, { headers: { [name]: changed ?? undefined } });
  });

/** Answers requests in the emulator's place. */
export const instead = (
  when: Exclude<Of, (exchange: MutantExchange) => boolean> | ((exchange: MutantExchange) => unknown),
  reply: Reply,
): Mutation =>
  exchanges(async (exchange, next) => {
    const isIt = typeof when === 'function' ? await when(exchange) : isOf(when, exchange);
    return exchange.area !== 'control' && isIt ? responseOf(reply) : next(exchange.request);
  });

/** Refuses bodies of an operation, given as JSON, that the emulator would take. */
export const refuseBody = (of: Of, refuses: (json: unknown) => boolean, refusal: Reply): Mutation =>
  instead(async (exchange) => isOf(of, exchange) && refuses(await bodyOf(exchange.request)), refusal);

/** Refuses fields of an operation that are not among these. */
export const refuseFields = (of: Of, known: readonly string[], refusal: Reply): Mutation =>
  refuseBody(of, (json) => isRecord(json) && Object.keys(json).some((key) => !known.includes(key)), refusal);

/** Sends a refused request once more, in another form; undefined leaves the refusal. */
export const again = (
  which: Which,
  change: (request: Request, exchange: MutantExchange) => Request | undefined | Promise<Request | undefined>,
): Mutation =>
  exchanges(async (exchange, next) => {
    const { request } = exchange;
    if (which.of !== undefined && !isOf(which.of, exchange)) return next(request);
    const copy = request.clone();
    const response = await next(request);
    if (response.status < 400 || !isMeant(which, await replyOf(response.clone()), exchange)) return response;
    const other = await change(copy, exchange);
    return other ? next(other) : response;
  });

/** Has what was refused so be done all the same: it is sent once more without a body, and the refusal is answered. */
export const doneAllTheSame = (of: Of, status: number): Mutation =>
  exchanges(async (exchange, next) => {
    const { request } = exchange;
    const response = await next(request);
    const authorization = `Bearer ${tokenOf(request)}`;
    if (isOf(of, exchange) && response.status === status)
      await next(new Request(request.url, { method: request.method, headers: { authorization } }));
    return response;
  });
