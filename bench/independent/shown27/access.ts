import { failed } from '../answers.js';
import { withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { bearer, missing, personal, seen } from './service.js';

const OWN =
  "An intern's own API key sees only that intern. For such a key the collection and every other intern answer 404.";
const OUTSIDE = 'Callers outside the programme receive 404 for every path under `/interns`.';

export const access: readonly Way[] = [
  {
    name: 'own-key-invokes-a-colleague',
    quote: OWN,
    wrong: (w) => async (call, next) => {
      const response = await next();
      if (call.op !== 'invoke' || call.who !== 'own_key' || response.status !== 404) return response;
      if (call.id === w.target.credentials.intern?.id) return response;
      w.hit();
      return next(withHeaders(call, { authorization: bearer(w, 'api_key') }));
    },
  },
  {
    name: 'own-key-writing-to-another-403',
    quote: OWN,
    wrong: (w) =>
      w.later('update delete', ({ status }, { who }) =>
        who === 'own_key' && status === 404 ? failed(403, 'Forbidden', 'forbidden') : undefined,
      ),
  },
  {
    name: 'outsider-body-judged-first',
    quote: OUTSIDE,
    wrong: (w) =>
      w.instead('create', ({ who, body }) =>
        who === 'outsider_api_key' && typeof body.name !== 'string'
          ? failed(400, 'Invalid request body', 'invalid_body')
          : undefined,
      ),
  },
  {
    name: 'outsider-sent-to-login-by-daemon',
    quote: OUTSIDE,
    wrong: (w) => w.instead('daemon daemon-alias', ({ who }) => (who === 'outsider_api_key' ? personal() : undefined)),
  },
  {
    name: 'foreign-key-suspends',
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong: (w) => async (call, next) => {
      const response = await next();
      if (call.op !== 'suspend' || call.who !== 'foreign_api_key' || response.status !== 404) return response;
      if (!(await seen(w, call.id))) return response;
      w.hit();
      return next(withHeaders(call, { authorization: bearer(w, 'api_key') }));
    },
  },
  {
    name: 'foreign-key-sees-the-suspended',
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong: (w) =>
      w.later('get', async ({ status }, { who, id }) => {
        if (who !== 'foreign_api_key' || status !== 404) return undefined;
        const record = await seen(w, id);
        return record?.status === 'stopped' ? Response.json(record) : undefined;
      }),
  },
  {
    name: 'regional-host-takes-writes',
    quote: 'Requests on regional hostnames are refused.',
    wrong: (w) => (call, next) => {
      if (!call.regional || !['update', 'suspend', 'delete'].includes(call.op)) return next();
      w.hit();
      return next(withHeaders(call, { host: null }, new URL(call.url.pathname, w.baseUrl)));
    },
  },
  {
    name: 'unknown-key-finds-no-intern',
    quote: 'A missing or invalid key gives 401.',
    wrong: (w) =>
      w.later('invoke chat', ({ status }, { who }) => (status === 401 && who !== 'none' ? missing() : undefined)),
  },
];
