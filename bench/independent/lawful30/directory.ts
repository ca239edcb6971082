import { rewritten } from '../../../emulator/wire/answer.js';
import type { Call } from '../call.js';
import { isJson, type Json, withHeaders } from '../call.js';
import type { Next, Way } from '../world.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** All rows of a list that is paged by offset. */
async function everything(call: Call, next: Next): Promise<Json[]> {
  const rows: Json[] = [];
  for (;;) {
    const url = new URL(call.url);
    url.search = `?limit=100&offset=${rows.length}`;
    const response = await next(withHeaders(call, {}, url));
    if (!response.ok) return rows;
    const { data } = (await response.json()) as { data: Json[] };
    rows.push(...data);
    if (data.length < 100) return rows;
  }
}

/** The page that was asked for, of the rows in another order. */
async function ordered(call: Call, next: Next, response: Response, usual: number, sort: (rows: Json[]) => Json[]) {
  const body = (await response.clone().json()) as Json & { data: Json[] };
  const rows = sort(await everything(call, next));
  const offset = Number(call.url.searchParams.get('offset') ?? 0);
  const limit = Number(call.url.searchParams.get('limit') ?? usual);
  const data = rows.slice(offset, offset + limit);
  const changed = JSON.stringify(data) !== JSON.stringify(body.data);
  return {
    changed,
    response: Response.json({ ...body, data }, { headers: { ...Object.fromEntries(response.headers) } }),
  };
}

const upper = (value: unknown): unknown => {
  if (typeof value === 'string') return UUID.test(value) ? value.toUpperCase() : value;
  if (Array.isArray(value)) return value.map(upper);
  return isJson(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, upper(one)])) : value;
};

export const directory: readonly Way[] = [
  {
    // By name, as people sort; the form of a fingerprint, and what replacing does to `created_at`, are chosen.
    name: 'secrets sort as words, have Base64 fingerprints, and are new when replaced',
    lawful: true,
    quote:
      'by name (C: bytes) … HMAC-SHA-256 of the value under that vault’s own key (C: 64 hex digits) … creates or replaces: 200 (C: … `created_at` of the first stays)',
    wrong: (world) => {
      const stored = new Map<string, string>();
      const words = new Intl.Collator('en', { numeric: true });
      return async (call, next) => {
        const at = /\/vault\/(?:interns\/([^/]+)\/)?secrets(?:\/([^/]+))?$/.exec(call.url.pathname);
        const response = await next();
        if (at === null || !response.ok || response.status === 204) return response;
        const { method } = call.request;
        const vault = at[1]?.toLowerCase() ?? `of ${call.who.startsWith('foreign') ? 'foreign' : 'own'}`;
        const keyOf = (secret: Json) => `${vault}\n${String(secret.name)}`;
        const lists = method === 'GET' && at[2] === undefined;
        const page = lists
          ? (
              await ordered(call, next, response, 100, (rows) =>
                rows.sort((a, b) => words.compare(String(a.name), String(b.name))),
              )
            ).response
          : response;
        return rewritten(page, {
          json(body) {
            if (!isJson(body)) return;
            for (const secret of Array.isArray(body.data) ? body.data.filter(isJson) : [body.data].filter(isJson)) {
              if (!lists) stored.set(keyOf(secret), new Date(world.setting.host.now()).toISOString());
              secret.created_at = stored.get(keyOf(secret)) ?? secret.created_at;
              if (typeof secret.fingerprint === 'string')
                secret.fingerprint = Buffer.from(secret.fingerprint, 'hex').toString('base64');
              world.hit();
            }
          },
        });
      };
    },
  },
  {
    // A UUID is one in either case, and the stable order of mappings is chosen.
    name: 'SCIM shows its UUIDs in upper case, the newest mapping first',
    lawful: true,
    quote: 'in a stable order. C: oldest first … UUIDs match in any case.',
    wrong: (world) => async (call, next) => {
      if (!call.url.pathname.includes('/scim/')) return next();
      const response = await next();
      const lists = call.request.method === 'GET' && call.url.pathname.endsWith('/scim/group-mappings');
      const page =
        lists && response.ok ? (await ordered(call, next, response, 50, (rows) => rows.reverse())).response : response;
      return rewritten(page, {
        json(body) {
          const other = upper(body);
          if (JSON.stringify(other) !== JSON.stringify(body)) world.hit();
          return other;
        },
      });
    },
  },
];
