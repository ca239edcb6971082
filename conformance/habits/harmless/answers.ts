import { rewritten } from '../../../emulator/wire/answer.js';
import { isRecord, type Json } from '../../../emulator/wire/json.js';
import { about, pathOf } from '../../../emulator/wire/request.js';
import type { Fetch, Serve, Setting } from '../../../emulator/wire/serve.js';
import { eachRecord } from '../habit.js';
import { chunkText } from './framings.js';

/** Whether the answer must have no further fields: a client copies them as headers, or reads them by a standard. */
const isExact = (request: Request): boolean => /\/sign$|^\/scim\//.test(pathOf(request));

/** Changes the JSON of an answer, or of each chunk of a stream. */
const json =
  (change: (json: Json) => Json): Serve =>
  (next) =>
  async (request) => {
    const response = await next(request);
    const changed = (said: unknown) => (isRecord(said) ? change(said) : said);
    return isExact(request) ? response : rewritten(response, { json: changed, text: chunkText(change) });
  };

/** Fields that no client knows. */
export const unknownFields = json((said) => {
  eachRecord(said, (record) => {
    record.region_hint = 'somewhere';
    record.labels = { team: 'any' };
  });
  return { ...said, served_by: { zone: 'a', attempts: 1 } };
});

/** The same keys in another order. */
const reordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reordered);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, entry]) => [key, reordered(entry)]),
  );
};
export const keyOrder = json((said) => reordered(said) as Json);

/** Headers that no client knows, and a content type with a parameter. */
export const unknownHeaders: Serve = (next) => async (request) =>
  rewritten(await next(request), {
    headers(headers) {
      headers.set('x-served-by', 'edge-7');
      headers.append('server-timing', 'edge;dur=1');
      headers.set('alt-svc', 'clear');
      const type = headers.get('content-type');
      if (type !== null && !type.includes(';')) headers.set('content-type', `${type}; charset=utf-8`);
    },
  });

/** A success without a body, where clients need nothing from it. */
export const noContent: Serve = (next) => async (request) => {
  const response = await next(request);
  if (!response.ok) return response;
  const headers = new Headers(response.headers);
  for (const name of ['content-type', 'content-length']) headers.delete(name);
  return new Response(null, { status: 204, headers });
};

/** Answers later, by ms of the service's clock. */
export const slowBy =
  (ms: number): Serve =>
  (next, { host }) =>
  async (request) => {
    await host.sleep(ms);
    return next(request);
  };
export const slow = slowBy(5_000);

/** A read of an intern shows another status. */
const shows =
  (status: string): Serve =>
  (next: Fetch) =>
  async (request) =>
    rewritten(await next(request), {
      json: (said) =>
        eachRecord(said, (record) => {
          if (record.status === 'running') record.status = status;
        }),
    });
export const slowBoot = shows('provisioning');
export const otherStatus = shows('warming_up');

/** Lists with another limit than the request's, which may have none. A list with an invalid limit stays. */
export const pages =
  (other: (limit: number | undefined, setting: Setting) => number): Serve =>
  (next, setting) =>
  (request) => {
    const url = new URL(request.url);
    const limit = url.searchParams.get('limit');
    const valid = limit === null || (/^[1-9]\d{0,2}$/.test(limit) && Number(limit) <= 500);
    if (about(request).operation !== 'list' || !valid) return next(request);
    url.searchParams.set('limit', String(other(limit === null ? undefined : Number(limit), setting)));
    return next(new Request(url, request));
  };

/** A page holds one intern, whatever the limit. */
export const shortPage = pages(() => 1);
