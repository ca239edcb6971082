import { failed } from '../answers.js';
import { type Call, withBody, withHeaders } from '../call.js';
import { type Fresh, now, record } from './shared.js';

/** The same request on the service's own hostname. */
function atHome(call: Call): Request {
  const url = new URL(call.url);
  url.host = url.host.replace(/^eu\./i, '');
  return withHeaders(call, { host: call.request.headers.get('host')?.replace(/^eu\./i, '') ?? null }, url);
}

export const visibility: Fresh = {
  'own-key-collection-403': {
    quote: 'For such a key the collection and every other intern answer 404.',
    wrong: (w) =>
      w.later('list create', (response, { who }) =>
        who === 'own_key' && response.status === 404 ? failed(403, 'Forbidden', 'forbidden') : undefined,
      ),
  },
  'own-key-creates': {
    quote: 'For such a key the collection and every other intern answer 404.',
    wrong: (w) =>
      w.asked('create', (call) =>
        call.who === 'own_key'
          ? withHeaders(call, { authorization: `Bearer ${w.credentials.api_key ?? ''}` })
          : undefined,
      ),
  },
  'own-key-blind-to-itself-when-not-running': {
    quote: "An intern's own API key sees only that intern.",
    wrong: (w) =>
      w.later('get', async (response, { who, id }) =>
        who === 'own_key' && response.ok && (await record(w, id)).status !== 'running'
          ? failed(404, 'Intern not found', 'not_found')
          : undefined,
      ),
  },
  'own-key-updates-others-unseen': {
    quote: "An intern's own key sees only that intern, and everything else answers 404.",
    wrong: (w) =>
      w.later('update', async (response, { who, id, body }) => {
        if (who !== 'own_key' || response.status !== 404) return undefined;
        if ((await w.ask('PATCH', `/interns/${id}`, { body })).ok) w.hit();
        return undefined;
      }),
  },
  'read-cache-of-all-keys': {
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong: (w) => {
      const seen = new Map<string, { at: number; text: string; by: string }>();
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'get') {
          if (['update', 'delete', 'suspend', 'provision'].includes(call.op)) seen.delete(call.id);
          return response;
        }
        const kept = seen.get(call.id);
        if (response.ok) seen.set(call.id, { at: now(w), text: await response.clone().text(), by: call.who });
        if (response.status !== 404 || kept === undefined || kept.by === call.who || now(w) - kept.at > 10_000)
          return response;
        w.hit();
        return new Response(kept.text, { headers: { 'content-type': 'application/json' } });
      };
    },
  },
  'outsider-list-empty': {
    quote: 'Callers outside the programme receive 404 for every path under `/interns`.',
    wrong: (w) =>
      w.instead('list', ({ who }) =>
        who === 'outsider_api_key' ? Response.json({ data: [], has_more: false }) : undefined,
      ),
  },
  'outsider-provision-field-400': {
    quote: 'Callers outside the programme receive 404 for every path under `/interns`.',
    wrong: (w) =>
      w.instead('provision suspend', ({ who, text }) =>
        who === 'outsider_api_key' && text !== '' ? failed(400, 'Invalid request body', 'invalid_body') : undefined,
      ),
  },
  'outsider-invoke-forbidden': {
    quote: 'Callers outside the programme receive 404 for every path under `/interns`.',
    wrong: (w) =>
      w.instead('invoke chat', ({ who }) =>
        who === 'outsider_api_key' ? failed(403, 'Not a member of the interns programme', 'forbidden') : undefined,
      ),
  },
  'regional-reads-served': {
    quote: 'Requests on regional hostnames are refused.',
    wrong: (w) => w.asked('list get', (call) => (call.regional ? atHome(call) : undefined)),
  },
  'regional-mapping-served': {
    quote: 'Requests on regional hostnames are refused.',
    wrong: (w) => w.asked('scim', (call) => (call.regional ? atHome(call) : undefined)),
  },
  'regional-alias-served': {
    quote: 'Requests on regional hostnames are refused.',
    wrong: (w) => w.asked('daemon-alias sign-alias', (call) => (call.regional ? atHome(call) : undefined)),
  },
  'regional-write-refused-yet-done': {
    quote: 'Requests on regional hostnames are refused.',
    wrong: (w) =>
      w.later('create update suspend', async (response, call) => {
        if (!call.regional || response.ok) return undefined;
        if ((await w.next(atHome(call))).ok) w.hit();
        return undefined;
      }),
  },
  'create-default-workspace': {
    quote: 'There is no default workspace fallback.',
    wrong: (w) =>
      w.asked('create', ({ who, body }) =>
        body.workspace_id === undefined && 'name' in body && who === 'api_key'
          ? { ...body, workspace_id: w.workspaces.own }
          : undefined,
      ),
  },
  'create-hidden-workspace-in-own': {
    quote: 'There is no default workspace fallback.',
    wrong: (w) => async (call, next) => {
      const response = await next();
      const { workspace_id: asked } = call.body;
      if (call.op !== 'create' || call.who !== 'api_key' || response.ok || asked !== w.workspaces.foreign)
        return response;
      w.hit();
      return next(withBody(call, { ...call.body, workspace_id: w.workspaces.own }));
    },
  },
  'management-key-reads-interns': {
    quote: 'A missing or invalid key gives 401.',
    wrong: (w) =>
      w.asked('list get', (call) =>
        call.who === 'management_key'
          ? withHeaders(call, { authorization: `Bearer ${w.credentials.api_key ?? ''}` })
          : undefined,
      ),
  },
  'key-compared-by-prefix': {
    quote: 'A missing or invalid key gives 401.',
    wrong: (w) =>
      w.asked('list get update', (call) => {
        const key = w.credentials.api_key ?? '';
        const sent = call.request.headers.get('authorization') ?? '';
        return call.who === 'unknown' && sent.startsWith(`Bearer ${key}`)
          ? withHeaders(call, { authorization: `Bearer ${key}` })
          : undefined;
      }),
  },
  'key-compared-without-case': {
    quote: 'A missing or invalid key gives 401.',
    wrong: (w) =>
      w.asked('*', (call) => {
        const sent = (call.request.headers.get('authorization') ?? '').replace(/^bearer /i, '').toLowerCase();
        const key = Object.values(w.credentials).find((one) => one.toLowerCase() === sent);
        return call.who === 'unknown' && key !== undefined
          ? withHeaders(call, { authorization: `Bearer ${key}` })
          : undefined;
      }),
  },
  'no-key-chat-streams-its-refusal': {
    quote: 'A missing or invalid key gives 401.',
    wrong: (w) =>
      w.later('chat', (response, { who }) =>
        response.status === 401 && who === 'none'
          ? new Response(
              `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'error' }], error: { code: 401 } })}\n\ndata: [DONE]\n\n`,
              { headers: { 'content-type': 'text/event-stream' } },
            )
          : undefined,
      ),
  },
  'unknown-key-invoke-403': {
    quote: 'A missing or invalid key gives 401.',
    wrong: (w) =>
      w.later('invoke', (response, { who }) =>
        response.status === 401 && who === 'unknown' ? failed(403, 'Forbidden', 'forbidden') : undefined,
      ),
  },
};
