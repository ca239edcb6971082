import { failed } from '../answers.js';
import { withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { as, bodyOf, now, triedAs } from './tools.js';

const bearerOf = (request: Request) => /^Bearer (.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';

export const access: readonly Way[] = [
  // plain
  {
    name: 'unknown-key-lists-404',
    quote: 'A missing or invalid key gives 401.',
    wrong: (w) =>
      w.later('list', (response, { who }) =>
        response.status === 401 && who === 'unknown' ? failed(404, 'Intern not found', 'not_found') : undefined,
      ),
  },
  // plain
  {
    name: 'bad-key-talks-403',
    quote: 'A missing or invalid key gives 401.',
    wrong: (w) =>
      w.later('chat invoke', (response) =>
        response.status === 401 ? failed(403, 'Forbidden', 'forbidden') : undefined,
      ),
  },
  // subtle
  {
    name: 'key-without-scheme',
    quote: 'API key as bearer token in the `Authorization` header.',
    wrong: (w) =>
      w.asked('list get create update delete provision suspend invoke', (call) => {
        const sent = call.request.headers.get('authorization') ?? '';
        return Object.values(w.credentials).includes(sent)
          ? withHeaders(call, { authorization: `Bearer ${sent}` })
          : undefined;
      }),
  },
  // subtle
  {
    name: 'key-of-any-case',
    quote: 'A missing or invalid key gives 401.',
    wrong: (w) =>
      w.asked('*', (call) => {
        const sent = bearerOf(call.request).toLowerCase();
        const name = Object.keys(w.credentials).find((one) => w.credentials[one]?.toLowerCase() === sent);
        return call.who === 'unknown' && name !== undefined ? as(call, w, name) : undefined;
      }),
  },
  // subtle
  {
    name: 'key-with-a-tail',
    quote: 'A missing or invalid key gives 401.',
    wrong: (w) =>
      w.asked('*', (call) => {
        const sent = bearerOf(call.request);
        const name = Object.keys(w.credentials).find((one) => sent.startsWith(w.credentials[one] ?? ' '));
        return call.who === 'unknown' && name !== undefined ? as(call, w, name) : undefined;
      }),
  },
  // state
  {
    name: 'own-key-blind-to-itself',
    quote: "An intern's own API key sees only that intern.",
    wrong: (w) =>
      w.later('get', (response, { who }) =>
        response.ok && who === 'own_key' ? failed(404, 'Intern not found', 'not_found') : undefined,
      ),
  },
  // state
  {
    name: 'own-key-creates',
    quote: 'For such a key the collection and every other intern answer 404.',
    wrong: (w) => triedAs(w, 'create', 'api_key', ({ who }) => who === 'own_key'),
  },
  // state
  {
    name: 'own-key-talks-to-siblings',
    quote: "An intern's own key sees only that intern, and everything else answers 404.",
    wrong: (w) => triedAs(w, 'chat', 'api_key', ({ who }) => who === 'own_key'),
  },
  // state
  {
    name: 'outsider-lists-nothing',
    quote: 'Callers outside the programme receive 404 for every path under `/interns`.',
    wrong: (w) =>
      w.later('list', (response, { who }) =>
        response.status === 404 && who === 'outsider_api_key'
          ? Response.json({ data: [], has_more: false })
          : undefined,
      ),
  },
  // state
  {
    name: 'outsider-invokes-403',
    quote: 'Callers outside the programme receive 404 for every path under `/interns`.',
    wrong: (w) =>
      w.later('invoke', (response, { who }) =>
        response.status === 404 && who === 'outsider_api_key'
          ? failed(403, 'Not a member of the programme', 'not_enrolled')
          : undefined,
      ),
  },
  // subtle
  {
    name: 'outsider-type-judged-first',
    quote: 'Callers outside the programme receive 404 for every path under `/interns`.',
    wrong: (w) =>
      w.later('create update delete', (response, { who, text, request }) =>
        response.status === 404 &&
        who === 'outsider_api_key' &&
        text !== '' &&
        !/^application\/json/i.test(request.headers.get('content-type') ?? '')
          ? failed(415, 'Request body must be sent as application/json', 'unsupported_media_type')
          : undefined,
      ),
  },
  // state
  {
    name: 'foreign-key-invokes',
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong: (w) => triedAs(w, 'invoke', 'api_key', ({ who }) => who === 'foreign_api_key'),
  },
  // state
  {
    name: 'regional-talk-served',
    quote: 'Requests on regional hostnames are refused.',
    wrong: (w) => {
      const home = new URL(w.baseUrl);
      return w.asked('chat invoke', (call) => {
        if (!call.regional) return undefined;
        const url = new URL(call.url);
        url.host = home.host;
        return withHeaders(call, { host: home.host }, url);
      });
    },
  },
  // subtle
  {
    name: 'regional-update-refused-but-done',
    quote: 'Requests on regional hostnames are refused.',
    wrong: (w) => async (call, next) => {
      const response = await next();
      if (call.op !== 'update' || !call.regional) return response;
      const done = await w.ask('PATCH', `/interns/${call.id}`, { as: call.who, body: call.text });
      if (done.ok) w.hit();
      return response;
    },
  },
  // state
  {
    name: 'management-key-reads-interns',
    quote: 'API key as bearer token in the `Authorization` header.',
    wrong: (w) => triedAs(w, 'list get', 'api_key', ({ who }) => who === 'management_key'),
  },
  // subtle
  {
    name: 'keyless-reads-from-cache',
    quote: 'A missing or invalid key gives 401.',
    wrong: (w) => {
      const kept = new Map<string, { readonly at: number; readonly body: unknown }>();
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'get') return response;
        if (response.ok) kept.set(call.id, { at: now(w), body: await bodyOf(response) });
        const known = kept.get(call.id);
        if (response.status !== 401 || call.who !== 'none' || known === undefined || now(w) - known.at > 60_000)
          return response;
        w.hit();
        return Response.json(known.body);
      };
    },
  },
  // subtle
  {
    name: 'list-cached-for-all-keys',
    quote: 'The API key selects caller, workspace and visible interns.',
    wrong: (w) => {
      const kept = new Map<string, { readonly at: number; readonly who: string; readonly body: unknown }>();
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'list' || !response.ok) return response;
        const known = kept.get(call.url.search);
        if (known !== undefined && known.who !== call.who && now(w) - known.at < 1000) {
          if (JSON.stringify(known.body) !== JSON.stringify(await bodyOf(response))) w.hit();
          return Response.json(known.body);
        }
        kept.set(call.url.search, { at: now(w), who: call.who, body: await bodyOf(response) });
        return response;
      };
    },
  },
];
