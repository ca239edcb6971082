import { failed } from '../answers.js';
import { isJson } from '../call.js';
import { bearer, isMember, seen } from '../lawful30/helpers.js';
import type { Way } from '../world.js';
import { chained, messageIn } from './helpers.js';

const CAP = 1_048_576;
const KEYED = ['list', 'create', 'get', 'update', 'delete', 'provision', 'suspend', 'chat', 'invoke'];

const isJsonType = (request: Request) =>
  /^application\/json\s*(;|$)/i.test((request.headers.get('content-type') ?? '').trim());
const parses = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
const underInterns = (url: URL) => /^\/api\/v1\/interns(\/|$)/.test(url.pathname);

export const errors: readonly Way[] = [
  {
    // The envelope says which members an error has, not that it has no others; `metadata` stays away where it must.
    name: 'errors have a type and a request id beside what is stated, in streams too',
    lawful: true,
    quote:
      'Envelope: `{ error: { code: <integer HTTP status>, message: <string>, metadata: { reason: <string>, retryable: <boolean> } } }`.',
    wrong: (world) => {
      const id = () => `req_${Math.floor(world.setting.random() * 2 ** 48).toString(36)}`;
      const bodies = world.json('*', (body, _call, { ok, status }) => {
        if (ok || !isJson(body.error)) return;
        Object.assign(body.error, { type: status < 500 ? 'invalid_request_error' : 'api_error', param: null });
        Object.assign(body, { request_id: id(), user_id: null });
      });
      const streams = world.stream(() => (_event, chunk) => {
        if (chunk?.error === undefined) return undefined;
        return { ...chunk, error: { ...chunk.error, type: 'api_error', param: null } };
      });
      return chained(bodies, streams);
    },
  },
  {
    // How a foreign workspace is refused, and what a wrong method gets, is chosen; metadata of this 404 is not judged.
    name: 'a foreign workspace is 403, a wrong method 404, and outsiders get a bare 404',
    lawful: true,
    quote:
      'one that isn’t the key’s is refused (C: 404 …) … C: known path, wrong method: 405 … Whether the programme 404 has it is not judged',
    wrong: (world) =>
      world.later('*', async (response, { who, url, request }) => {
        const { status } = response;
        if (request.method === 'HEAD') return undefined;
        if (status === 404 && who === 'outsider_api_key' && underInterns(url)) return failed(404, 'Not Found');
        if (status === 405)
          return url.pathname.includes('/scim/')
            ? failed(404, 'Resource not found')
            : failed(404, 'No such route', 'route_not_found');
        if (status === 404 && isMember(who) && (await messageIn(response)) === 'Workspace not found')
          return failed(403, 'This key has no access to that workspace', 'workspace_forbidden');
        return undefined;
      }),
  },
  {
    // All of these apply at once, and which is said is chosen. Not for outsiders and own keys, whose 404 has no exception.
    name: 'a body is parsed before the intern is looked up: 413, 415 and broken JSON come before 404 and 403',
    lawful: true,
    quote: 'C: Order of refusals: the caller is judged before the body.',
    wrong: (world) =>
      world.later('create update delete sign sign-alias', ({ status }, { text, request, who, op, regional }) => {
        if ((status !== 404 && status !== 403) || regional || !isMember(who) || text.trim() === '') return undefined;
        const no = (code: number, message: string, reason: string) => {
          const other = failed(code, message, reason);
          if (op.startsWith('sign')) other.headers.set('cache-control', 'no-store');
          return other;
        };
        if (Buffer.byteLength(text) > CAP) return no(413, 'Request body exceeds 1048576 bytes', 'payload_too_large');
        if (!isJsonType(request))
          return no(415, 'Request body must be sent as application/json', 'unsupported_media_type');
        return parses(text) ? undefined : no(400, 'Invalid request body', 'invalid_body');
      }),
  },
  {
    // The table gives these operations to API keys; that a token acts as its member there is chosen.
    name: 'an OAuth token is no API key: 401 on lifecycle, chat and invoke',
    lawful: true,
    quote: 'Intern lifecycle, chat, invoke | API key as bearer token in the `Authorization` header.',
    wrong: (world) =>
      world.instead('*', ({ who, op, regional }) => {
        if (regional || !/^(peer_)?oauth_/.test(who) || !KEYED.includes(op)) return undefined;
        return failed(401, 'Invalid or missing API key');
      }),
  },
  {
    // Chat and invoke need not look at the media type, but may; an update that names nothing has nothing to do.
    name: 'chat and invoke want application/json, and an update at least one field',
    lawful: true,
    quote: 'Chat and invoke do not look at it (C). … C: a body that changes nothing is a no-op 200',
    wrong: (world) => async (call, next) => {
      const { op, request, text, who, id, body } = call;
      const prompts = op === 'chat' || op === 'invoke';
      if (prompts && isMember(who) && text !== '' && Buffer.byteLength(text) <= CAP && !isJsonType(request)) {
        if ((await seen(world, id, bearer(request))) === undefined || call.regional) return next();
        world.hit();
        return failed(415, 'Request body must be sent as application/json', 'unsupported_media_type');
      }
      const response = await next();
      if (op !== 'update' || !response.ok || Object.keys(body).length > 0) return response;
      world.hit();
      return failed(400, 'Invalid request body', 'invalid_body');
    },
  },
];
