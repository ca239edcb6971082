import { failed } from '../answers.js';
import { as, athome, jsonIn, recordOf, SECOND, way } from '../blind32/helpers.js';
import type { Json } from '../call.js';
import type { Way } from '../world.js';

const OWN = 'For such a key the collection and every other intern answer 404.';
const OUTSIDE = 'Callers outside the programme receive 404 for every path under `/interns`.';
const SELECTS = 'The API key selects the caller, the workspace and the visible interns.';
const BEARER = 'API key as bearer token in the `Authorization` header.';
const INVALID = 'A missing or invalid key gives 401.';
const REGIONAL = 'Requests on regional hostnames are refused.';

export const access: readonly Way[] = [
  way('own-key-deletes-others', OWN, (w) => async (call, next) => {
    if (call.op !== 'delete' || call.who !== 'own_key' || call.id === w.target.credentials.intern?.id) return next();
    const response = await next(as(call, w.credentials.api_key ?? ''));
    if (response.ok) w.hit();
    return response;
  }),
  way('outsider-served-from-a-cache', OUTSIDE, (w) => {
    const cached = new Map<string, { at: number; record: Json }>();
    return async (call, next) => {
      if (call.op !== 'get') return next();
      const before = cached.get(call.id);
      if (call.who === 'outsider_api_key' && before && w.setting.host.now() - before.at < 30 * SECOND) {
        w.hit();
        return Response.json(before.record);
      }
      const response = await next();
      const record = await jsonIn(response);
      if (record !== undefined) cached.set(call.id, { at: w.setting.host.now(), record });
      return response;
    };
  }),
  way('foreign-seen-by-an-upper-case-id', SELECTS, (w) =>
    w.later('get', async ({ status }, { id, who }) => {
      if (status !== 404 || id === id.toLowerCase() || !/^(foreign_|peer_)?api_key$/.test(who)) return undefined;
      const record = (await recordOf(w, id, 'api_key')) ?? (await recordOf(w, id, 'foreign_api_key'));
      return record && Response.json(record);
    }),
  ),
  way('key-without-its-scheme', BEARER, (w) => async (call, next) => {
    const given = call.request.headers.get('authorization') ?? '';
    if (call.who !== 'none' || !Object.values(w.credentials).includes(given)) return next();
    w.hit();
    return next(as(call, given));
  }),
  way('key-known-by-its-beginning', INVALID, (w) => async (call, next) => {
    const given = call.request.headers.get('authorization')?.replace(/^Bearer /, '') ?? '';
    const meant = Object.values(w.credentials).find(
      (key) => key.length === given.length && key.slice(0, -4) === given.slice(0, -4),
    );
    if (call.who !== 'unknown' || meant === undefined) return next();
    w.hit();
    return next(as(call, meant));
  }),
  way('type-looked-at-before-the-key', INVALID, (w) =>
    w.later('create update', ({ status }, { text, request }) =>
      status === 401 && text !== '' && !/^application\/json/i.test(request.headers.get('content-type') ?? '')
        ? failed(415, 'Request body must be sent as application/json', 'unsupported_media_type')
        : undefined,
    ),
  ),
  way('regional-in-capitals-served', REGIONAL, (w) => async (call, next) => {
    if (!call.regional || !/[A-Z]/.test(call.request.headers.get('host') ?? '')) return next();
    w.hit();
    return next(athome(w, call));
  }),
  way('regional-chat-served', REGIONAL, (w) => async (call, next) => {
    if (!call.regional || call.op !== 'chat') return next();
    w.hit();
    return next(athome(w, call));
  }),
];
