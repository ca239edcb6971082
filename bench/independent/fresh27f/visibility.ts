import { failed } from '../answers.js';
import { type Call, withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { as, bodyOf, internOf } from './common.js';

const notRegional = (call: Call): Request => {
  const url = new URL(call.url);
  url.hostname = url.hostname.replace(/^eu\./i, '');
  return withHeaders(call, { host: null }, url);
};

export const visibility: readonly Way[] = [
  {
    name: 'regional-reads-served',
    quote: 'Requests on regional hostnames are refused.',
    wrong: ({ asked }) => asked('get list', (call) => (call.regional ? notRegional(call) : undefined)),
  },
  {
    name: 'regional-mapping-served',
    quote: 'Requests on regional hostnames are refused.',
    wrong: ({ asked }) => asked('scim', (call) => (call.regional ? notRegional(call) : undefined)),
  },
  {
    name: 'regional-update-refused-but-done',
    quote: 'Requests on regional hostnames are refused.',
    wrong: ({ hit }) => {
      return async (call, next) => {
        const response = await next();
        if (call.op === 'update' && call.regional && !response.ok && (await next(notRegional(call))).ok) hit();
        return response;
      };
    },
  },
  {
    name: 'own-key-create-403',
    quote: 'For such a key the collection and every other intern answer 404.',
    wrong: ({ later }) =>
      later('create', ({ status }, { who }) =>
        who === 'own_key' && status === 404 ? failed(403, 'Forbidden', 'forbidden') : undefined,
      ),
  },
  {
    name: 'own-key-creates',
    quote: 'For such a key the collection and every other intern answer 404.',
    wrong: (world) =>
      world.asked('create', (call) => (call.who === 'own_key' ? as(call, world, 'api_key') : undefined)),
  },
  {
    name: 'own-key-talks-to-others',
    quote: "An intern's own API key sees only that intern.",
    wrong: (world) =>
      world.asked('chat', (call) =>
        call.who === 'own_key' && call.id !== world.target.credentials.intern?.id
          ? as(call, world, 'api_key')
          : undefined,
      ),
  },
  {
    name: 'own-key-changes-others',
    quote: "An intern's own key sees only that intern, and everything else answers 404.",
    wrong: (world) =>
      world.asked('update', (call) =>
        call.who === 'own_key' && call.id !== world.target.credentials.intern?.id
          ? as(call, world, 'api_key')
          : undefined,
      ),
  },
  {
    name: 'own-key-blind-to-itself',
    quote: "An intern's own API key sees only that intern.",
    wrong: ({ later }) =>
      later('get', ({ ok }, { who }) =>
        who === 'own_key' && ok ? failed(404, 'Intern not found', 'not_found') : undefined,
      ),
  },
  {
    name: 'outsider-list-empty',
    quote: 'Callers outside the programme receive 404 for every path under `/interns`.',
    wrong: ({ later }) =>
      later('list', ({ status }, { who }) =>
        who === 'outsider_api_key' && status === 404 ? Response.json({ data: [], has_more: false }) : undefined,
      ),
  },
  {
    name: 'outsider-provision-bodied-400',
    quote: 'Callers outside the interns programme receive 404 for every path under `/interns`.',
    wrong: ({ later }) =>
      later('provision suspend', ({ status }, { who, body }) =>
        who === 'outsider_api_key' && status === 404 && Object.keys(body).length > 0
          ? failed(400, 'Invalid request body', 'invalid_body')
          : undefined,
      ),
  },
  {
    name: 'outsider-typed-update-415',
    quote: 'Callers outside the interns programme receive 404 for every path under `/interns`.',
    wrong: ({ later }) =>
      later('update', ({ status }, { who, text, request }) =>
        who === 'outsider_api_key' &&
        status === 404 &&
        text !== '' &&
        !/^application\/json/i.test(request.headers.get('content-type') ?? '')
          ? failed(415, 'Request body must be sent as application/json', 'unsupported_media_type')
          : undefined,
      ),
  },
  {
    name: 'get-cached-for-everyone',
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong: ({ hit, setting: { host } }) => {
      const cache = new Map<string, { readonly at: number; readonly response: Response }>();
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'get') return response;
        if (response.ok) cache.set(call.id, { at: host.now(), response: response.clone() });
        const kept = cache.get(call.id);
        if (response.status !== 404 || call.who !== 'foreign_api_key' || kept === undefined) return response;
        if (host.now() - kept.at > 60_000) return response;
        hit();
        return kept.response.clone();
      };
    },
  },
  {
    name: 'sign-foreign-intern-403',
    quote: 'Intern unknown or not visible.',
    wrong: (world) =>
      world.later('sign', async ({ status }, { id, who }) =>
        status === 404 &&
        who.endsWith('oauth_token') &&
        (await bodyOf(await world.ask('GET', `/interns/${id}`, { as: 'foreign_api_key' }))).id === id
          ? failed(403, 'Personal connections require the OIDC login', 'personal_identity_required')
          : undefined,
      ),
  },
  {
    name: 'foreign-provision-acts',
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong: (world) => {
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'provision' || call.who !== 'foreign_api_key' || response.status !== 404) return response;
        if ((await world.ask('POST', `/interns/${call.id}/provision`)).ok) world.hit();
        return response;
      };
    },
  },
  {
    name: 'foreign-chat-tells-stopped',
    quote: 'The API key selects caller, workspace and visible interns.',
    wrong: (world) =>
      world.later('chat invoke', async ({ status }, { id, who }) =>
        status === 404 && who === 'foreign_api_key' && (await internOf(world, id)).status === 'stopped'
          ? failed(409, 'Intern is not running', 'intern_not_running')
          : undefined,
      ),
  },
  {
    name: 'bad-key-403',
    quote: 'A missing or invalid key gives 401.',
    wrong: ({ later }) =>
      later('list get create', ({ status }, { who }) =>
        status === 401 && who === 'unknown' ? failed(403, 'Forbidden', 'forbidden') : undefined,
      ),
  },
  {
    name: 'bad-key-invoke-404',
    quote: 'A missing or invalid key gives 401.',
    wrong: ({ later }) =>
      later('invoke chat', ({ status }, { who }) =>
        status === 401 && who === 'unknown' ? failed(404, 'Intern not found', 'not_found') : undefined,
      ),
  },
  {
    name: 'management-key-lists',
    quote: 'Intern lifecycle, chat, invoke | API key as bearer token in the `Authorization` header.',
    wrong: (world) =>
      world.asked('list get', (call) => (call.who === 'management_key' ? as(call, world, 'api_key') : undefined)),
  },
  {
    name: 'create-falls-back-to-own-workspace',
    quote: 'There is no default workspace fallback.',
    wrong: ({ asked, workspaces }) =>
      asked('create', ({ body, text }) =>
        text.startsWith('{') && !('workspace_id' in body) ? { ...body, workspace_id: workspaces.own } : undefined,
      ),
  },
  {
    name: 'create-null-workspace-falls-back',
    quote: 'There is no default workspace fallback.',
    wrong: ({ asked, workspaces }) =>
      asked('create', ({ body }) =>
        body.workspace_id === null || body.workspace_id === '' ? { ...body, workspace_id: workspaces.own } : undefined,
      ),
  },
  {
    name: 'create-in-keys-workspace',
    quote: 'An intern is created in an explicit workspace.',
    wrong: ({ asked, workspaces }) =>
      asked('create', ({ who, body }) =>
        who === 'api_key' && body.workspace_id === workspaces.foreign
          ? { ...body, workspace_id: workspaces.own }
          : undefined,
      ),
  },
];
