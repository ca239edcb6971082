import { type Json, withHeaders } from '../call.js';
import { also, as, isMember } from '../newer/tools.js';
import type { Way } from '../world.js';
import { invalid, named } from './tools.js';

const REGIONAL = 'Requests on regional hostnames are refused.';
const OUTSIDE = 'Callers outside the programme receive 404 for every path under `/interns`.';
const OWN = 'For such a key the collection and every other intern answer 404.';
const SELECTS = 'The API key selects the caller, the workspace and the visible interns.';
const MILLISECONDS = 'string, ISO 8601 UTC timestamp with milliseconds';

export const visibility: readonly Way[] = [
  named('an update on a regional hostname is refused and done', REGIONAL, (w) =>
    w.later('update', async (r, call) => {
      if (call.regional && !r.ok && (await also(w, call, 'PATCH', '', call.body)).ok) w.hit();
      return undefined;
    }),
  ),
  named('a caller outside of the programme learns that a body is invalid', OUTSIDE, (w) =>
    w.instead('create', ({ who, body }) =>
      who === 'outsider_api_key' && typeof body.name !== 'string' ? invalid() : undefined,
    ),
  ),
  named("an intern's own key creates interns", OWN, (w) =>
    w.later('create', async (_, call) => {
      if (call.who !== 'own_key') return undefined;
      const other = await w.next(as(w, call, 'api_key'));
      return other.ok ? other : undefined;
    }),
  ),
  named(
    "an intern's own key lists the secrets of another intern",
    "An intern's own key sees only that intern, and everything else answers 404.",
    (w) =>
      w.later('vault-list', async (r, call) => {
        if (r.ok || call.who !== 'own_key') return undefined;
        const other = await w.next(as(w, call, 'api_key'));
        return other.ok ? other : undefined;
      }),
  ),
  named("somebody's suspend of an intern of another workspace is refused and done", SELECTS, (w) =>
    w.later('suspend', async (r, call) => {
      if (r.status !== 404 || call.who !== 'foreign_api_key') return undefined;
      if ((await w.ask('POST', `/interns/${call.id}/suspend`)).ok) w.hit();
      return undefined;
    }),
  ),
  named('a key without the word Bearer is taken', 'API key as bearer token in the `Authorization` header.', (w) =>
    w.later('list get create', async (r, call) => {
      const key = call.request.headers.get('authorization') ?? '';
      if (r.status !== 401 || !Object.values(w.credentials).includes(key)) return undefined;
      const other = await w.next(withHeaders(call, { authorization: `Bearer ${key}` }));
      return other.ok ? other : undefined;
    }),
  ),
  named('a 404 of an intern that is gone has the code 410', 'code: <integer HTTP status>', (w) => {
    const gone = new Set<string>();
    return async (call, next) => {
      if (call.op === 'delete' && isMember(call.who)) gone.add(call.id);
      const spoilt = w.error('get update delete suspend provision', 404, (error) => {
        if (gone.has(call.id)) error.code = 410;
      });
      return spoilt(call, next);
    };
  }),
];

export const mappings: readonly Way[] = [
  named('a mapping id that is no UUID is invalid', 'Mapping unknown.', (w) =>
    w.later('scim', (r, { id }) =>
      r.status === 404 && !/^[0-9a-f-]{36}$/i.test(id)
        ? Response.json({ error: { code: 400, message: 'Invalid id' } }, { status: 400 })
        : undefined,
    ),
  ),
  named('a mapping shows whole seconds without milliseconds', MILLISECONDS, (w) =>
    w.ok('scim', (body) => {
      const data = body.data as Json;
      for (const name of ['created_at', 'updated_at']) data[name] = String(data[name]).replace('.000Z', 'Z');
    }),
  ),
  named('an API key reads a mapping', 'Requires a management key as bearer token.', (w) =>
    w.later('scim', async (r, call) => {
      if (r.ok || call.who !== 'api_key') return undefined;
      const other = await w.next(as(w, call, 'management_key'));
      return other.ok ? other : undefined;
    }),
  ),
  named(
    'a read without a credential is answered as on the signing route',
    '`Missing Authentication header` on the SCIM route',
    (w) =>
      w.error('scim', 401, (error, { who }) => {
        if (who === 'none') error.message = 'Invalid or missing API key';
      }),
  ),
];
