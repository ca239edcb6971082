import { failed } from '../answers.js';
import { withBody, withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { bodyOf, homeOf, isMember, tokenOf } from './helpers.js';

const WRITES = ['create', 'update', 'delete', 'provision', 'suspend', 'invoke'];
const OF_ONE = ['get', 'update', 'delete', 'provision', 'suspend', 'chat', 'invoke', 'sign', 'sign-alias', 'daemon'];

export const visibility: readonly Way[] = [
  {
    // The body is validated before it is asked whether the key may see the collection at all.
    name: "a create by an intern's own key is first said what its body lacks",
    quote: 'For such a key the collection and every other intern answer 404.',
    wrong: (world) =>
      world.instead('create', ({ who, regional, body }) =>
        who === 'own_key' && !regional && (typeof body.name !== 'string' || typeof body.workspace_id !== 'string')
          ? failed(400, 'Invalid request body', 'invalid_body')
          : undefined,
      ),
  },
  {
    // The kind of the credential is checked before the intern is looked up.
    name: "daemon routes of other interns answer an intern's own key with 403",
    quote: 'For such a key the collection and every other intern answer 404.',
    wrong: (world) =>
      world.later('daemon daemon-alias sign sign-alias', ({ status }, { who }) =>
        who === 'own_key' && status === 404
          ? failed(403, 'Personal connections require the OIDC login', 'personal_identity_required')
          : undefined,
      ),
  },
  {
    name: 'what a regional hostname refuses was done all the same',
    quote: 'Requests on regional hostnames are refused.',
    wrong: (world) => async (call, next) => {
      if (call.regional && WRITES.includes(call.op)) {
        const url = new URL(call.url);
        url.host = url.host.replace(/^eu\./i, '');
        const done = await next(withHeaders(call, { host: null }, url));
        if (done.ok) world.hit();
      }
      return next();
    },
  },
  {
    // A caller who names a workspace that is not theirs, gets the intern in their own.
    name: "a create in somebody else's workspace is made in that of the key",
    quote: 'There is no default workspace fallback.',
    wrong: (world) => async (call, next) => {
      const { workspace_id: named } = call.body;
      const home = homeOf(world, call);
      if (call.op !== 'create' || call.regional || !isMember(call)) return next();
      if (typeof named !== 'string' || named.toLowerCase() === home) return next();
      const response = await next(withBody(call, { ...call.body, workspace_id: home }));
      if (response.ok) world.hit();
      return response;
    },
  },
  {
    // The cache knows the intern by its id, and not who asked.
    name: 'an intern that was just read is shown to those who cannot see it',
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong: (world) => {
      const cached = new Map<string, { text: string; until: number }>();
      const { now } = world.setting.host;
      return async (call, next) => {
        const response = await next();
        if (call.op === 'delete') cached.delete(call.id);
        if (call.op !== 'get' || call.regional) return response;
        if (response.ok) cached.set(call.id, { text: await response.clone().text(), until: now() + 5_000 });
        const held = cached.get(call.id);
        if (response.status !== 404 || held === undefined || held.until < now()) return response;
        if (call.who !== 'foreign_api_key' && call.who !== 'own_key') return response;
        world.hit();
        return new Response(held.text, { headers: { 'content-type': 'application/json' } });
      };
    },
  },
  {
    // The row is written first; then its owner is compared, and the caller said that there is no such intern.
    name: 'an update from another workspace answers 404, and is made',
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong: (world) => async (call, next) => {
      const response = await next();
      if (call.op !== 'update' || response.status !== 404 || call.regional || !isMember(call)) return response;
      const as = call.who.startsWith('foreign') ? 'api_key' : 'foreign_api_key';
      const made = await world.ask('PATCH', `/interns/${call.id}`, { as, body: call.text });
      if (made.ok) world.hit();
      return response;
    },
  },
  {
    // Routes find their intern before anybody asks who calls.
    name: 'without a valid key an unknown intern is 404, a known one 401',
    quote: 'A missing or invalid key gives 401.',
    wrong: (world) =>
      world.later(OF_ONE.join(' '), async ({ status }, { who, id }) => {
        if (status !== 401 || (who !== 'none' && who !== 'unknown')) return undefined;
        for (const as of ['api_key', 'foreign_api_key'])
          if ((await world.ask('GET', `/interns/${id}`, { as })).ok) return undefined;
        return failed(404, 'Intern not found', 'not_found');
      }),
  },
  {
    // Keys are compared in the length of the stored one.
    name: 'a key with something behind it is as good as the key',
    quote: 'A missing or invalid key gives 401.',
    wrong: (world) => async (call, next) => {
      const given = tokenOf(call);
      const known = Object.values(world.credentials).find((key) => given.length > key.length && given.startsWith(key));
      if (call.who !== 'unknown' || known === undefined) return next();
      const response = await next(withHeaders(call, { authorization: `Bearer ${known}` }));
      if (response.status !== 401 && !call.regional) world.hit();
      return response;
    },
  },
  {
    // A token of the last boot is kept beside the intern, and the whole row is shown.
    name: 'the record of a running intern carries its daemon token',
    quote: 'Only an OAuth-token caller (from the OIDC login) may read it.',
    wrong: (world) =>
      world.later('get', async (response, call) => {
        const body = response.ok ? await bodyOf(response) : {};
        if (body.status !== 'running') return undefined;
        const access = await world.ask('GET', `/interns/${call.id}/daemon`, { as: 'oauth_token' });
        if (!access.ok) return undefined;
        const { token } = await bodyOf(access);
        return Response.json({ ...body, daemon_token: token }, { headers: response.headers });
      }),
  },
];
