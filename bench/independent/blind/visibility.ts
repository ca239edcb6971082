import { failed } from '../answers.js';
import { withHeaders } from '../call.js';
import type { Way, World } from '../world.js';
import { answering, bodyOf, by, recordOf, rescued, rows, rowsKey, way } from './form.js';

const NEWEST = 'Lists the interns visible to the key, newest first.';
const OWN = "An intern's own API key sees only that intern.";

/** Callers outside the programme are those for whom there is no collection. */
const outside = (w: World) => {
  const found = new Map<string, boolean>();
  return async (who: string): Promise<boolean> => {
    if (/^(none|unknown|own_key|management_key|oauth.*)$/.test(who)) return false;
    const before = found.get(who);
    if (before !== undefined) return before;
    const is = (await w.ask('GET', '/interns', { as: who })).status === 404;
    found.set(who, is);
    return is;
  };
};

export const lists: readonly Way[] = [
  way('a list is oldest first', NEWEST, (w) => rows(w, (found) => [...found].reverse())),
  way('a list is sorted by the last update', NEWEST, (w) => {
    const touched: string[] = [];
    const sorted = rows(w, (found) => {
      const at = (id: unknown) => touched.lastIndexOf(String(id));
      return [...found].sort((a, b) => at(b.id) - at(a.id));
    });
    return async (call, next) => {
      const response = await sorted(call, next);
      if (call.op === 'update' && response.ok) touched.push(call.id);
      return response;
    };
  }),
  way('a list is sorted by name', NEWEST, (w) =>
    rows(w, (found) => [...found].sort((a, b) => String(a.name).localeCompare(String(b.name)))),
  ),
  way(
    'a list heeds the first of several statuses',
    'Filters: workspace, and one or more lifecycle statuses.',
    (w) => async (call, next) => {
      const response = await next();
      if (call.op !== 'list' || !response.ok) return response;
      const url = new URL(call.url);
      for (const key of new Set([...url.searchParams.keys()].filter((name) => /status/i.test(name)))) {
        const [first = ''] = url.searchParams.getAll(key).flatMap((value) => value.split(','));
        url.searchParams.set(key, first);
      }
      if (url.search === call.url.search) return response;
      const other = await next(withHeaders(call, {}, url));
      if (!other.ok || JSON.stringify(await bodyOf(other)) === JSON.stringify(await bodyOf(response))) return response;
      w.hit();
      return other;
    },
  ),
  way(
    'a list does not filter by status',
    'Filters: workspace, and one or more lifecycle statuses.',
    (w) => async (call, next) => {
      const response = await next();
      if (call.op !== 'list' || !response.ok) return response;
      const url = new URL(call.url);
      for (const key of [...url.searchParams.keys()]) if (/status/i.test(key)) url.searchParams.delete(key);
      if (url.search === call.url.search) return response;
      const other = await next(withHeaders(call, {}, url));
      if (!other.ok || JSON.stringify(await bodyOf(other)) === JSON.stringify(await bodyOf(response))) return response;
      w.hit();
      return other;
    },
  ),
  way('a list cannot be asked for what failed', 'One value is `destroy_failed`.', (w) =>
    w.later('list', (r, { url }) =>
      r.ok && [...url.searchParams.values()].some((value) => value.split(',').includes('destroy_failed'))
        ? failed(400, 'Invalid status: destroy_failed', 'invalid_query')
        : undefined,
    ),
  ),
  way('a list leaves out what is suspended', 'Lists the interns visible to the key', (w) =>
    rows(w, (found, { url }) =>
      [...url.searchParams.keys()].some((key) => /status/i.test(key))
        ? found
        : found.filter(({ status }) => status !== 'suspended'),
    ),
  ),
  way('a list shows the first name that it saw', 'Changes name, description, instructions or model.', (w) => {
    const names = new Map<unknown, unknown>();
    return rows(w, (found) =>
      found.map((row) => {
        if (!names.has(row.id)) names.set(row.id, row.name);
        return { ...row, name: names.get(row.id) };
      }),
    );
  }),
  way('a list without a match is not found', 'Lists the interns visible to the key', (w) =>
    w.later('list', async (r) => {
      if (!r.ok) return undefined;
      const body = await bodyOf(r);
      const key = rowsKey(body);
      return key !== undefined && (body[key] as unknown[]).length === 0
        ? failed(404, 'No interns found', 'not_found')
        : undefined;
    }),
  ),
];

export const visibility: readonly Way[] = [
  way('a regional host serves reads', 'Requests on regional hostnames are refused.', (w) => async (call, next) => {
    const response = await next();
    if (!call.regional || call.request.method !== 'GET' || response.ok) return response;
    const home = new URL(w.baseUrl);
    const url = new URL(call.url);
    url.host = home.host;
    const other = await next(withHeaders(call, { host: home.host }, url));
    if (!other.ok) return response;
    w.hit();
    return other;
  }),
  way(
    'a regional host serves what changes an intern',
    'Requests on regional hostnames are refused.',
    (w) => async (call, next) => {
      const response = await next();
      if (!call.regional || !['create', 'update', 'invoke', 'chat'].includes(call.op) || response.ok) return response;
      const home = new URL(w.baseUrl);
      const url = new URL(call.url);
      url.host = home.host;
      const other = await next(withHeaders(call, { host: home.host }, url));
      if (other.status >= 500) return response;
      w.hit();
      return other;
    },
  ),
  way(
    "an intern's own key is forbidden the others",
    'For such a key the collection and every other intern answer 404.',
    (w) =>
      w.later('get update delete provision suspend chat invoke', (r, { who, id }) =>
        who === 'own_key' && r.status === 404 && id !== w.target.credentials.intern?.id
          ? failed(403, 'Forbidden', 'forbidden')
          : undefined,
      ),
  ),
  way("an intern's own key lists itself", 'For such a key the collection and every other intern answer 404.', (w) =>
    w.later('list', async (r, { who, url }) => {
      if (who !== 'own_key' || r.status !== 404) return undefined;
      const all = await w.ask('GET', `/interns${url.search}`);
      const body = await bodyOf(all);
      const key = rowsKey(body);
      if (!all.ok || key === undefined) return undefined;
      const own = await recordOf(w, w.target.credentials.intern?.id ?? '');
      return answering(all, { ...body, [key]: own.id === undefined ? [] : [own] });
    }),
  ),
  way("an intern's own key reads its neighbours", OWN, (w) =>
    rescued(w, 'get', [404], (call) => (call.who === 'own_key' ? by(w, call, 'api_key') : undefined)),
  ),
  way("an intern's own key prompts its neighbours", OWN, (w) =>
    rescued(w, 'invoke chat', [404], (call) =>
      call.who === 'own_key' && call.id !== w.target.credentials.intern?.id ? by(w, call, 'api_key') : undefined,
    ),
  ),
  way("an intern's own key creates interns", 'For such a key the collection and every other intern answer 404.', (w) =>
    rescued(w, 'create', [404], (call) => (call.who === 'own_key' ? by(w, call, 'api_key') : undefined), 'other'),
  ),
  way("an intern's own key does not see the intern", OWN, (w) =>
    w.later('get', (r, { who }) =>
      who === 'own_key' && r.ok ? failed(404, 'Intern not found', 'not_found') : undefined,
    ),
  ),
  way(
    'callers outside the programme are forbidden',
    'Callers outside the programme receive 404 for every path under `/interns`.',
    (w) => {
      const is = outside(w);
      return async (call, next) => {
        const response = await next();
        if (
          response.status !== 404 ||
          !call.url.pathname.startsWith(`${new URL(w.baseUrl).pathname}/interns`) ||
          !(await is(call.who))
        )
          return response;
        w.hit();
        return failed(403, 'The interns programme is not open to this caller', 'forbidden');
      };
    },
  ),
  way(
    'callers outside the programme have an empty list',
    'Callers outside the programme receive 404 for every path under `/interns`.',
    (w) => {
      const is = outside(w);
      return w.later('list', async (r, { who, url }) => {
        if (r.status !== 404 || !(await is(who))) return undefined;
        const all = await w.ask('GET', `/interns${url.search}`);
        const body = await bodyOf(all);
        const key = rowsKey(body);
        return key === undefined ? undefined : answering(all, { ...body, [key]: [] });
      });
    },
  ),
  way('a management key reads interns', 'A missing or invalid key gives 401.', (w) =>
    rescued(w, 'list get', [401, 403, 404], (call) =>
      call.who === 'management_key' ? by(w, call, 'api_key') : undefined,
    ),
  ),
  way('an invalid key is forbidden', 'A missing or invalid key gives 401.', (w) =>
    w.later('list get create update delete provision suspend chat invoke', (r, { who }) =>
      r.status === 401 && who === 'unknown' ? failed(403, 'Forbidden', 'forbidden') : undefined,
    ),
  ),
  way('keys are compared without their case', 'A missing or invalid key gives 401.', (w) =>
    rescued(w, 'list get', [401], (call) => {
      const sent = (call.request.headers.get('authorization') ?? '').toLowerCase();
      return call.who === 'unknown' && sent === `bearer ${w.credentials.api_key}`.toLowerCase()
        ? by(w, call, 'api_key')
        : undefined;
    }),
  ),
  way('a key passes without its scheme', 'API key as bearer token in the `Authorization` header.', (w) =>
    rescued(w, 'list get create', [401], (call) =>
      call.request.headers.get('authorization') === w.credentials.api_key ? by(w, call, 'api_key') : undefined,
    ),
  ),
  way('a key passes in the query', 'API key as bearer token in the `Authorization` header.', (w) =>
    rescued(w, 'list get', [401], (call) =>
      call.who === 'none' && [...call.url.searchParams.values()].includes(w.credentials.api_key ?? '-')
        ? by(w, call, 'api_key')
        : undefined,
    ),
  ),
];
