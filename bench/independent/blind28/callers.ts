import { failed } from '../answers.js';
import { type Call, withHeaders } from '../call.js';
import type { World } from '../world.js';
import { as, bytes, CAP, isVisible, type Part, seen, typeOf } from './parts.js';

const outside = ({ who }: Call) => who === 'outsider_api_key';
const lawfulHost = (w: World, call: Call): Request => {
  const url = new URL(call.url);
  url.host = new URL(w.baseUrl).host;
  return withHeaders(call, { host: null }, url);
};

export const callers: Part = {
  'regional-reads-served': {
    quote: 'Requests on regional hostnames are refused.',
    wrong: (w) => w.asked('list get', (call) => (call.regional ? lawfulHost(w, call) : undefined)),
  },
  'regional-signing-served': {
    quote: 'Requests on regional hostnames are refused.',
    wrong: (w) =>
      w.asked('sign sign-alias daemon daemon-alias', (call) => (call.regional ? lawfulHost(w, call) : undefined)),
  },
  'regional-creates-served': {
    quote: 'Requests on regional hostnames are refused.',
    wrong: (w) => w.asked('create', (call) => (call.regional ? lawfulHost(w, call) : undefined)),
  },
  'own-key-creates': {
    quote: 'For such a key the collection and every other intern answer 404.',
    wrong: (w) => w.asked('create', (call) => (call.who === 'own_key' ? as(call, w.credentials.api_key) : undefined)),
  },
  'own-key-gets-others': {
    quote: "An intern's own API key sees only that intern.",
    wrong: (w) => async (call, next) => {
      const response = await next();
      if (call.op !== 'get' || call.who !== 'own_key' || response.status !== 404) return response;
      const other = await w.ask('GET', `/interns/${call.id}`);
      if (other.ok) w.hit();
      return other.ok ? other : response;
    },
  },
  'own-key-updates-others': {
    quote: "An intern's own API key sees only that intern.",
    // The answer is the right one, and the change is made.
    wrong: (w) => async (call, next) => {
      const response = await next();
      if (call.op !== 'update' || call.who !== 'own_key' || response.status !== 404) return response;
      if ((await w.ask('PATCH', `/interns/${call.id}`, { body: call.body })).ok) w.hit();
      return response;
    },
  },
  'own-key-chats-with-others': {
    quote: 'For such a key the collection and every other intern answer 404.',
    wrong: (w) => async (call, next) => {
      if (call.op !== 'chat' || call.who !== 'own_key') return next();
      const response = await next();
      if (response.status !== 404) return response;
      w.hit();
      return next(as(call, w.credentials.api_key));
    },
  },
  'own-key-others-403': {
    quote: "An intern's own key sees only that intern, and everything else answers 404.",
    // The refusal tells that the intern exists.
    wrong: (w) =>
      w.later('get update delete', async (response, { id, who }) =>
        response.status === 404 && who === 'own_key' && (await isVisible(w, id, 'api_key'))
          ? failed(403, 'Forbidden', 'forbidden')
          : undefined,
      ),
  },
  'own-key-not-itself': {
    quote: "An intern's own API key sees only that intern.",
    wrong: (w) =>
      w.later('get', (response, { who }) =>
        response.ok && who === 'own_key' ? failed(404, 'Intern not found', 'not_found') : undefined,
      ),
  },
  'outsider-list-403': {
    quote: 'Callers outside the programme receive 404 for every path under `/interns`.',
    wrong: (w) =>
      w.later('list', (response, call) =>
        response.status === 404 && outside(call) ? failed(403, 'Not in the programme', 'forbidden') : undefined,
      ),
  },
  'outsider-update-415': {
    quote: 'Callers outside the programme receive 404 for every path under `/interns`.',
    wrong: (w) =>
      w.later('update create delete', (response, call) =>
        response.status === 404 && outside(call) && call.text !== '' && !/^application\/json/i.test(typeOf(call))
          ? failed(415, 'Request body must be sent as application/json', 'unsupported_media_type')
          : undefined,
      ),
  },
  'outsider-chat-in-stream': {
    quote: 'Callers outside the interns programme receive 404 for every path under `/interns`.',
    // The refusal comes as a chunk of a stream.
    wrong: (w) =>
      w.later('chat', (response, call) => {
        if (response.status !== 404 || !outside(call)) return undefined;
        const chunk = {
          choices: [{ index: 0, delta: {}, finish_reason: 'error' }],
          error: { code: 404, message: 'Intern not found', metadata: { reason: 'not_found', retryable: false } },
        };
        return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, {
          status: 200,
          headers: { 'content-type': 'text/event-stream' },
        });
      }),
  },
  'outsider-provision-field-400': {
    quote: 'Callers outside the interns programme receive 404 for every path under `/interns`.',
    wrong: (w) =>
      w.later('provision suspend', (response, call) =>
        response.status === 404 && outside(call) && call.text !== ''
          ? failed(400, 'Invalid request body', 'invalid_body')
          : undefined,
      ),
  },
  'missing-key-chat-403': {
    quote: 'A missing or invalid key gives 401.',
    wrong: (w) =>
      w.later('chat', (response, { who }) =>
        response.status === 401 && who === 'none' ? failed(403, 'Forbidden', 'forbidden') : undefined,
      ),
  },
  'missing-key-large-413': {
    quote: 'A missing or invalid key gives 401.',
    wrong: (w) =>
      w.later('create update delete', (response, { text }) =>
        response.status === 401 && bytes(text) > CAP
          ? failed(413, 'Request body exceeds 1048576 bytes', 'payload_too_large')
          : undefined,
      ),
  },
  'invalid-key-invoke-404': {
    quote: 'A missing or invalid key gives 401.',
    wrong: (w) =>
      w.later('invoke', (response) =>
        response.status === 401 ? failed(404, 'Intern not found', 'not_found') : undefined,
      ),
  },
  'key-by-its-beginning': {
    quote: 'A missing or invalid key gives 401.',
    wrong: (w) =>
      w.asked('list get', (call) => {
        const key = w.credentials.api_key ?? '';
        const sent = call.request.headers.get('authorization') ?? '';
        return call.who === 'unknown' && sent.startsWith(`Bearer ${key}`) ? as(call, key) : undefined;
      }),
  },
  'key-without-case': {
    quote: 'A missing or invalid key gives 401.',
    wrong: (w) =>
      w.asked('list get create', (call) => {
        const key = w.credentials.api_key ?? '';
        const sent = call.request.headers.get('authorization') ?? '';
        return call.who === 'unknown' && sent.toLowerCase() === `bearer ${key.toLowerCase()}`
          ? as(call, key)
          : undefined;
      }),
  },
  'key-without-scheme': {
    quote: 'API key as bearer token in the `Authorization` header.',
    wrong: (w) =>
      w.asked('list get', (call) => {
        const sent = call.request.headers.get('authorization') ?? '';
        return sent === w.credentials.api_key || /^basic /i.test(sent) ? as(call, w.credentials.api_key) : undefined;
      }),
  },
  'management-key-lists': {
    quote: 'Intern lifecycle, chat, invoke | API key as bearer token in the `Authorization` header.',
    wrong: (w) =>
      w.asked('list get', (call) => (call.who === 'management_key' ? as(call, w.credentials.api_key) : undefined)),
  },
  'foreign-invoke-runs': {
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong: (w) => async (call, next) => {
      if (call.op !== 'invoke' || call.who !== 'foreign_api_key') return next();
      const response = await next();
      if (response.status !== 404 || !(await isVisible(w, call.id, 'api_key'))) return response;
      w.hit();
      return next(as(call, w.credentials.api_key));
    },
  },
  'foreign-404-names-it': {
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    // The message of the 404 names the other workspace's intern.
    wrong: (w) => async (call, next) => {
      const response = await next();
      if (call.op !== 'get' || call.who !== 'foreign_api_key' || response.status !== 404) return response;
      const { name } = await seen(w, call.id);
      if (typeof name !== 'string') return response;
      w.hit();
      return failed(404, `Intern ${name} is not in this workspace`, 'not_found');
    },
  },
};
