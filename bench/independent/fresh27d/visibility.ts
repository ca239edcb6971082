import { failed } from '../answers.js';
import type { Call } from '../call.js';
import { withHeaders } from '../call.js';
import { type Area, by, bytesOf, CAP, recordOf, seen, tooLarge, wrongType } from './form.js';

const missing = () => failed(404, 'Intern not found', 'not_found');
/** The same request at the host that is not regional. */
function atHome(call: Call): Request {
  const url = new URL(call.url);
  url.host = url.host.replace(/^eu\./i, '');
  return withHeaders(call, { host: null }, url);
}

export const visibility: Area = {
  'own-key-creates-403': {
    quote: 'For such a key the collection and every other intern answer 404.',
    wrong: ({ later }) =>
      later('create', (response, { who }) =>
        who === 'own_key' && response.status === 404 ? failed(403, 'Forbidden', 'forbidden') : undefined,
      ),
  },
  'own-key-blind-to-its-suspended-intern': {
    quote: "An intern's own API key sees only that intern.",
    wrong: ({ later }) =>
      later('get', async (response, { who }) =>
        who === 'own_key' && response.ok && (await recordOf(response)).status !== 'running' ? missing() : undefined,
      ),
  },
  'own-key-reads-stopped-neighbours': {
    quote: "An intern's own key sees only that intern, and everything else answers 404.",
    wrong: (world) =>
      world.later('get', async (response, { who, id }) => {
        if (who !== 'own_key' || response.status !== 404) return undefined;
        const intern = await seen(world, id);
        return intern.status === 'stopped' ? Response.json(intern) : undefined;
      }),
  },
  'own-key-chats-with-neighbours': {
    quote: 'For such a key the collection and every other intern answer 404.',
    wrong: (world) => async (call, next) => {
      if (call.op !== 'chat' || call.who !== 'own_key' || call.id === world.target.credentials.intern?.id)
        return next();
      const response = await next(by(call, world, 'api_key'));
      if (response.ok) world.hit();
      return response;
    },
  },
  'own-key-changes-neighbours-behind-a-404': {
    quote: 'For such a key the collection and every other intern answer 404.',
    wrong: (world) =>
      world.later('update', async (response, { who, id, text }) => {
        if (who !== 'own_key' || response.status !== 404) return undefined;
        if ((await world.ask('PATCH', `/interns/${id}`, { body: text })).ok) world.hit();
        return undefined;
      }),
  },
  'own-key-provisions-neighbours': {
    quote: "An intern's own key sees only that intern, and everything else answers 404.",
    wrong: (world) =>
      world.later('provision', async (response, { who, id, text }) => {
        if (who !== 'own_key' || response.status !== 404 || text !== '') return undefined;
        const other = await world.ask('POST', `/interns/${id}/provision`);
        return other.status === 404 ? undefined : other;
      }),
  },
  'outsider-list-empty': {
    quote: 'Callers outside the programme receive 404 for every path under `/interns`.',
    wrong: ({ instead }) =>
      instead('list', ({ who }) =>
        who === 'outsider_api_key' ? Response.json({ data: [], has_more: false }) : undefined,
      ),
  },
  'outsider-delete-415': {
    quote: 'Callers outside the programme receive 404 for every path under `/interns`.',
    wrong: ({ instead }) =>
      instead('delete update', ({ who, text, request }) =>
        who === 'outsider_api_key' && text !== '' && !/json/.test(request.headers.get('content-type') ?? '')
          ? failed(415, wrongType, 'unsupported_media_type')
          : undefined,
      ),
  },
  'outsider-chat-and-invoke-403': {
    quote: 'Callers outside the interns programme receive 404 for every path under `/interns`.',
    wrong: ({ instead }) =>
      instead('chat invoke', ({ who }) =>
        who === 'outsider_api_key' ? failed(403, 'Not a member of the interns programme', 'not_a_member') : undefined,
      ),
  },
  'outsider-suspend-bodied-400': {
    quote: 'Callers outside the programme receive 404 for every path under `/interns`.',
    wrong: ({ instead }) =>
      instead('suspend provision', ({ who, text }) =>
        who === 'outsider_api_key' && text.length > 2 ? failed(400, 'Invalid request body', 'invalid_body') : undefined,
      ),
  },
  'regional-reads-served': {
    quote: 'Requests on regional hostnames are refused.',
    wrong: ({ asked }) => asked('get list', (call) => (call.regional ? atHome(call) : undefined)),
  },
  'regional-chat-served': {
    quote: 'Requests on regional hostnames are refused.',
    wrong: ({ asked }) => asked('chat invoke', (call) => (call.regional ? atHome(call) : undefined)),
  },
  'regional-sign-served': {
    unseen: 'the deployment refuses what is asked on a regional host before it',
    quote: 'Requests on regional hostnames are refused.',
    wrong: ({ asked }) => asked('sign sign-alias daemon', (call) => (call.regional ? atHome(call) : undefined)),
  },
  'regional-suspend-refused-but-done': {
    quote: 'Requests on regional hostnames are refused.',
    wrong: (world) =>
      world.later('suspend provision delete', async (response, { regional, op, id, who }) => {
        if (!regional || response.ok) return undefined;
        const path = op === 'delete' ? `/interns/${id}` : `/interns/${id}/${op}`;
        const done = await world.ask(op === 'delete' ? 'DELETE' : 'POST', path, { as: who });
        if (done.ok) world.hit();
        return undefined;
      }),
  },
  'bare-key-taken': {
    quote: 'API key as bearer token in the `Authorization` header.',
    wrong: (world) =>
      world.asked('*', (call) => {
        const sent = call.request.headers.get('authorization')?.replace(/^(basic|token|apikey) /i, '') ?? '';
        const known = Object.values(world.credentials).includes(sent);
        return known ? withHeaders(call, { authorization: `Bearer ${sent}` }) : undefined;
      }),
  },
  'key-compared-by-its-beginning': {
    quote: 'A missing or invalid key gives 401.',
    wrong: (world) =>
      world.asked('*', (call) => {
        if (call.who !== 'unknown') return undefined;
        const sent = (call.request.headers.get('authorization') ?? '').replace(/^bearer /i, '');
        const key = Object.values(world.credentials).find((one) => one !== '' && sent.startsWith(one));
        return key === undefined ? undefined : withHeaders(call, { authorization: `Bearer ${key}` });
      }),
  },
  'key-compared-without-case': {
    quote: 'A missing or invalid key gives 401.',
    wrong: (world) =>
      world.asked('*', (call) => {
        if (call.who !== 'unknown') return undefined;
        const sent = (call.request.headers.get('authorization') ?? '').replace(/^bearer /i, '').toLowerCase();
        const key = Object.values(world.credentials).find((one) => one !== '' && one.toLowerCase() === sent);
        return key === undefined ? undefined : withHeaders(call, { authorization: `Bearer ${key}` });
      }),
  },
  'no-key-chat-403': {
    quote: 'A missing or invalid key gives 401.',
    wrong: ({ later }) =>
      later('chat', (response, { who }) =>
        response.status === 401 && who === 'none' ? failed(403, 'Forbidden', 'forbidden') : undefined,
      ),
  },
  'bad-key-large-create-413': {
    quote: 'A missing or invalid key gives 401.',
    wrong: ({ later }) =>
      later('create update', (response, { text }) =>
        response.status === 401 && bytesOf(text) > CAP ? failed(413, tooLarge, 'payload_too_large') : undefined,
      ),
  },
  'management-key-reads-interns': {
    quote: 'Intern lifecycle, chat, invoke: API key as bearer token in the `Authorization` header.',
    wrong: (world) =>
      world.asked('get list', (call) => (call.who === 'management_key' ? by(call, world, 'api_key') : undefined)),
  },
  'foreign-key-starts-runs': {
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong: (world) =>
      world.later('invoke', async (response, { who, id, body, text }) => {
        if (response.status !== 404 || who !== 'foreign_api_key' || body.session_id !== undefined) return undefined;
        const other = await world.ask('POST', `/interns/${id}/invoke`, { body: text });
        return other.status === 202 ? other : undefined;
      }),
  },
  'absence-remembered-for-everybody': {
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong: (world) => {
      const absent = new Map<string, number>();
      const { host } = world.setting;
      return world.later('get', (response, { id }) => {
        if (response.status === 404) absent.set(id, host.now());
        const at = absent.get(id);
        return response.ok && at !== undefined && host.now() - at < 30_000 ? missing() : undefined;
      });
    },
  },
  'read-remembered-for-everybody': {
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong: (world) => {
      const last = new Map<string, { at: number; intern: unknown }>();
      const { host } = world.setting;
      return world.later('get', async (response, { id }) => {
        if (response.ok) last.set(id, { at: host.now(), intern: await recordOf(response) });
        const known = last.get(id);
        return response.status === 404 && known && host.now() - known.at < 15_000
          ? Response.json(known.intern)
          : undefined;
      });
    },
  },
  'workspace-defaulted': {
    quote: 'There is no default workspace fallback.',
    wrong: (world) =>
      world.asked('create', ({ body, text }) =>
        text !== '' && Object.keys(body).length > 0 && body.workspace_id === undefined
          ? { ...body, workspace_id: world.workspaces.own }
          : undefined,
      ),
  },
  'unreachable-workspace-becomes-own': {
    quote: 'There is no default workspace fallback.',
    wrong: (world) =>
      world.asked('create', ({ body, who }) =>
        typeof body.workspace_id === 'string' &&
        body.workspace_id !== world.workspaces.own &&
        (who === 'api_key' || who === 'peer_api_key')
          ? { ...body, workspace_id: world.workspaces.own }
          : undefined,
      ),
  },
};
